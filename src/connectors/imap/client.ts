// Read-only IMAP client: https://www.rfc-editor.org/rfc/rfc3501
import type { Socket } from 'node:net'
import { errorMessage } from '../../domain/values/node-error.ts'
import { type ConnectorContext, SourceError } from '../connector.ts'
import { decodeMailboxName } from './encoded-text.ts'
import {
  createResponseReader,
  type ImapResponse,
  type ImapValue,
  parseResponse,
  textOfValue,
} from './response-reader.ts'

export interface ImapCredential {
  imap_username: string
  imap_password: string
}

export interface ImapMailbox {
  /** The name as the server encodes it. */
  path: string
  /** The decoded name. */
  name: string
  /** The hierarchy separator, or null if the server has none. */
  delimiter: string | null
  flags: ReadonlySet<string>
}

export interface MailboxState {
  uidValidity: string
  /** Null if the server does not support CONDSTORE (RFC 7162). */
  modSeq: bigint | null
}

export type FetchedMessage = Map<string, ImapValue>

export interface ImapClient {
  list(): Promise<ImapMailbox[]>
  /** Opens the mailbox read-only. Rejects with a `SourceError` if the server refuses. */
  examine(mailbox: ImapMailbox): Promise<MailboxState>
  /** UIDs in ascending order. */
  search(criteria: string): Promise<number[]>
  /** Messages by UID. Deleted messages are omitted. */
  fetch(uids: readonly number[], items: string, maxBytes?: number): Promise<Map<number, FetchedMessage>>
  close(): Promise<void>
}

export interface ImapServer {
  host: string
  port: number
  isEncrypted: boolean
}

const GREETING_MS = 10_000
const IDLE_MS = 120_000
const MAX_BYTES = 1 << 20
const HOST_FIELD = { field: 'connector_specific_config.host' }

/** Connects and logs in. Rejects with a `SourceError` that names the config or credential field. */
export async function openImapClient(
  connect: ConnectorContext['connect'],
  { host, port, isEncrypted }: ImapServer,
  login: ImapCredential,
): Promise<ImapClient> {
  const socket = await connect(host, port, isEncrypted).catch(withHostField)
  const session: ImapSession = { socket, reader: createResponseReader(socket), count: 0, isGreeted: false }
  socket.setTimeout(GREETING_MS)
  socket.on('timeout', () => socket.destroy(timeoutError(session, host)))
  // The response reader reports the error.
  socket.on('error', () => {})
  try {
    await readGreeting(session, host)
    await logIn(session, host, login)
    const capabilities = (await sendCommand(session, 'CAPABILITY')).map(([it]) => it).join(' ')
    return createImapClient(session, host, /\bCONDSTORE\b/i.test(capabilities))
  } catch (error) {
    socket.destroy()
    throw error instanceof SourceError ? error : connectionLost(host, error)
  }
}

function withHostField(error: unknown): never {
  if (!(error instanceof SourceError)) throw error
  throw new SourceError(error.kind, error.message, { ...HOST_FIELD, cause: error })
}

const connectionLost = (host: string, cause: unknown) =>
  new SourceError('unavailable', `The connection to ${host} was lost: ${errorMessage(cause)}`, { cause })

interface ImapSession {
  socket: Socket
  reader: ReturnType<typeof createResponseReader>
  count: number
  isGreeted: boolean
}

function timeoutError({ isGreeted }: ImapSession, host: string): SourceError {
  if (isGreeted) return new SourceError('unavailable', `${host} sent nothing for ${IDLE_MS / 1_000} seconds.`)
  const message = `${host} sent no IMAP greeting within ${GREETING_MS / 1_000} seconds.`
  return new SourceError('unavailable', message, HOST_FIELD)
}

function createImapClient(session: ImapSession, host: string, hasModSeq: boolean): ImapClient {
  const execute = async (command: string, maxBytes?: number) => {
    try {
      return await sendCommand(session, command, maxBytes)
    } catch (error) {
      throw error instanceof SourceError ? error : connectionLost(host, error)
    }
  }
  return {
    list: async () => parseMailboxes(await execute('LIST "" "*"')),
    examine: async ({ path }) =>
      parseMailboxState(await execute(`EXAMINE ${quote(path)}${hasModSeq ? ' (CONDSTORE)' : ''}`)),
    search: async (criteria) => parseSearch(await execute(`UID SEARCH ${criteria}`)),
    fetch: async (uids, items, maxBytes) =>
      uids.length === 0
        ? new Map()
        : parseFetched(await execute(`UID FETCH ${uids.join(',')} (UID ${items})`, maxBytes)),
    async close() {
      await execute('LOGOUT').catch(() => {}) // The connection may already be closed.
      session.socket.destroy()
    },
  }
}

async function readGreeting(session: ImapSession, host: string): Promise<void> {
  const [greeting = ''] = await session.reader.next(MAX_BYTES)
  session.isGreeted = true
  session.socket.setTimeout(IDLE_MS)
  if (/^\* (?:OK|PREAUTH)\b/i.test(`${greeting}`)) return
  const text = `${greeting}`.slice(0, 200)
  if (/^\* BYE\b/i.test(`${greeting}`))
    throw new SourceError('unavailable', `${host} refused the connection: "${text}".`, HOST_FIELD)
  throw new SourceError('config', `${host} is not an IMAP server. Its greeting is "${text}".`, HOST_FIELD)
}

async function logIn(
  session: ImapSession,
  host: string,
  { imap_username, imap_password }: ImapCredential,
): Promise<void> {
  try {
    await sendCommand(session, ['LOGIN ', imap_username, ' ', imap_password])
  } catch (error) {
    if (!(error instanceof ImapRefusedError)) throw error
    const isBusy = /\[(?:UNAVAILABLE|INUSE|LIMIT)\]/i.test(error.message)
    throw new SourceError(isBusy ? 'unavailable' : 'credential', `${host} rejected the login: ${error.reason}`, {
      field: 'credential_json.imap_password',
    })
  }
}

/** The server answered NO or BAD. */
class ImapRefusedError extends SourceError {
  readonly reason: string
  constructor(reason: string) {
    super('unexpected', `The mail server returned "${reason}".`)
    this.reason = reason
  }
}

const QUOTABLE = /^[\x20-\x7e]*$/
const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** Sends one command at a time. In a list, every second part is data and may contain any text. */
async function sendCommand(
  session: ImapSession,
  command: string | string[],
  maxBytes = MAX_BYTES,
): Promise<ImapResponse[]> {
  const { socket, reader } = session
  session.count += 1
  const tag = `p${session.count}`
  const parts = typeof command === 'string' ? [command] : command
  let text = `${tag} `
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) text += part
    else if (QUOTABLE.test(part)) text += quote(part)
    else {
      socket.write(`${text}{${Buffer.byteLength(part)}}\r\n`, 'latin1')
      const [answer = ''] = await reader.next(MAX_BYTES)
      if (!`${answer}`.startsWith('+')) throw new ImapRefusedError(`${answer}`.slice(0, 500))
      socket.write(part, 'utf8')
      text = ''
    }
  }
  socket.write(`${text}\r\n`, 'latin1')
  return await readResponses(session, tag, maxBytes)
}

async function readResponses({ reader }: ImapSession, tag: string, maxBytes: number): Promise<ImapResponse[]> {
  const answers: ImapResponse[] = []
  for (let bytes = 0; ; ) {
    const response = await reader.next(maxBytes)
    const text = `${response[0]}`
    if (text.startsWith('* ')) {
      bytes += response.reduce((sum, it) => sum + it.length, 0)
      if (bytes > MAX_RESPONSE_BYTES)
        throw new SourceError('unexpected', "The mail server's response exceeds the size limit.")
      answers.push(response)
      continue
    }
    const answer = text.startsWith(`${tag} `) ? text.slice(tag.length + 1) : ''
    const [, status = '', said = ''] = /^(OK|NO|BAD)\b ?(.*)$/is.exec(answer) ?? []
    if (status.toUpperCase() === 'OK') return answers
    if (status === '') throw new SourceError('unexpected', `The mail server returned "${text.slice(0, 200)}".`)
    throw new ImapRefusedError(said.slice(0, 500))
  }
}

const MAX_RESPONSE_BYTES = 256 << 20

const parseMailboxes = (responses: readonly ImapResponse[]): ImapMailbox[] =>
  responses
    .filter(([text]) => /^\* LIST /i.test(`${text}`))
    .map((response) => {
      const [, , flags, delimiter, path] = parseResponse(response)
      const raw = Buffer.isBuffer(path) ? path.toString('latin1') : `${path}`
      const names = Array.isArray(flags) ? flags.map((it) => `${it}`.toLowerCase()) : []
      return {
        path: raw,
        name: decodeMailboxName(raw),
        delimiter: textOfValue(delimiter) || null,
        flags: new Set(names),
      }
    })
    // A name with a line break could inject a command.
    .filter((it) => !/[\r\n\0]/.test(it.path))

function parseMailboxState(responses: readonly ImapResponse[]): MailboxState {
  const text = responses.map(([it]) => it).join('\n')
  const uidValidity = /\[UIDVALIDITY (\d+)\]/i.exec(text)?.[1]
  if (uidValidity === undefined) throw new SourceError('unexpected', 'The mail server reports no UIDVALIDITY.')
  const modSeq = /\[HIGHESTMODSEQ (\d+)\]/i.exec(text)?.[1]
  return { uidValidity, modSeq: modSeq === undefined ? null : BigInt(modSeq) }
}

const parseSearch = (responses: readonly ImapResponse[]): number[] =>
  responses
    .flatMap(([text]) => /^\* SEARCH\b([\d ]*)/i.exec(`${text}`)?.[1]?.match(/\d+/g) ?? [])
    .map(Number)
    .sort((one, other) => one - other)

function parseFetched(responses: readonly ImapResponse[]): Map<number, FetchedMessage> {
  const fetched = new Map<number, FetchedMessage>()
  for (const response of responses) {
    if (!/^\* \d+ FETCH /i.test(`${response[0]}`)) continue
    const [, , , items] = parseResponse(response)
    if (!Array.isArray(items)) continue
    const byName: FetchedMessage = new Map()
    for (const [at, value] of items.entries()) if (at % 2 === 1) byName.set(`${items[at - 1]}`.toUpperCase(), value)
    const uid = Number(byName.get('UID'))
    if (uid > 0) fetched.set(uid, new Map([...(fetched.get(uid) ?? []), ...byName]))
  }
  return fetched
}
