// Reads mail messages (RFC 5322 with MIME).
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { readMarkup } from '../html/html.ts'
import { isoDate } from '../iso-date.ts'
import { type FormatReader, ReadEnded, type ReaderContext } from '../reader.ts'
import { readAttachments } from './attachments.ts'

const MAX_MIME_DEPTH = 32

export const readMail: FormatReader = async (context) => {
  const email = await PostalMime.parse(context.bytes, {
    maxNestingDepth: MAX_MIME_DEPTH,
    // Forwarded messages become parts.
    forceRfc822Attachments: true,
  })
  if (email.headers.length === 0) throw new ReadEnded('damaged', 'The message has no header.')
  const author = formatAddresses(email.from ? [email.from] : [])
  context.facts({ kind: 'mail', title: email.subject ?? null, author: author || null, created: isoDate(email.date) })
  context.section({ text: headerLines(email, author), heading: email.subject ?? null })
  writeMailBody(context, email)
  await readAttachments(context, email.attachments.filter(isDocument).map(toAttachment))
}

function headerLines({ to = [], cc = [], date }: Email, from: string): string {
  const lines = [
    ['From', from],
    ['To', formatAddresses(to)],
    ['Cc', formatAddresses(cc)],
    ['Date', isoDate(date) ?? ''],
  ]
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

const formatAddresses = (addresses: readonly Address[]): string =>
  addresses
    .slice(0, 200)
    .map((it) => (it.address === undefined ? it.name : it.name ? `${it.name} <${it.address}>` : it.address))
    .join(', ')

/** If both bodies exist they have the same content; plain text is simpler. */
function writeMailBody(context: ReaderContext, { text, html }: Email): void {
  if (text?.trim()) context.section({ text })
  else if (html) readMarkup(context, html, { anchorPrefix: null })
}

/** Inline images are not attachments. */
const isDocument = ({ mimeType, related }: Attachment): boolean => !(related === true && mimeType.startsWith('image/'))

const EXTENSIONS: Readonly<Record<string, string>> = { 'message/rfc822': '.eml', 'text/calendar': '.ics' }

function toAttachment({ filename, mimeType, content }: Attachment, at: number): { name: string; bytes: Buffer } {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer)
  return { name: filename || `attachment-${at + 1}${EXTENSIONS[mimeType] ?? ''}`, bytes }
}
