// A connection to an LDAP server, secured before anything secret is sent.
import { Client, type Entry } from 'ldapts'
import type { LdapSettings } from '../../domain/sign-in/provider.ts'
import type { Egress } from '../../egress/egress.ts'
import { limitInput } from './limit-input.ts'

const START_TLS = '1.3.6.1.4.1.1466.20037'
const TIME_LIMIT_SECONDS = 10

export interface DirectoryDeps {
  egress: Pick<Egress, 'connect' | 'startTls'>
  /** For each answer. */
  timeoutMs: number
}

export interface DirectorySearch {
  scope: 'base' | 'sub'
  filter: string
  attributes: readonly string[]
  /** Attributes whose values are bytes. */
  binary?: readonly string[]
  maxEntries: number
}

export interface Directory {
  /** Rejects with an InvalidCredentialsError of ldapts. An empty password is refused: servers take it for no password. */
  bind(dn: string, password: string): Promise<void>
  /** References to other servers are not followed. */
  search(baseDn: string, search: DirectorySearch): Promise<Entry[]>
  close(): Promise<void>
}

/** Rejects with an EgressError, or an error of ldapts if the server does not offer StartTLS. */
export async function openDirectory(
  { egress, timeoutMs }: DirectoryDeps,
  { url, start_tls, ca }: Pick<LdapSettings, 'url' | 'start_tls' | 'ca'>,
  { providerId, signal }: { providerId: number; signal: AbortSignal },
): Promise<Directory> {
  const { host, port, isSecure } = endpointOf(url)
  const ownCa = ca === null ? {} : { ca }
  const plain = await egress.connect(host, port, {
    ...{ profile: 'admin-target', asker: { kind: 'sign_in_provider', id: providerId }, tls: isSecure, signal },
    ...ownCa,
  })
  const client = createClient(limitInput(plain), timeoutMs)
  if (!start_tls) return directoryOf(client)
  try {
    await client.exop(START_TLS)
  } catch (error) {
    plain.destroy()
    throw new Error('The server refuses StartTLS', { cause: error })
  }
  // A new client follows: it knows nothing of what was sent without TLS.
  plain.removeAllListeners('data')
  const secure = await egress.startTls(plain, host, { ...ownCa, signal })
  return directoryOf(createClient(limitInput(secure), timeoutMs))
}

export function endpointOf(url: string): { host: string; port: number; isSecure: boolean } {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'ldaps:'
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return { host, port: port === '' ? (isSecure ? 636 : 389) : Number(port), isSecure }
}

/** The socket is open, and has TLS already if it needs it. */
function createClient(socket: Parameters<typeof limitInput>[0], timeout: number): Client {
  socket.on('error', () => {})
  return new Client({ url: 'ldap://directory', timeout, connectTimeout: timeout, createConnection: () => socket })
}

const directoryOf = (client: Client): Directory => ({
  async bind(dn, password) {
    if (password === '') throw new Error('The password is empty.')
    await client.bind(dn, password)
  },
  async search(baseDn, { scope, filter, attributes, binary = [], maxEntries }) {
    const { searchEntries } = await client.search(baseDn, {
      ...{ scope, filter, sizeLimit: maxEntries, timeLimit: TIME_LIMIT_SECONDS },
      ...{ attributes: [...attributes], explicitBufferAttributes: [...binary] },
    })
    return searchEntries
  },
  close: () => client.unbind().catch(() => {}),
})
