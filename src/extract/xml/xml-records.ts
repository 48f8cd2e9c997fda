// Reads XML lists such as sitemaps and bucket listings. The caller interprets the records.
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { limitUnpacked } from '../archive/zip-file.ts'
import { checkDeadline, type FormatReader, ReadEnded, type ReaderContext } from '../reader.ts'
import { decodeText } from '../text/decode-text.ts'

/** Lists are flat, and parsing takes time quadratic in the depth. */
const MAX_NESTING = 100
const CHUNK_LENGTH = 1 << 16

/**
 * Writes a section for each child of the root. Its heading is the element's name, its text is JSON: the element's text,
 * or an object with the texts of its children. The first section is the root with `"open"`. If the document is
 * complete, the last section is the root with `"whole"`.
 */
export const readXmlRecords: FormatReader = async (context) => {
  const source = decodeText(await gunzipIfPacked(context), [context.charset])
  const parser = createRecordParser(context)
  for (let at = 0; at < source.length; at += CHUNK_LENGTH) {
    checkDeadline(context.budget)
    parser.write(source.slice(at, at + CHUNK_LENGTH))
  }
  parser.end()
}

async function gunzipIfPacked({ bytes, budget }: ReaderContext): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const chunks: Buffer[] = []
  const unpacking = Readable.from([bytes]).pipe(createGunzip())
  for await (const piece of limitUnpacked(unpacking, bytes.length, budget)) chunks.push(piece)
  return Buffer.concat(chunks)
}

function createRecordParser(context: ReaderContext): Parser {
  const path: string[] = []
  let fields = new Map<string, string>()
  let text = ''
  const emit = (heading: string, value: unknown) => context.section({ heading, text: JSON.stringify(value) })
  return new Parser(
    {
      onopentag(name) {
        if (path.length === MAX_NESTING) throw new ReadEnded('limit', 'nesting')
        if (path.push(name) === 1) emit(name, 'open')
        if (path.length === 2) fields = new Map()
        text = ''
      },
      ontext(piece) {
        text += piece
      },
      onclosetag(name, isImplied) {
        path.pop()
        if (isImplied) return
        if (path.length === 2 && !fields.has(name)) fields.set(name, text)
        if (path.length === 1) emit(name, fields.size > 0 ? Object.fromEntries(fields) : text)
        if (path.length === 0) emit(name, 'whole')
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
}
