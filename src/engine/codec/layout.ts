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

export type Sections = [name: string, data: Uint8Array | Uint16Array | Uint32Array | Float64Array][]

export interface LaidOutSections {
  buffer: SharedArrayBuffer
  sections: Record<string, ByteRange>
}

/** Copies the sections into one shared buffer. Each section starts at a multiple of 8. */
export function layOutSections(sections: Sections): LaidOutSections {
  let bytes = 0
  const ranges: Record<string, ByteRange> = {}
  for (const [name, data] of sections) {
    ranges[name] = { at: bytes, bytes: data.byteLength }
    bytes = alignTo8(bytes + data.byteLength)
  }
  const buffer = new SharedArrayBuffer(bytes)
  const target = new Uint8Array(buffer)
  for (const [name, data] of sections) {
    target.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), ranges[name]!.at)
  }
  return { buffer, sections: ranges }
}

export const alignTo8 = (bytes: number): number => Math.ceil(bytes / 8) * 8
