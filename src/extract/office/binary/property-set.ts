// Reads the summary of Office files before 2007 (MS-OLEPS): title, author, dates.
import { isoDate } from '../../iso-date.ts'
import type { ReaderContext } from '../../reader.ts'
import { decodeWith } from '../../text/decode-text.ts'
import { encodingOfCodePage } from '../code-pages.ts'
import type { CompoundStreams } from './compound-streams.ts'

const SUMMARY = '\x05SummaryInformation'
const [CODE_PAGE, TITLE, AUTHOR, CREATED, MODIFIED] = [1, 2, 4, 12, 13]
const [SHORT, TEXT, WIDE_TEXT, TIME] = [0x02, 0x1e, 0x1f, 0x40]
/** Writers store 20 at most. */
const MAX_PROPERTIES = 100
const MAX_PROPERTY = 500

/** Reports nothing if there is no summary, or a broken one: the text of the file counts. */
export function readSummary({ facts }: Pick<ReaderContext, 'facts'>, streams: CompoundStreams): void {
  const bytes = streams.read(SUMMARY)
  if (bytes === undefined || bytes.length < 48) return
  const places = listProperties(bytes)
  const page = places.get(CODE_PAGE)
  const encoding = encodingOfCodePage(
    page !== undefined && bytes.readUInt32LE(page) === SHORT ? bytes.readUInt16LE(page + 4) : 1252,
  )
  const textOf = (id: number) => readText(bytes, places.get(id), encoding)
  facts({
    title: textOf(TITLE),
    author: textOf(AUTHOR),
    created: readTime(bytes, places.get(CREATED)),
    modified: readTime(bytes, places.get(MODIFIED)),
  })
}

/** The places of the values, by the number of the property. Each value has at least 8 bytes. */
function listProperties(bytes: Buffer): Map<number, number> {
  const places = new Map<number, number>()
  const section = bytes.readUInt32LE(44)
  if (section + 8 > bytes.length) return places
  const count = Math.min(bytes.readUInt32LE(section + 4), MAX_PROPERTIES)
  for (let at = section + 8; at + 8 <= bytes.length && at < section + 8 + 8 * count; at += 8) {
    const place = section + bytes.readUInt32LE(at + 4)
    if (place + 8 <= bytes.length) places.set(bytes.readUInt32LE(at), place)
  }
  return places
}

function readText(bytes: Buffer, place: number | undefined, encoding: string): string | null {
  if (place === undefined) return null
  const type = bytes.readUInt32LE(place)
  if (type !== TEXT && type !== WIDE_TEXT) return null
  const length = Math.min(bytes.readUInt32LE(place + 4), MAX_PROPERTY) * (type === TEXT ? 1 : 2)
  const value = bytes.subarray(place + 8, place + 8 + length)
  const text = type === TEXT ? decodeWith(encoding, value) : value.toString('utf16le')
  return text.split('\0', 1)[0]?.trim() || null
}

/** From 100 ns since 1601. */
const MS_TO_1970 = 11_644_473_600_000

function readTime(bytes: Buffer, place: number | undefined): string | null {
  if (place === undefined || bytes.readUInt32LE(place) !== TIME || place + 12 > bytes.length) return null
  const ms = Number(bytes.readBigUInt64LE(place + 4) / 10_000n) - MS_TO_1970
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : isoDate(date.toISOString())
}
