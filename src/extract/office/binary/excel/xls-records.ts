// Splits the stream of a workbook into records (MS-XLS 2.1.4).
import { checkDeadline, type ExtractBudget } from '../../../reader.ts'

export interface XlsRecord {
  type: number
  data: Buffer
  /** Long records go on in further ones. */
  continued: Buffer[]
}

const CONTINUE = 0x3c

/** The records from a place on. Ends where a record is cut off. */
export function* readXlsRecords(stream: Buffer, from: number, budget: ExtractBudget): Generator<XlsRecord> {
  let record: XlsRecord | null = null
  let at = from
  while (at + 4 <= stream.length) {
    checkDeadline(budget)
    const type = stream.readUInt16LE(at)
    const length = stream.readUInt16LE(at + 2)
    const data = stream.subarray(at + 4, at + 4 + length)
    at += 4 + length
    if (type === CONTINUE && record !== null) record.continued.push(data)
    else {
      if (record !== null) yield record
      record = { type, data, continued: [] }
    }
  }
  if (record !== null) yield record
}
