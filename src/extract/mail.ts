// A message (RFC 5322 with MIME): who wrote what to whom, and what was attached.
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { readMarkup } from './html.ts'
import { isoDate } from './iso-date.ts'
import { readParts } from './mail-parts.ts'
import { Ended, type Reader, type Reading } from './reading.ts'

const MAX_MIME_DEPTH = 32

export const readMail: Reader = async (reading) => {
  const email = await PostalMime.parse(reading.bytes, {
    maxNestingDepth: MAX_MIME_DEPTH,
    // A forwarded message is a document of its own.
    forceRfc822Attachments: true,
  })
  if (email.headers.length === 0) throw new Ended('damaged', 'This message has no header.')
  const author = names(email.from ? [email.from] : [])
  reading.facts({ kind: 'mail', title: email.subject ?? null, author: author || null, created: isoDate(email.date) })
  reading.section({ text: headerLines(email, author), heading: email.subject ?? null })
  writeBody(reading, email)
  await readParts(reading, email.attachments.filter(isDocument).map(partOf))
}

function headerLines({ to = [], cc = [], date }: Email, from: string): string {
  const lines = [
    ['From', from],
    ['To', names(to)],
    ['Cc', names(cc)],
    ['Date', isoDate(date) ?? ''],
  ]
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

const names = (addresses: readonly Address[]): string =>
  addresses
    .slice(0, 200)
    .map((it) => (it.address === undefined ? it.name : it.name ? `${it.name} <${it.address}>` : it.address))
    .join(', ')

/** Both say the same where both are there; the plain one needs no guessing. */
function writeBody(reading: Reading, { text, html }: Email): void {
  if (text?.trim()) reading.section({ text })
  else if (html) readMarkup(reading, html, { anchorPrefix: null })
}

/** Pictures within the text are part of it, not attached. */
const isDocument = ({ mimeType, related }: Attachment): boolean => !(related === true && mimeType.startsWith('image/'))

const EXTENSIONS: Readonly<Record<string, string>> = { 'message/rfc822': '.eml', 'text/calendar': '.ics' }

function partOf({ filename, mimeType, content }: Attachment, at: number): { name: string; bytes: Buffer } {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer)
  return { name: filename || `attachment-${at + 1}${EXTENSIONS[mimeType] ?? ''}`, bytes }
}
