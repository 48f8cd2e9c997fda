// The container of Outlook's messages, of Office documents that are locked, and of Office before 2007.
import { readMsg } from './msg.ts'
import { Ended, type Reader } from './reading.ts'

/** Names of streams stand in the directory as UTF-16. */
const has = (bytes: Buffer, name: string): boolean => bytes.includes(Buffer.from(name, 'utf16le'))

export const readOle: Reader = async (reading) => {
  const { bytes } = reading
  if (has(bytes, 'EncryptedPackage')) throw new Ended('password', 'The document opens with a password only.')
  if (has(bytes, '__properties_version1.0')) return readMsg(reading)
  const kind = has(bytes, 'WordDocument')
    ? 'doc'
    : has(bytes, 'PowerPoint Document')
      ? 'ppt'
      : has(bytes, 'Workbook')
        ? 'xls'
        : null
  if (kind === null) throw new Ended('unsupported', 'No text is known in this kind of file.')
  reading.facts({ kind })
  throw new Ended('unsupported', `Office before 2007 is not read; save it as ${kind.toUpperCase()}X.`)
}
