// Reads the fields of TIFF directories. The EXIF data of a JPEG is such a directory.

export interface TiffFields {
  /** The first numbers of a field. Empty if it is missing or not readable. */
  numbers(tag: number, limit?: number): number[]
  /** The bytes of a field. Null if it is missing. */
  bytes(tag: number): Buffer | null
}

/** Files may have more; the rest is not read. */
export const MAX_DIRECTORIES = 10_000
const MAX_FIELDS = 1_000
const MAX_NUMBERS = 50_000

/** Size in bytes by the number of the type: BYTE, ASCII, SHORT, LONG, and UNDEFINED. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 7: 1 }

interface Field {
  type: number
  count: number
  /** Place of the value. */
  at: number
}

/** Takes linear time. A directory that refers to an earlier one ends the list. */
export function readDirectories(file: Buffer, limit: number): TiffFields[] {
  const isLittle = file.toString('latin1', 0, 4) === 'II*\0'
  if (!isLittle && file.toString('latin1', 0, 4) !== 'MM\0*') return []
  const short = (at: number) => (at + 2 > file.length ? 0 : isLittle ? file.readUInt16LE(at) : file.readUInt16BE(at))
  const long = (at: number) => (at + 4 > file.length ? 0 : isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at))
  const directories: TiffFields[] = []
  const seen = new Set<number>()
  for (let at = long(4); at > 0 && at < file.length && !seen.has(at) && directories.length < limit; ) {
    seen.add(at)
    const count = short(at)
    directories.push(createFields(file, { at: at + 2, count: Math.min(count, MAX_FIELDS) }, { short, long }))
    at = long(at + 2 + count * 12)
  }
  return directories
}

function createFields(
  file: Buffer,
  { at: begin, count: fieldCount }: { at: number; count: number },
  { short, long }: { short: (at: number) => number; long: (at: number) => number },
): TiffFields {
  /** Looked up when needed: a file may list many directories. */
  const find = (tag: number): Field | null => {
    for (let number = 0, at = begin; number < fieldCount; number++, at += 12) {
      if (short(at) !== tag) continue
      const [type, count] = [short(at + 2), long(at + 4)]
      return { type, count, at: count * (TYPE_BYTES[type] ?? 8) <= 4 ? at + 8 : long(at + 8) }
    }
    return null
  }
  return {
    numbers(tag, limit = MAX_NUMBERS) {
      const field = find(tag)
      const bytes = TYPE_BYTES[field?.type ?? 0]
      if (field === null || bytes === undefined) return []
      const { at } = field
      const count = Math.min(field.count, limit, Math.max(0, Math.floor((file.length - at) / bytes)))
      const read = { 1: (place: number) => file[place] ?? 0, 2: short, 4: long }[bytes] ?? short
      return Array.from({ length: count }, (_, number) => read(at + number * bytes))
    },
    bytes(tag) {
      const field = find(tag)
      if (field === null) return null
      return file.subarray(field.at, field.at + field.count * (TYPE_BYTES[field.type] ?? 1))
    },
  }
}
