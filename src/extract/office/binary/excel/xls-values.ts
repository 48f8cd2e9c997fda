// Reads the values of cells (MS-XLS 2.4 and 2.5).

/** A number of 30 bits: an integer or the upper half of a float, perhaps in hundredths. */
export function readShortNumber(data: Buffer, at: number): number {
  const bits = data.readInt32LE(at)
  const isHundredth = (bits & 1) !== 0
  const value = (bits & 2) !== 0 ? bits >> 2 : floatOf(bits & ~3)
  return isHundredth ? value / 100 : value
}

function floatOf(upper: number): number {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32LE(upper, 4)
  return bytes.readDoubleLE(0)
}

const ERRORS: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
}

/** A truth value or an error. */
export function readTruthOrError(value: number, isError: boolean): string {
  if (isError) return ERRORS[value] ?? ''
  return value === 1 ? 'TRUE' : 'FALSE'
}

/** The stored result of a formula. `text`: it is in the next record. */
export function readFormulaResult(
  data: Buffer,
  at: number,
): { is: 'number'; value: number } | { is: 'shown'; value: string } | { is: 'text' } {
  if (data.readUInt16LE(at + 6) !== 0xffff) return { is: 'number', value: data.readDoubleLE(at) }
  const kind = data[at] ?? 0
  if (kind === 0) return { is: 'text' }
  if (kind === 1 || kind === 2) return { is: 'shown', value: readTruthOrError(data[at + 2] ?? 0, kind === 2) }
  return { is: 'shown', value: '' }
}
