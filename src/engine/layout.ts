// One segment as bytes: which sections it has, and where each lies.

export interface SegmentMeta {
  entries: number
  groups: number
  terms: number
  /** Words that are no terms themselves, once for each term that stands for them. */
  words: number
  totalLength: number
  b: number
  referenceLength: number
  lengthBytes: 2 | 4
  languages: string[]
  dimensions: { name: string; setCount: number; labels: number }[]
}

export interface Place {
  at: number
  bytes: number
}

/** Sections that stay on disk. The others are loaded into memory that threads share. */
export const DISK_SECTIONS = ['stored', 'forward'] as const
export type DiskSection = (typeof DISK_SECTIONS)[number]

/** A segment as one thread sends it to another. */
export interface SegmentImage {
  id: number
  meta: SegmentMeta
  buffer: SharedArrayBuffer
  sections: Record<string, Place>
  disk: Record<DiskSection, Place>
  /** Where the disk sections are; in `buffer` when there is no file yet. */
  path: string | null
}

export type Sections = [name: string, data: Uint8Array | Uint16Array | Uint32Array | Float64Array][]

export interface Laid {
  buffer: SharedArrayBuffer
  sections: Record<string, Place>
}

/** Copies the sections into one shared buffer, each at a multiple of 8. */
export function lay(sections: Sections): Laid {
  let bytes = 0
  const places: Record<string, Place> = {}
  for (const [name, data] of sections) {
    places[name] = { at: bytes, bytes: data.byteLength }
    bytes = aligned(bytes + data.byteLength)
  }
  const buffer = new SharedArrayBuffer(bytes)
  const target = new Uint8Array(buffer)
  for (const [name, data] of sections) {
    target.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), places[name]!.at)
  }
  return { buffer, sections: places }
}

export const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8
