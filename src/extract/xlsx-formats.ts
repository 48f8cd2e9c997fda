// A date in a sheet is a number; only the cell's format says that it is one.
import { attribute } from './xml-events.ts'
import { xmlOf, type ZipFile } from './zip-file.ts'

export type CellFormat = 'number' | 'percent' | 'date' | 'time' | 'moment'
/** By the number of the cell's style. */
export type CellFormats = readonly CellFormat[]

export async function readCellFormats(zip: ZipFile): Promise<CellFormats> {
  const member = zip.find('xl/styles.xml')
  const formats: CellFormat[] = []
  if (member === undefined) return formats
  const codes = new Map<number, string>()
  let inCells = false
  await xmlOf(member, {
    open(name, attributes) {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0)
      if (name === 'cellXfs') inCells = true
      else if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '')
      else if (name === 'xf' && inCells && formats.length < MAX_STYLES) formats.push(formatOf(id, codes.get(id)))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return formats
}

/** What Excel itself allows. */
const MAX_STYLES = 65_490

/** Built-in formats: ECMA-376 part 1, 18.8.30. */
function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) {
    if (id === 9 || id === 10) return 'percent'
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58)) return 'date'
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 36) || (id >= 45 && id <= 47)) return 'time'
    return id === 22 ? 'moment' : 'number'
  }
  // Quoted words, colours and conditions use the same letters.
  const bare = code.slice(0, 255).replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_./gi, '')
  const hasTime = /[hs]/i.test(bare)
  if (/[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)) return hasTime ? 'moment' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'number'
}

const DAY_MS = 86_400_000
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

export function shownNumber(text: string, format: CellFormat, from1904: boolean): string {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) return text
  if (format === 'percent') return `${shortest(value * 100)}%`
  if (format === 'number') return shortest(value)
  const date = new Date((from1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(value * DAY_MS))
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) return text
  const iso = date.toISOString()
  if (format === 'date') return iso.slice(0, 10)
  return format === 'time' ? iso.slice(11, 19) : iso.slice(0, 19).replace('T', ' ')
}

/** 0.1 + 0.2 is shown as 0.3: fifteen digits are all that a sheet keeps. */
const shortest = (value: number): string => String(Number(value.toPrecision(15)))
