// Formats cell values. Dates are stored as numbers and recognised by the cell's format.

import { parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import { attributeNamed } from '../xml/xml-parser.ts'

export type CellFormat = 'number' | 'percent' | 'date' | 'time' | 'moment'
/** Indexed by the cell's style. */
export type CellFormats = readonly CellFormat[]

export async function readCellFormats(zip: ZipFile): Promise<CellFormats> {
  const member = zip.find('xl/styles.xml')
  const formats: CellFormat[] = []
  if (member === undefined) return formats
  const codes = new Map<number, string>()
  let inCells = false
  await parseXmlMember(member, {
    open(name, attributes) {
      const id = Number(attributeNamed(attributes, 'numFmtId') ?? 0)
      if (name === 'cellXfs') inCells = true
      else if (name === 'numFmt') codes.set(id, attributeNamed(attributes, 'formatCode') ?? '')
      else if (name === 'xf' && inCells && formats.length < MAX_STYLES) formats.push(formatOfStyle(id, codes.get(id)))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return formats
}

/** Excel's own limit. */
export const MAX_STYLES = 65_490

/** Built-in formats: ECMA-376 part 1, 18.8.30. */
export function formatOfStyle(id: number, code: string | undefined): CellFormat {
  if (code === undefined) {
    if (id === 9 || id === 10) return 'percent'
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58)) return 'date'
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 36) || (id >= 45 && id <= 47)) return 'time'
    return id === 22 ? 'moment' : 'number'
  }
  // Removes quoted text, colours and conditions, which may contain the same letters.
  const bare = code.slice(0, 255).replace(/"[^"]*"|\\.|\[(?!h|m|s)[^[\]]*\]|_./gi, '')
  const hasTime = /[hs]/i.test(bare)
  if (/[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)) return hasTime ? 'moment' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'number'
}

const DAY_MS = 86_400_000
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

export function formatNumber(text: string, format: CellFormat, uses1904Dates: boolean): string {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) return text
  if (format === 'percent') return `${toFifteenDigits(value * 100)}%`
  if (format === 'number') return toFifteenDigits(value)
  const date = new Date((uses1904Dates ? EPOCH_1904 : EPOCH_1900) + Math.round(value * DAY_MS))
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) return text
  const iso = date.toISOString()
  if (format === 'date') return iso.slice(0, 10)
  return format === 'time' ? iso.slice(11, 19) : iso.slice(0, 19).replace('T', ' ')
}

/** Spreadsheets keep fifteen digits, so 0.1 + 0.2 is displayed as 0.3. */
const toFifteenDigits = (value: number): string => String(Number(value.toPrecision(15)))
