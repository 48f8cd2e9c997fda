// OLE containers: Outlook messages, encrypted Office documents, and Office files before 2007.
import { readMsg } from '../mail/msg.ts'
import { type FormatReader, ReadEnded } from '../reader.ts'

/** The directory stores stream names as UTF-16. */
const containsStream = (bytes: Buffer, name: string): boolean => bytes.includes(Buffer.from(name, 'utf16le'))

export const readOle: FormatReader = async (context) => {
  const { bytes } = context
  if (containsStream(bytes, 'EncryptedPackage')) throw new ReadEnded('password', 'The document is password-protected.')
  if (containsStream(bytes, '__properties_version1.0')) return readMsg(context)
  const kind = containsStream(bytes, 'WordDocument')
    ? 'doc'
    : containsStream(bytes, 'PowerPoint Document')
      ? 'ppt'
      : containsStream(bytes, 'Workbook')
        ? 'xls'
        : null
  if (kind === null) throw new ReadEnded('unsupported', 'No text can be extracted from this kind of file.')
  context.facts({ kind })
  throw new ReadEnded(
    'unsupported',
    `Office formats before 2007 are not supported. Save the file as ${kind.toUpperCase()}X.`,
  )
}
