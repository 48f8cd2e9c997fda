// Messages of a mail account with what is attached to them. A message never changes: its number is its version.
import { z } from 'zod'
import { DAY_MS } from '../domain/date-time.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, type SourceDocument, SourceError } from './connector.ts'
import { sectionsOf } from './file-sections.ts'
import { type Examined, type Fetched, type ImapClient, type Login, type Mailbox, openImap } from './imap-client.ts'
import { textOf, type Value } from './imap-reader.ts'
import { decodeWords } from './imap-text.ts'
import { textOf as textOfFile } from './read-file.ts'

const Config = z.object({
  host: wireString({ min: 1, max: 500 }).describe('The name of the mail server.'),
  port: nullish(wireInteger({ min: 1, max: 65_535 })).describe('993 if it is not said.'),
  mailboxes: nullish(wireArray(wireString({ min: 1, max: 1_000 }), { max: 10_000 })).describe(
    'Only these, by their full name. None: all but those for junk, for what was deleted, and for copies of everything.',
  ),
  is_encrypted: nullish(wireBoolean()).describe(
    'False for a server that speaks without TLS; the password then crosses the network in the clear.',
  ),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  imap_username: wireString({ min: 1, max: 500 }),
  imap_password: wireString({ min: 1, max: 1_000 }),
})

type MailPull = Pull<Config, Login>

export default connector<Config, Login>({
  sources: ['imap'],
  label: 'Mail (IMAP)',
  description: 'Reads the messages of an account with their attachments; who wrote or received one may read it.',
  config: Config,
  credential: Credential,
  isCredentialOptional: false,
  hasAccess: true,
  check: (pull) =>
    withAccount(pull, async function* () {})
      .next()
      .then(() => {}),
  load: (pull) => withAccount(pull, load),
  listIds: (pull) => withAccount(pull, listIds),
})

interface Account {
  pull: MailPull
  client: ImapClient
  mailboxes: Mailbox[]
}

/** Always signs out, however it ends. */
async function* withAccount<T>(
  pull: MailPull,
  use: (account: Account) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const { config, credential, connect } = pull
  if (credential === null) throw new SourceError('credential', 'Mail needs an account.', { field: 'credential_json' })
  const server = { host: config.host, port: config.port ?? 993, isEncrypted: config.is_encrypted ?? true }
  const client = await openImap(connect, server, credential)
  try {
    yield* use({ pull, client, mailboxes: chosen(await client.list(), config.mailboxes) })
  } finally {
    await client.close()
  }
}

const CLOSED = ['\\noselect', '\\nonexistent']
/** RFC 6154. */
const LEFT_OUT = ['\\junk', '\\trash', '\\all']

function chosen(listed: readonly Mailbox[], names: readonly string[] | null): Mailbox[] {
  const open = listed.filter(({ flags }) => !CLOSED.some((it) => flags.has(it)))
  if (names === null || names.length === 0) {
    return open.filter(({ flags }) => !LEFT_OUT.some((it) => flags.has(it))).toSorted(byPath)
  }
  const wanted = names.map((name) => {
    const mailbox = open.find((it) => keyOf(it.name) === keyOf(name.trim()))
    if (mailbox !== undefined) return mailbox
    const there = open.map((it) => `"${it.name}"`).slice(0, 20)
    const message = `There is no mailbox "${name}". There are ${there.join(', ')}${open.length > 20 ? ' …' : ''}.`
    throw new SourceError('config', message, { field: 'connector_specific_config.mailboxes' })
  })
  return [...new Set(wanted)].sort(byPath)
}

/** That one name is written in any way. */
const keyOf = (name: string): string => (name.toUpperCase() === 'INBOX' ? 'INBOX' : name)
const byPath = (one: Mailbox, other: Mailbox) => (one.path < other.path ? -1 : 1)

/** RFC 5092. */
const prefixOf = ({ config, credential }: MailPull, { path }: Mailbox, uidValidity: string): string => {
  const user = encodeURIComponent(credential?.imap_username ?? '')
  const port = config.port === null || config.port === 993 ? '' : `:${config.port}`
  const name = path.split('/').map(encodeURIComponent).join('/')
  return `imap://${user}@${config.host.toLowerCase()}${port}/${name};UIDVALIDITY=${uidValidity}/;UID=`
}

async function* listIds({ pull, client, mailboxes }: Account): AsyncGenerator<string, void> {
  for (const mailbox of mailboxes) {
    const { uidValidity } = await client.examine(mailbox)
    const prefix = prefixOf(pull, mailbox, uidValidity)
    for (const uid of await client.search(THERE)) yield `${prefix}${uid}`
  }
}

/** What is only to be thrown away is so for whoever looks into the mailbox. */
const THERE = 'UNDELETED'
const BATCH = 20

const Checkpoint = z.object({ path: z.string(), uidValidity: z.string(), uid: z.number() })
type Checkpoint = z.infer<typeof Checkpoint>

async function* load({ pull, client, mailboxes }: Account): AsyncGenerator<Item, void> {
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  for (const mailbox of mailboxes) {
    if (left !== null && mailbox.path < left.path) continue
    const examined = await client.examine(mailbox)
    const box = { pull, client, mailbox, examined, prefix: prefixOf(pull, mailbox, examined.uidValidity) }
    const isLeft = left?.path === mailbox.path && left.uidValidity === examined.uidValidity
    const uids = (await wantedOf(box)).filter((it) => !isLeft || it > left.uid)
    for (let at = 0; at < uids.length; at += BATCH) {
      const batch = uids.slice(at, at + BATCH)
      yield* readAll(box, batch)
      const { uidValidity } = examined
      yield {
        type: 'checkpoint',
        checkpoint: { path: mailbox.path, uidValidity, uid: batch.at(-1)! } satisfies Checkpoint,
      }
    }
  }
}

interface Box {
  pull: MailPull
  client: ImapClient
  mailbox: Mailbox
  examined: Examined
  prefix: string
}

/**
 * Numbers ascend and are read in their order, so below the highest that is known all were looked at; what was brought
 * back since then is told by its change.
 */
async function wantedOf({ pull, client, examined, prefix }: Box): Promise<number[]> {
  const uids = await client.search(THERE)
  const { only, since } = pull
  if (only !== null) return uids.filter((it) => only.includes(`${prefix}${it}`))
  if (since === null) return uids
  for (let at = uids.length - 1; at >= 0; at -= 1) {
    const note = await pull.recall(`${prefix}${uids[at]}`)
    if (note === null) continue
    const fresh = uids.slice(at + 1)
    const isCounted = examined.modSeq !== null && /^\d+$/.test(note)
    if (!isCounted || BigInt(note) === examined.modSeq) return fresh
    const changed = await client.search(`${THERE} UID 1:${uids[at]} MODSEQ ${BigInt(note) + 1n}`)
    return [...changed, ...fresh]
  }
  return uids
}

const MAX_MESSAGE = 50 << 20
const FACTS = 'RFC822.SIZE INTERNALDATE ENVELOPE'

async function* readAll(box: Box, uids: readonly number[]): AsyncGenerator<Item> {
  const { pull, client, examined, prefix } = box
  const unread: number[] = []
  for (const uid of uids) {
    if ((await pull.recall(`${prefix}${uid}`)) === null) unread.push(uid)
    else yield { type: 'unchanged', id: `${prefix}${uid}` }
  }
  const all = await client.fetch(unread, FACTS)
  for (const uid of unread) {
    pull.signal.throwIfAborted()
    const facts = all.get(uid)
    const id = `${prefix}${uid}`
    if (facts === undefined) continue
    const size = Number(facts.get('RFC822.SIZE'))
    if (size > MAX_MESSAGE) {
      yield { type: 'skipped', id, link: id, reason: `It has ${size} bytes; at most ${MAX_MESSAGE} are read.` }
      continue
    }
    const source = (await client.fetch([uid], 'BODY.PEEK[]', MAX_MESSAGE + 1)).get(uid)?.get('BODY[]')
    if (Buffer.isBuffer(source) || typeof source === 'string') {
      yield await itemOf(box, id, facts, Buffer.from(source as string, 'latin1'), `${examined.modSeq ?? 'none'}`)
    }
  }
}

async function itemOf(box: Box, id: string, facts: Fetched, bytes: Buffer, value: string): Promise<Item> {
  try {
    const read = await box.pull.extract({ bytes, name: 'message.eml', mediaType: 'message/rfc822' })
    const mail = textOfFile(read)
    if (mail.kind === 'unread') return { type: 'skipped', id, link: id, reason: mail.reason }
    const envelope = envelopeOf(facts)
    const document = {
      id,
      sections: [...sectionsOf(mail, id), ...mail.unread.map(({ name }) => ({ heading: name, text: '', link: id }))],
      ...describe(
        box,
        envelope,
        read.parts.map((it) => it.name),
      ),
      doc_updated_at: timeOf(facts, envelope.date),
    }
    return { type: 'document', document, note: { key: id, value } }
  } catch (error) {
    box.pull.signal.throwIfAborted()
    const message = `The message could not be read: ${(error as Error).message}`
    return { type: 'failure', document_id: id, link: id, stage: 'extract', message }
  }
}

interface Person {
  display_name: string | null
  email: string | null
}

interface Envelope {
  date: string
  subject: string
  messageId: string
  from: Person[]
  to: Person[]
  cc: Person[]
  /** Who wrote or received it. */
  all: Person[]
}

/** https://www.rfc-editor.org/rfc/rfc3501#page-77 */
function envelopeOf(facts: Fetched): Envelope {
  const envelope = facts.get('ENVELOPE')
  const [date, subject, from, sender, , to, cc, bcc, , messageId] = Array.isArray(envelope) ? envelope : []
  const [froms, tos, ccs] = [peopleOf(from), peopleOf(to), peopleOf(cc)]
  return {
    date: textOf(date),
    subject: decodeWords(textOf(subject)).trim(),
    messageId: textOf(messageId).trim(),
    from: froms,
    to: tos,
    cc: ccs,
    all: [...froms, ...peopleOf(sender), ...tos, ...ccs, ...peopleOf(bcc)],
  }
}

/** Of a group there is a name, and no address. */
const peopleOf = (list: Value | undefined): Person[] =>
  (Array.isArray(list) ? list : []).flatMap((it) => {
    if (!Array.isArray(it)) return []
    const [name, , mailbox, host] = it
    const email = mailbox && host ? `${textOf(mailbox)}@${textOf(host)}`.toLowerCase() : null
    return email === null ? [] : [{ display_name: oneLine(decodeWords(textOf(name))) || null, email: oneLine(email) }]
  })

const oneLine = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, 500)

const MAX_NAMED = 200

function describe(
  { pull, mailbox }: Box,
  { subject, messageId, from, to, cc, all }: Envelope,
  attachments: readonly string[],
): Pick<
  SourceDocument,
  'semantic_identifier' | 'metadata' | 'primary_owners' | 'secondary_owners' | 'external_access'
> {
  const owner = pull.credential?.imap_username ?? ''
  const readers = [...all.flatMap((it) => it.email ?? []), ...(owner.includes('@') ? [owner.toLowerCase()] : [])]
  const named = (people: readonly Person[]) =>
    people
      .slice(0, MAX_NAMED)
      .map((it) => (it.display_name === null ? `${it.email}` : `${it.display_name} <${it.email}>`))
  const lists = { from: named(from), to: named(to), cc: named(cc), attachments: attachments.slice(0, MAX_NAMED) }
  return {
    semantic_identifier: subject === '' ? 'Message without subject' : subject.slice(0, 1_000),
    primary_owners: from.slice(0, MAX_NAMED),
    secondary_owners: [...to, ...cc].slice(0, MAX_NAMED),
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

/** When it was written, as it says; when it came, where that cannot be. */
function timeOf(facts: Fetched, date: string): number | null {
  const came = Date.parse(textOf(facts.get('INTERNALDATE')))
  const written = Date.parse(date.replace(/\s*\([^)]*\)\s*$/, ''))
  if (Number.isFinite(written) && written > 0 && !(written > came + DAY_MS)) return written
  return Number.isFinite(came) ? came : null
}
