// IMAP connector: messages with attachments. Messages are immutable, so the UID identifies the version.
import { z } from 'zod'
import { errorMessage } from '../../domain/values/node-error.ts'
import { mailServerOrigin } from '../../domain/values/origin.ts'
import { DAY_MS } from '../../wire/date-time.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wireString } from '../../wire/schemas.ts'
import { batchesOf } from '../batches.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  type SourceDocument,
  SourceError,
} from '../connector.ts'
import { toSections } from '../files/file-sections.ts'
import { toFileText as textOfFile } from '../files/read-file-text.ts'
import { SECRET, usually } from '../form-hints.ts'
import {
  type FetchedMessage,
  type ImapClient,
  type ImapCredential,
  type ImapMailbox,
  type MailboxState,
  openImapClient,
} from './client.ts'
import { decodeEncodedWords } from './encoded-text.ts'
import { selectMailboxes } from './mailboxes.ts'
import { type ImapValue, textOfValue } from './response-reader.ts'

const ImapConfig = z.object({
  host: wireString({ min: 1, max: 500 }).describe('The host name of the mail server.'),
  port: nullish(wireInteger({ min: 1, max: 65_535 }))
    .describe('Default: 993.')
    .meta(usually(993)),
  mailboxes: nullish(wireArray(wireString({ min: 1, max: 1_000 }), { max: 10_000 })).describe(
    'Full names of the mailboxes to read, junk included. Empty: all except junk, trash and "all mail" mailboxes and their subfolders, which are recognised by their attribute or a common name (Junk, Spam, Trash, Deleted Items …).',
  ),
  is_encrypted: nullish(wireBoolean())
    .describe('Whether to use TLS. If false, the password is sent unencrypted. Default: true.')
    .meta(usually(true)),
})
type ImapConfig = z.infer<typeof ImapConfig>

const ImapCredentialSchema = z.object({
  imap_username: wireString({ min: 1, max: 500 }),
  imap_password: wireString({ min: 1, max: 1_000 }).meta(SECRET),
})

type ImapContext = ConnectorContext<ImapConfig, ImapCredential>

export default defineConnector<ImapConfig, ImapCredential>({
  sources: ['imap'],
  label: 'Mail (IMAP)',
  shortLabel: 'Mail',
  description: 'Reads the messages of an account with their attachments. Senders and recipients may read a message.',
  egress: 'admin-target',
  config: ImapConfig,
  credential: ImapCredentialSchema,
  origins(config) {
    const { host, port, isEncrypted } = serverOf(config)
    const origin = mailServerOrigin(host, port, isEncrypted)
    if (origin !== null) return [origin]
    throw new SourceError('config', `"${host}" is not a valid host name.`, { field: 'connector_specific_config.host' })
  },
  isTestedWithRealSource: true,
  isCredentialOptional: false,
  hasAccess: true,
  check: (context) =>
    withAccount(context, async function* () {})
      .next()
      .then(() => {}),
  load: (context) => withAccount(context, load),
  listIds: (context) => withAccount(context, listIds),
})

const serverOf = ({ host, port, is_encrypted }: ImapConfig) => ({
  host,
  port: port ?? 993,
  isEncrypted: is_encrypted ?? true,
})

interface ImapAccount {
  context: ImapContext
  client: ImapClient
  mailboxes: ImapMailbox[]
}

/** Logs out in every case. */
async function* withAccount<T>(
  context: ImapContext,
  run: (account: ImapAccount) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const { config, credential, connect } = context
  if (credential === null)
    throw new SourceError('credential', 'IMAP requires a credential.', { field: 'credential_json' })
  const client = await openImapClient(connect, serverOf(config), credential)
  try {
    yield* run({ context, client, mailboxes: selectMailboxes(await client.list(), config.mailboxes) })
  } finally {
    await client.close()
  }
}

/** RFC 5092. */
const idPrefix = ({ config, credential }: ImapContext, { path }: ImapMailbox, uidValidity: string): string => {
  const user = encodeURIComponent(credential?.imap_username ?? '')
  const port = config.port === null || config.port === 993 ? '' : `:${config.port}`
  const name = path.split('/').map(encodeURIComponent).join('/')
  return `imap://${user}@${config.host.toLowerCase()}${port}/${name};UIDVALIDITY=${uidValidity}/;UID=`
}

async function* listIds({ context, client, mailboxes }: ImapAccount): AsyncGenerator<string, void> {
  for (const mailbox of mailboxes) {
    const { uidValidity } = await client.examine(mailbox)
    const prefix = idPrefix(context, mailbox, uidValidity)
    for (const uid of await client.search(NOT_DELETED)) yield `${prefix}${uid}`
  }
}

/** Mail programs hide messages that are flagged as deleted. */
const NOT_DELETED = 'UNDELETED'
const BATCH = 20

const ImapCheckpoint = z.object({ path: z.string(), uidValidity: z.string(), uid: z.number() })
type ImapCheckpoint = z.infer<typeof ImapCheckpoint>

async function* load({ context, client, mailboxes }: ImapAccount): AsyncGenerator<ConnectorItem, void> {
  const resumed = context.checkpoint === null ? null : ImapCheckpoint.parse(context.checkpoint)
  for (const mailbox of mailboxes) {
    if (resumed !== null && mailbox.path < resumed.path) continue
    const examined = await client.examine(mailbox)
    const openMailbox = { context, client, mailbox, examined, prefix: idPrefix(context, mailbox, examined.uidValidity) }
    const isResumedMailbox = resumed?.path === mailbox.path && resumed.uidValidity === examined.uidValidity
    const uids = (await listUidsToRead(openMailbox)).filter((it) => !isResumedMailbox || it > resumed.uid)
    for (const { batch, last } of batchesOf(uids, BATCH)) {
      yield* readMessages(openMailbox, batch)
      const { uidValidity } = examined
      yield {
        type: 'checkpoint',
        checkpoint: { path: mailbox.path, uidValidity, uid: last } satisfies ImapCheckpoint,
      }
    }
  }
}

interface OpenMailbox {
  context: ImapContext
  client: ImapClient
  mailbox: ImapMailbox
  examined: MailboxState
  prefix: string
}

/**
 * UIDs ascend and are read in order, so every message below the highest known UID has been read. Messages that were
 * undeleted since then are found by MODSEQ.
 */
async function listUidsToRead({ context, client, examined, prefix }: OpenMailbox): Promise<number[]> {
  const uids = await client.search(NOT_DELETED)
  const { only, since } = context
  if (only !== null) return uids.filter((it) => only.includes(`${prefix}${it}`))
  if (since === null) return uids
  for (let at = uids.length - 1; at >= 0; at -= 1) {
    const note = await context.recall(`${prefix}${uids[at]}`)
    if (note === null) continue
    const newUids = uids.slice(at + 1)
    const hasModSeq = examined.modSeq !== null && /^\d+$/.test(note)
    if (!hasModSeq || BigInt(note) === examined.modSeq) return newUids
    const changed = await client.search(`${NOT_DELETED} UID 1:${uids[at]} MODSEQ ${BigInt(note) + 1n}`)
    return [...changed, ...newUids]
  }
  return uids
}

const MAX_MESSAGE_BYTES = 50 << 20
const FETCH_ITEMS = 'RFC822.SIZE INTERNALDATE ENVELOPE'

async function* readMessages(openMailbox: OpenMailbox, uids: readonly number[]): AsyncGenerator<ConnectorItem> {
  const { context, client, examined, prefix } = openMailbox
  const unread: number[] = []
  for (const uid of uids) {
    if ((await context.recall(`${prefix}${uid}`)) === null) unread.push(uid)
    else yield { type: 'unchanged', id: `${prefix}${uid}` }
  }
  const all = await client.fetch(unread, FETCH_ITEMS)
  for (const uid of unread) {
    context.signal.throwIfAborted()
    const fetched = all.get(uid)
    const id = `${prefix}${uid}`
    if (fetched === undefined) continue
    const size = Number(fetched.get('RFC822.SIZE'))
    if (size > MAX_MESSAGE_BYTES) {
      yield {
        type: 'skipped',
        id,
        link: id,
        reason: `The message has ${size} bytes. The limit is ${MAX_MESSAGE_BYTES}.`,
      }
      continue
    }
    const source = (await client.fetch([uid], 'BODY.PEEK[]', MAX_MESSAGE_BYTES + 1)).get(uid)?.get('BODY[]')
    if (Buffer.isBuffer(source) || typeof source === 'string') {
      yield await toMessageItem(
        openMailbox,
        id,
        fetched,
        Buffer.isBuffer(source) ? source : Buffer.from(source, 'latin1'),
        `${examined.modSeq ?? 'none'}`,
      )
    }
  }
}

async function toMessageItem(
  openMailbox: OpenMailbox,
  id: string,
  fetched: FetchedMessage,
  bytes: Buffer,
  value: string,
): Promise<ConnectorItem> {
  try {
    const read = await openMailbox.context.extract({ bytes, name: 'message.eml', mediaType: 'message/rfc822' })
    const mail = textOfFile(read)
    if (mail.kind === 'unread') return { type: 'skipped', id, link: id, reason: mail.reason }
    const envelope = parseEnvelope(fetched)
    const document = {
      id,
      sections: [...toSections(mail, id), ...mail.unread.map(({ name }) => ({ heading: name, text: '', link: id }))],
      ...messageProperties(
        openMailbox,
        envelope,
        read.parts.map((it) => it.name),
      ),
      doc_updated_at: messageTime(fetched, envelope.date),
    }
    return { type: 'document', document, note: { key: id, value } }
  } catch (error) {
    openMailbox.context.signal.throwIfAborted()
    const message = `The message could not be read: ${errorMessage(error)}`
    return { type: 'failure', document_id: id, link: id, stage: 'extract', message }
  }
}

interface MailPerson {
  display_name: string | null
  email: string | null
}

interface MailEnvelope {
  date: string
  subject: string
  messageId: string
  from: MailPerson[]
  to: MailPerson[]
  cc: MailPerson[]
  /** Senders and recipients. */
  all: MailPerson[]
}

/** https://www.rfc-editor.org/rfc/rfc3501#page-77 */
function parseEnvelope(fetched: FetchedMessage): MailEnvelope {
  const envelope = fetched.get('ENVELOPE')
  const [date, subject, from, sender, , to, cc, bcc, , messageId] = Array.isArray(envelope) ? envelope : []
  const [froms, tos, ccs] = [parseAddresses(from), parseAddresses(to), parseAddresses(cc)]
  return {
    date: textOfValue(date),
    subject: decodeEncodedWords(textOfValue(subject).slice(0, MAX_HEADER)).trim(),
    messageId: textOfValue(messageId).trim(),
    from: froms,
    to: tos,
    cc: ccs,
    all: [...froms, ...parseAddresses(sender), ...tos, ...ccs, ...parseAddresses(bcc)],
  }
}

/** Limit for subjects and names, before decoding. */
const MAX_HEADER = 20_000

/** Group syntax has a name but no address. */
const parseAddresses = (list: ImapValue | undefined): MailPerson[] =>
  (Array.isArray(list) ? list : []).flatMap((it) => {
    if (!Array.isArray(it)) return []
    const [name, , mailbox, host] = it
    const email = mailbox && host ? `${textOfValue(mailbox)}@${textOfValue(host)}`.toLowerCase() : null
    return email === null
      ? []
      : [
          {
            display_name: toHeaderLine(decodeEncodedWords(textOfValue(name).slice(0, MAX_HEADER))) || null,
            email: toHeaderLine(email),
          },
        ]
  })

const toHeaderLine = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, 500)

const MAX_PEOPLE = 200

function messageProperties(
  { context, mailbox }: OpenMailbox,
  { subject, messageId, from, to, cc, all }: MailEnvelope,
  attachments: readonly string[],
): Pick<
  SourceDocument,
  'semantic_identifier' | 'metadata' | 'primary_owners' | 'secondary_owners' | 'external_access'
> {
  const owner = context.credential?.imap_username ?? ''
  const readers = [...all.flatMap((it) => it.email ?? []), ...(owner.includes('@') ? [owner.toLowerCase()] : [])]
  const formatPeople = (people: readonly MailPerson[]) =>
    people
      .slice(0, MAX_PEOPLE)
      .map((it) => (it.display_name === null ? `${it.email}` : `${it.display_name} <${it.email}>`))
  const lists = {
    from: formatPeople(from),
    to: formatPeople(to),
    cc: formatPeople(cc),
    attachments: attachments.slice(0, MAX_PEOPLE),
  }
  return {
    semantic_identifier: subject === '' ? 'Message without subject' : subject.slice(0, 1_000),
    primary_owners: from.slice(0, MAX_PEOPLE),
    secondary_owners: [...to, ...cc].slice(0, MAX_PEOPLE),
    external_access: {
      is_public: false,
      external_user_emails: [...new Set(readers)].slice(0, 10_000),
      external_user_group_ids: [],
    },
    metadata: {
      mailbox: mailbox.name,
      ...(messageId !== '' && { message_id: messageId.slice(0, 1_000) }),
      ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
    },
  }
}

/** RFC 5322 allows comments in dates; real dates are shorter. */
const MAX_DATE = 200

/** Removes the trailing comment with the time zone's name, which `Date.parse` may not understand. */
export function stripDateComment(date: string): string {
  const text = date.trimEnd()
  if (!text.endsWith(')')) return text
  const start = text.indexOf('(', text.lastIndexOf(')', text.length - 2) + 1)
  return start < 0 ? text : text.slice(0, start).trimEnd()
}

/** The Date header, or the time of arrival if the header is implausible. */
function messageTime(fetched: FetchedMessage, date: string): number | null {
  const receivedAt = Date.parse(textOfValue(fetched.get('INTERNALDATE')))
  const sentAt = Date.parse(stripDateComment(date.slice(0, MAX_DATE)))
  if (Number.isFinite(sentAt) && sentAt > 0 && !(sentAt > receivedAt + DAY_MS)) return sentAt
  return Number.isFinite(receivedAt) ? receivedAt : null
}
