// OLE containers: Outlook messages, encrypted Office documents, and Office files before 2007.
import { readMsg } from '../mail/msg.ts'
import { type FormatReader, ReadEnded, type ReaderContext } from '../reader.ts'
import { type CompoundStreams, openCompoundStreams } from './binary/compound-streams.ts'
import { readXls, XLS_STREAMS } from './binary/excel/xls.ts'
import { readPpt } from './binary/powerpoint/ppt.ts'
import { readDoc } from './binary/word/doc.ts'

/** The directory stores stream names as UTF-16. */
const containsStream = (bytes: Buffer, name: string): boolean => bytes.includes(Buffer.from(name, 'utf16le'))

const READERS: readonly [
  streams: readonly string[],
  kind: string,
  reader: (context: ReaderContext, streams: CompoundStreams) => void,
][] = [
  [['WordDocument'], 'doc', readDoc],
  [XLS_STREAMS, 'xls', readXls],
  [['PowerPoint Document'], 'ppt', readPpt],
]

export const readOle: FormatReader = async (context) => {
  const { bytes } = context
  if (containsStream(bytes, 'EncryptedPackage')) throw new ReadEnded('password', 'The document is password-protected.')
  if (containsStream(bytes, '__properties_version1.0')) return readMsg(context)
  const streams = openCompoundStreams(bytes, context.budget)
  for (const [names, kind, reader] of READERS) {
    if (!names.some((it) => streams.has(it))) continue
    context.facts({ kind })
    return reader(context, streams)
  }
  throw new ReadEnded('unsupported', 'No text can be extracted from this kind of file.')
}
