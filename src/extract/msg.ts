// A message of Outlook (MS-OXMSG).
import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgReader, { type FieldsData } from '@kenjiuno/msgreader'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { checkCompoundFile } from './compound-file.ts'
import { decodeAs, decodeText } from './decode-text.ts'
import { readMarkup } from './html.ts'
import { isoDate } from './iso-date.ts'
import { readParts } from './mail-parts.ts'
import { Ended, type Reading } from './reading.ts'
import { codePage } from './rtf-code-pages.ts'

// A CommonJS module with `__esModule`: its default is the module's property.
const { default: MsgReader } = msgReader as unknown as { default: typeof msgReader.default }

export async function readMsg(reading: Reading): Promise<void> {
  checkCompoundFile(reading.bytes)
  const message = new MsgReader(new DataView(new Uint8Array(reading.bytes).buffer))
  const fields = message.getFileData()
  if (fields.error !== undefined || fields.dataType !== 'msg')
    throw new Ended('damaged', 'This message cannot be read.')
  const author = mailbox(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)
  const date = isoDate(fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime)
  reading.facts({ kind: 'msg', title: fields.subject ?? null, author: author || null, created: date })
  reading.section({ text: headerLines(fields, author, date), heading: fields.subject ?? null })
  writeBody(reading, fields)
  await readParts(reading, attachmentsOf(message, fields))
}

const mailbox = (name = '', address = ''): string =>
  name !== '' && address !== '' && name !== address ? `${name} <${address}>` : name || address

function headerLines({ recipients = [] }: FieldsData, from: string, date: string | null): string {
  const named = (type: 'to' | 'cc') =>
    recipients
      .filter((it) => (it.recipType ?? 'to') === type)
      .slice(0, 200)
      .map((it) => mailbox(it.name, it.smtpAddress ?? it.email))
      .join(', ')
  const lines = [
    ['From', from],
    ['To', named('to')],
    ['Cc', named('cc')],
    ['Date', date],
  ]
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

/** Outlook keeps a body as plain text, as HTML, or as RTF that wraps one of them. */
function writeBody(reading: Reading, { body, bodyHtml, html, compressedRtf }: FieldsData): void {
  const markup = bodyHtml ?? (html === undefined ? undefined : decodeText(Buffer.from(html)))
  if (body?.trim()) reading.section({ text: body })
  else if (markup !== undefined) readMarkup(reading, markup, { anchorPrefix: null })
  else if (compressedRtf !== undefined) writeWrapped(reading, compressedRtf)
}

function writeWrapped(reading: Reading, compressedRtf: Uint8Array): void {
  const rtf = Buffer.from(decompressRTF([...compressedRtf]))
  const { mode, text } = deEncapsulateSync(rtf, {
    decode: (bytes, page) => decodeAs(codePage(Number(/\d+/.exec(page)?.[0])), bytes),
  })
  if (mode === 'html') readMarkup(reading, String(text), { anchorPrefix: null })
  else reading.section({ text: String(text) })
}

function* attachmentsOf(
  message: InstanceType<typeof MsgReader>,
  { attachments = [] }: FieldsData,
): Generator<{ name: string; bytes: Buffer }> {
  for (const [at, attachment] of attachments.entries()) {
    if (attachment.attachmentHidden === true) continue
    const { fileName, content } = message.getAttachment(attachment)
    yield { name: fileName || `attachment-${at + 1}`, bytes: Buffer.from(content) }
  }
}
