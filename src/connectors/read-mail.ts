// A message as sections of text, and what is attached to it as parts.
import PostalMime, { type Attachment } from 'postal-mime'
import { type FileText, readFileText } from './read-file.ts'

const MAX_DEPTH = 32

export async function readMail(bytes: Buffer, signal: AbortSignal): Promise<FileText> {
  const email = await PostalMime.parse(bytes, { maxNestingDepth: MAX_DEPTH, forceRfc822Attachments: true })
  if (email.headers.length === 0) return { kind: 'unread', reason: 'This message has no header.' }
  const parts: Extract<FileText, { kind: 'text' }>['parts'] = []
  for (const [at, attachment] of email.attachments.filter(isDocument).entries()) {
    parts.push(...(await partsOf(attachment, at, signal)))
  }
  const sections = await sectionsOf(email.text, email.html, signal)
  return { kind: 'text', title: email.subject ?? null, sections, parts }
}

/** Both say the same where both are there; the plain one needs no guessing. */
async function sectionsOf(text: string | undefined, html: string | undefined, signal: AbortSignal) {
  if (text?.trim()) return [{ heading: null, text: text.trim(), anchor: null }]
  if (html === undefined) return []
  const read = await readFileText(
    Buffer.from(html),
    { name: 'mail.html', mediaType: 'text/html; charset=utf-8' },
    signal,
  )
  return read.kind === 'text' ? read.sections : []
}

/** Pictures within the text are part of it, not attached. */
const isDocument = ({ mimeType, related }: Attachment): boolean => !(related === true && mimeType.startsWith('image/'))

/** One that nothing here reads has its name. */
async function partsOf({ filename, mimeType, content }: Attachment, at: number, signal: AbortSignal) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer)
  const isMail = mimeType === 'message/rfc822'
  const name = filename || `attachment-${at + 1}${isMail ? '.eml' : ''}`
  const read = isMail ? await readMail(bytes, signal) : await readFileText(bytes, { name, mediaType: mimeType }, signal)
  if (read.kind === 'unread') return [{ name, title: null, sections: [] }]
  const { title, sections, parts } = read
  return [{ name, title, sections }, ...parts.map((it) => ({ ...it, name: `${name}/${it.name}` }))]
}
