// The layout of a segment in bytes: its sections and where each of them starts. The names in `SegmentMeta` are part of
// the file format; `entries` counts the passages.
import type { Language } from '../../text/language.ts'

export interface SegmentMeta {
  entries: number
  groups: number
  terms: number
  /** The number of words that are not terms themselves, counted once for each term that stands for them. */
  words: number
  totalLength: number
  b: number
  referenceLength: number
  lengthBytes: 2 | 4
  languages: Language[]
  dimensions: { name: string; setCount: number; labels: number }[]
}

export interface ByteRange {
  at: number
  bytes: number
}

/** Sections that stay on disk. All others are loaded into shared memory. */
export const DISK_SECTIONS = ['stored', 'forward'] as const
export type DiskSection = (typeof DISK_SECTIONS)[number]

/** A segment in the form in which one thread sends it to another. */
export interface SegmentImage {
  id: number
  meta: SegmentMeta
  buffer: SharedArrayBuffer
  sections: Record<string, ByteRange>
  disk: Record<DiskSection, ByteRange>
  /** The file with the disk sections, or null while they are still in `buffer`. */
  path: string | null
}

/** A segment whose disk sections are in a file. */
export interface StoredSegmentImage extends SegmentImage {
  path: string
}

export type Sections = [name: string, data: Uint8Array | Uint16Array | Uint32Array | Float64Array][]

export type LaidOutSections = Pick<SegmentImage, 'buffer' | 'sections'>

/** Copies the sections into one shared buffer. Each section starts at a multiple of 8. */
export function layOutSections(sections: Sections): LaidOutSections {
  let bytes = 0
  const placed = sections.map(([name, data]) => {
    const range: ByteRange = { at: bytes, bytes: data.byteLength }
    bytes = alignTo8(bytes + data.byteLength)
    return { name, data, range }
  })
  const buffer = new SharedArrayBuffer(bytes)
  const target = new Uint8Array(buffer)
  for (const { data, range } of placed) {
    target.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), range.at)
  }
  return { buffer, sections: Object.fromEntries(placed.map(({ name, range }) => [name, range])) }
}

/** Lays out a segment that stays in memory with its disk sections. */
export function layOutInMemory(
  sections: Sections,
  disk: Record<DiskSection, Uint8Array>,
): LaidOutSections & Pick<SegmentImage, 'disk' | 'path'> {
  const laidOut = layOutSections([...sections, ['stored', disk.stored], ['forward', disk.forward]])
  const { stored, forward } = laidOut.sections
  if (stored === undefined || forward === undefined) throw new RangeError('a section was not laid out')
  return { ...laidOut, disk: { stored, forward }, path: null }
}

export const alignTo8 = (bytes: number): number => Math.ceil(bytes / 8) * 8
