// Splits parts of a presentation into records, which are nested (MS-PPT 2.3.1).
import { ReadEnded } from '../../../reader.ts'

export interface PptRecord {
  type: number
  instance: number
  isContainer: boolean
  data: Buffer
}

const HEADER_BYTES = 8

/** The record at a place; undefined if it is cut off. */
export function readPptRecord(bytes: Buffer, at: number): PptRecord | undefined {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return undefined
  const options = bytes.readUInt16LE(at)
  const length = bytes.readUInt32LE(at + 4)
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: options >> 4,
    isContainer: (options & 0xf) === 0xf,
    data: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length),
  }
}

/** The records in a part, one after another. */
export function* recordsIn(bytes: Buffer): Generator<PptRecord> {
  let at = 0
  for (let record = readPptRecord(bytes, at); record !== undefined; record = readPptRecord(bytes, at)) {
    yield record
    at += HEADER_BYTES + record.data.length
  }
}

const MAX_DEPTH = 100

/** The first record of a type, at any depth. */
export function findRecord(bytes: Buffer, type: number, depth = 0): PptRecord | undefined {
  if (depth > MAX_DEPTH) throw new ReadEnded('limit', 'nesting')
  for (const record of recordsIn(bytes)) {
    if (record.type === type) return record
    const inner = record.isContainer ? findRecord(record.data, type, depth + 1) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}
