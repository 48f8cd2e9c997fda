// Reads Outlook messages (MS-OXMSG).
import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgReader, { type FieldsData } from '@kenjiuno/msgreader'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { readMarkup } from '../html/html.ts'
import { isoDate } from '../iso-date.ts'
import { encodingOfCodePage } from '../office/code-pages.ts'
import { ReadEnded, type ReaderContext } from '../reader.ts'
import { decodeText, decodeWith } from '../text/decode-text.ts'
import { readAttachments } from './attachments.ts'
import { checkCompoundFile } from './compound-file.ts'

// CommonJS with `__esModule`: the class is the `default` property.
const { default: MsgReader } = msgReader as unknown as { default: typeof msgReader.default }

export async function readMsg(context: ReaderContext): Promise<void> {
  checkCompoundFile(context.bytes)
  const message = new MsgReader(new DataView(new Uint8Array(context.bytes).buffer))
  const fields = message.getFileData()
  if (fields.error !== undefined || fields.dataType !== 'msg')
    throw new ReadEnded('damaged', 'The message is not readable.')
  const author = formatMailbox(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)
  const date = isoDate(fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime)
  context.facts({ kind: 'msg', title: fields.subject ?? null, author: author || null, created: date })
  context.section({ text: headerLines(fields, author, date), heading: fields.subject ?? null })
  writeMsgBody(context, fields)
  await readAttachments(context, attachmentsOf(message, fields))
}

const formatMailbox = (name = '', address = ''): string =>
  name !== '' && address !== '' && name !== address ? `${name} <${address}>` : name || address

function headerLines({ recipients = [] }: FieldsData, from: string, date: string | null): string {
  const namesOf = (type: 'to' | 'cc') =>
    recipients
      .filter((it) => (it.recipType ?? 'to') === type)
      .slice(0, 200)
      .map((it) => formatMailbox(it.name, it.smtpAddress ?? it.email))
      .join(', ')
  const lines = [
    ['From', from],
    ['To', namesOf('to')],
    ['Cc', namesOf('cc')],
    ['Date', date],
  ]
  return lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n')
}

/** Outlook stores the body as plain text, HTML, or RTF that encapsulates one of them. */
function writeMsgBody(context: ReaderContext, { body, bodyHtml, html, compressedRtf }: FieldsData): void {
  const markup = bodyHtml ?? (html === undefined ? undefined : decodeText(Buffer.from(html)))
  if (body?.trim()) context.section({ text: body })
  else if (markup !== undefined) readMarkup(context, markup, { anchorPrefix: null })
  else if (compressedRtf !== undefined) writeRtfBody(context, compressedRtf)
}

function writeRtfBody(context: ReaderContext, compressedRtf: Uint8Array): void {
  const rtf = Buffer.from(decompressRTF([...compressedRtf]))
  const { mode, text } = deEncapsulateSync(rtf, {
    decode: (bytes, page) => decodeWith(encodingOfCodePage(Number(/\d+/.exec(page)?.[0])), bytes),
  })
  if (mode === 'html') readMarkup(context, String(text), { anchorPrefix: null })
  else context.section({ text: String(text) })
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
