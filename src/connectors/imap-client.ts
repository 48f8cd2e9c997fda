// A mail server, asked and never changed: https://www.rfc-editor.org/rfc/rfc3501
import type { Socket } from 'node:net'
import { type Pull, SourceError } from './connector.ts'
import { openReader, type Response, type Value, valuesOf } from './imap-reader.ts'
import { decodeMailbox } from './imap-text.ts'

export interface Login {
  imap_username: string
  imap_password: string
}

export interface Mailbox {
  /** As the server writes it. */
  path: string
  /** As people read it. */
  name: string
  flags: ReadonlySet<string>
}

export interface Examined {
  uidValidity: string
  /** Null where the server does not count changes of the mailbox: RFC 7162. */
  modSeq: bigint | null
}

export type Fetched = Map<string, Value>

export interface ImapClient {
  list(): Promise<Mailbox[]>
  /** Opens it for reading. Rejects with a `SourceError` where the server refuses. */
  examine(mailbox: Mailbox): Promise<Examined>
  /** In their order. */
  search(criteria: string): Promise<number[]>
  /** By UID; a message that is gone is left out. */
  fetch(uids: readonly number[], items: string, maxBytes?: number): Promise<Map<number, Fetched>>
  close(): Promise<void>
}

export interface Server {
  host: string
  port: number
  isEncrypted: boolean
}

const GREETING_MS = 10_000
const IDLE_MS = 120_000
const MAX_BYTES = 1 << 20
const HOST = { field: 'connector_specific_config.host' }

/** Signs in. Rejects with a `SourceError` that names the field. */
export async function openImap(
  connect: Pull['connect'],
  { host, port, isEncrypted }: Server,
  login: Login,
): Promise<ImapClient> {
  const socket = await connect(host, port, isEncrypted).catch(namingHost)
  const session: Session = { socket, reader: openReader(socket), count: 0, isGreeted: false }
  socket.setTimeout(GREETING_MS)
  socket.on('timeout', () => socket.destroy(silent(session, host)))
  // Who reads is told by the reader.
  socket.on('error', () => {})
  try {
    await greet(session, host)
    await logIn(session, host, login)
    const capabilities = (await run(session, 'CAPABILITY')).map(([it]) => it).join(' ')
    return clientOf(session, host, /\bCONDSTORE\b/i.test(capabilities))
  } catch (error) {
    socket.destroy()
    throw error instanceof SourceError ? error : lost(host, error)
  }
}

function namingHost(error: unknown): never {
  if (!(error instanceof SourceError)) throw error
  throw new SourceError(error.fault, error.message, { ...HOST, cause: error })
}

const lost = (host: string, cause: unknown) =>
  new SourceError('unavailable', `The connection to ${host} was lost: ${(cause as Error).message}`, { cause })

interface Session {
  socket: Socket
  reader: ReturnType<typeof openReader>
  count: number
  isGreeted: boolean
}

function silent({ isGreeted }: Session, host: string): SourceError {
  if (isGreeted) return new SourceError('unavailable', `${host} has said nothing for ${IDLE_MS / 1_000} seconds.`)
  const message = `${host} does not greet within ${GREETING_MS / 1_000} seconds, as a mail server does.`
  return new SourceError('unavailable', message, HOST)
}

function clientOf(session: Session, host: string, hasModSeq: boolean): ImapClient {
  const ask = async (command: string, maxBytes?: number) => {
    try {
      return await run(session, command, maxBytes)
    } catch (error) {
      throw error instanceof SourceError ? error : lost(host, error)
    }
  }
  return {
    list: async () => mailboxesIn(await ask('LIST "" "*"')),
    examine: async ({ path }) => examinedIn(await ask(`EXAMINE ${quoted(path)}${hasModSeq ? ' (CONDSTORE)' : ''}`)),
    search: async (criteria) => numbersIn(await ask(`UID SEARCH ${criteria}`)),
    fetch: async (uids, items, maxBytes) =>
      uids.length === 0 ? new Map() : fetchedIn(await ask(`UID FETCH ${uids.join(',')} (UID ${items})`, maxBytes)),
    async close() {
      await ask('LOGOUT').catch(() => {}) // Whoever is gone needs no farewell.
      session.socket.destroy()
    },
  }
}

async function greet(session: Session, host: string): Promise<void> {
  const [greeting = ''] = await session.reader.next(MAX_BYTES)
  session.isGreeted = true
  session.socket.setTimeout(IDLE_MS)
  if (/^\* (?:OK|PREAUTH)\b/i.test(`${greeting}`)) return
  const said = `${greeting}`.slice(0, 200)
  if (/^\* BYE\b/i.test(`${greeting}`)) throw new SourceError('unavailable', `${host} answers "${said}".`, HOST)
  throw new SourceError('config', `${host} is no IMAP server: it begins with "${said}".`, HOST)
}

async function logIn(session: Session, host: string, { imap_username, imap_password }: Login): Promise<void> {
  try {
    await run(session, ['LOGIN ', imap_username, ' ', imap_password])
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const isBusy = /\[(?:UNAVAILABLE|INUSE|LIMIT)\]/i.test(error.message)
    throw new SourceError(isBusy ? 'unavailable' : 'credential', `${host} refuses the sign-in: ${error.said}`, {
      field: 'credential_json.imap_password',
    })
  }
}

/** NO or BAD. */
class Refused extends SourceError {
  readonly said: string
  constructor(said: string) {
    super('unexpected', `The mail server answers "${said}".`)
    this.said = said
  }
}

const SAFE = /^[\x20-\x7e]*$/
const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** One after the other. Every second part of a list is data, which may be any text. */
async function run(session: Session, command: string | string[], maxBytes = MAX_BYTES): Promise<Response[]> {
  const { socket, reader } = session
  session.count += 1
  const tag = `p${session.count}`
  const parts = typeof command === 'string' ? [command] : command
  let text = `${tag} `
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) text += part
    else if (SAFE.test(part)) text += quoted(part)
    else {
      socket.write(`${text}{${Buffer.byteLength(part)}}\r\n`, 'latin1')
      const [answer = ''] = await reader.next(MAX_BYTES)
      if (!`${answer}`.startsWith('+')) throw new Refused(`${answer}`.slice(0, 500))
      socket.write(part, 'utf8')
      text = ''
    }
  }
  socket.write(`${text}\r\n`, 'latin1')
  return await answersTo(session, tag, maxBytes)
}

async function answersTo({ reader }: Session, tag: string, maxBytes: number): Promise<Response[]> {
  const answers: Response[] = []
  for (let bytes = 0; ; ) {
    const response = await reader.next(maxBytes)
    const text = `${response[0]}`
    if (text.startsWith('* ')) {
      bytes += response.reduce((sum, it) => sum + it.length, 0)
      if (bytes > MAX_ANSWER) throw new SourceError('unexpected', 'The mail server does not stop answering.')
      answers.push(response)
      continue
    }
    const [, status = '', said = ''] = new RegExp(`^${tag} (OK|NO|BAD)\\b ?(.*)$`, 'is').exec(text) ?? []
    if (status.toUpperCase() === 'OK') return answers
    if (status === '') throw new SourceError('unexpected', `The mail server answers "${text.slice(0, 200)}".`)
    throw new Refused(said.slice(0, 500))
  }
}

const MAX_ANSWER = 256 << 20

const mailboxesIn = (responses: readonly Response[]): Mailbox[] =>
  responses
    .filter(([text]) => /^\* LIST /i.test(`${text}`))
    .map((response) => {
      const [, , flags, , path] = valuesOf(response)
      const raw = Buffer.isBuffer(path) ? path.toString('latin1') : `${path}`
      const names = Array.isArray(flags) ? flags.map((it) => `${it}`.toLowerCase()) : []
      return { path: raw, name: decodeMailbox(raw), flags: new Set(names) }
    })
    // Such a name would be a command.
    .filter((it) => !/[\r\n\0]/.test(it.path))

function examinedIn(responses: readonly Response[]): Examined {
  const text = responses.map(([it]) => it).join('\n')
  const uidValidity = /\[UIDVALIDITY (\d+)\]/i.exec(text)?.[1]
  if (uidValidity === undefined)
    throw new SourceError('unexpected', 'The mail server gives its messages no lasting numbers.')
  const modSeq = /\[HIGHESTMODSEQ (\d+)\]/i.exec(text)?.[1]
  return { uidValidity, modSeq: modSeq === undefined ? null : BigInt(modSeq) }
}

const numbersIn = (responses: readonly Response[]): number[] =>
  responses
    .flatMap(([text]) => /^\* SEARCH\b([\d ]*)/i.exec(`${text}`)?.[1]?.match(/\d+/g) ?? [])
    .map(Number)
    .sort((one, other) => one - other)

function fetchedIn(responses: readonly Response[]): Map<number, Fetched> {
  const fetched = new Map<number, Fetched>()
  for (const response of responses) {
    if (!/^\* \d+ FETCH /i.test(`${response[0]}`)) continue
    const [, , , items] = valuesOf(response)
    if (!Array.isArray(items)) continue
    const byName: Fetched = new Map()
    for (let at = 0; at + 1 < items.length; at += 2) byName.set(`${items[at]}`.toUpperCase(), items[at + 1]!)
    const uid = Number(byName.get('UID'))
    if (uid > 0) fetched.set(uid, new Map([...(fetched.get(uid) ?? []), ...byName]))
  }
  return fetched
}
