// Splits a part of a binary workbook into records (MS-XLSB 2.1.4), and reads their strings.
import { checkDeadline, type ExtractBudget } from '../../../reader.ts'

export interface XlsbRecord {
  type: number
  data: Buffer
}

/** The type takes up to two bytes of 7 bits, the length up to four. */
const [TYPE_BYTES, LENGTH_BYTES] = [2, 4]
/** Most records are cells of a few bytes. */
const RECORDS_BETWEEN_CLOCKS = 1_024

/** Ends where a record is cut off. */
export function* readXlsbRecords(stream: Buffer, budget: ExtractBudget): Generator<XlsbRecord> {
  let at = 0
  let seen = 0
  const number = (maxBytes: number): number => {
    let value = 0
    for (let shift = 0; shift < maxBytes; shift++) {
      const byte = stream[at++] ?? 0
      value += (byte & 0x7f) * 128 ** shift
      if (byte < 0x80) break
    }
    return value
  }
  while (at < stream.length) {
    if (seen++ % RECORDS_BETWEEN_CLOCKS === 0) checkDeadline(budget)
    const type = number(TYPE_BYTES)
    const length = number(LENGTH_BYTES)
    if (at + length > stream.length) return
    yield { type, data: stream.subarray(at, at + length) }
    at += length
  }
}

/** A missing string. */
const NULL_LENGTH = 0xffffffff

/** The string at a place (MS-XLSB 2.5.168), and the place behind it. A string that is cut off is read as far as it goes. */
export function readWideString(data: Buffer, at: number): { text: string; end: number } {
  if (at + 4 > data.length) return { text: '', end: data.length }
  const length = data.readUInt32LE(at)
  if (length === NULL_LENGTH) return { text: '', end: at + 4 }
  const end = Math.min(at + 4 + 2 * length, data.length)
  return { text: data.toString('utf16le', at + 4, end), end }
}

/** A text with formats (MS-XLSB 2.5.121) begins with a byte of flags; formats and phonetic readings follow it. */
export const readRichString = (data: Buffer, at: number): string => readWideString(data, at + 1).text
