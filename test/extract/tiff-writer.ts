// Writes TIFF files of several pages, in either byte order.

/** The numbers of each field, all of type LONG. */
export type TiffPage = Readonly<Record<number, readonly number[]>>

export interface TiffSettings {
  isBigEndian?: boolean
  /** Place of the directory that follows the last page; 0 ends the file. */
  next?: number
}

const HEADER_BYTES = 8

/** `data` begins at place 8 of the file, so that fields can point to it. */
export function tiff(
  data: Uint8Array,
  pages: readonly TiffPage[],
  { isBigEndian = false, next = 0 }: TiffSettings = {},
): Buffer {
  const number = (bytes: 2 | 4, value: number) => {
    const buffer = Buffer.alloc(bytes)
    if (isBigEndian) buffer.writeUIntBE(value, 0, bytes)
    else buffer.writeUIntLE(value, 0, bytes)
    return buffer
  }
  let at = HEADER_BYTES + data.length
  const parts: Uint8Array[] = [Buffer.from(isBigEndian ? 'MM\0*' : 'II*\0', 'latin1'), number(4, at), data]
  pages.forEach((page, place) => {
    const fields = Object.entries(page)
    const directoryBytes = 2 + fields.length * 12 + 4
    let outside = at + directoryBytes
    const values: Uint8Array[] = []
    parts.push(number(2, fields.length))
    for (const [tag, numbers] of fields) {
      const value = Buffer.concat(numbers.map((it) => number(4, it)))
      const isInside = value.length <= 4
      parts.push(number(2, Number(tag)), number(2, 4), number(4, numbers.length))
      parts.push(isInside ? value : number(4, outside))
      if (!isInside) {
        values.push(value)
        outside += value.length
      }
    }
    parts.push(number(4, place + 1 < pages.length ? outside : next), ...values)
    at = outside
  })
  return Buffer.concat(parts)
}
