// A segment as its readers see it: typed views over shared memory, and what stays on disk.
import { closeSync, openSync, readSync } from 'node:fs'
import { DamageError } from './damage.ts'
import type { Dictionary } from './dictionary.ts'
import { ByteReader } from './growing.ts'
import { compareBytes, hashOf, textOfBytes } from './key-text.ts'
import type { LabelSets } from './label-sets.ts'
import type { DiskSection, SegmentImage, SegmentMeta } from './layout.ts'
import type { PostingsTable } from './postings.ts'
import type { StoredText } from './stored-text.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface Segment {
  id: number
  meta: SegmentMeta
  image: SegmentImage
  terms: Dictionary
  vocabulary: Vocabulary
  postings: PostingsTable
  lengths: Uint16Array | Uint32Array
  /** Two words per entry: `marks.ts`. */
  marks: Uint32Array
  /** The first entry of each group, and one more for the end. */
  groupStarts: Uint32Array
  times: Float64Array
  languages: Uint8Array
  keyBytes: Buffer
  keyStarts: Uint32Array
  keyOrder: Uint32Array
  keyHashes: Uint32Array
  labelSets: LabelSets[]
  stored: StoredText
  forwardStarts: Uint32Array
  readForward: (at: number, length: number) => Buffer
  close: () => void
}

export function openSegment(image: SegmentImage): Segment {
  const { meta, buffer, sections } = image
  const place = (name: string) => {
    const found = sections[name]
    if (found === undefined) throw new DamageError(`segment ${image.id} has no section ${name}`)
    return found
  }
  const bytes = (name: string) => Buffer.from(buffer, place(name).at, place(name).bytes)
  const words = (name: string) => new Uint32Array(buffer, place(name).at, place(name).bytes >>> 2)
  const doubles = (name: string) => new Float64Array(buffer, place(name).at, place(name).bytes >>> 3)
  const lengths = meta.lengthBytes === 2 ? new Uint16Array(buffer, place('lengths').at, meta.entries) : words('lengths')
  const disk = openDisk(image)
  const bound = place('blocks.bound')
  return {
    id: image.id,
    meta,
    image,
    terms: { bytes: bytes('terms.bytes'), blocks: words('terms.blocks'), size: meta.terms },
    vocabulary: {
      words: { bytes: bytes('words.bytes'), blocks: words('words.blocks'), size: meta.words },
      terms: words('words.term'),
      isWord: words('words.plain'),
    },
    postings: {
      words: words('postings.words'),
      sizes: words('postings.size'),
      groups: words('postings.groups'),
      starts: words('postings.start'),
      blockLast: words('blocks.last'),
      blockStart: words('blocks.start'),
      blockBound: new Float32Array(buffer, bound.at, bound.bytes >>> 2),
      lengths,
      b: meta.b,
      referenceLength: meta.referenceLength,
    },
    lengths,
    marks: words('marks'),
    groupStarts: words('groups.start'),
    times: doubles('groups.time'),
    languages: bytes('groups.language'),
    keyBytes: bytes('keys.bytes'),
    keyStarts: words('keys.start'),
    keyOrder: words('keys.order'),
    keyHashes: words('keys.hash'),
    labelSets: meta.dimensions.map(({ setCount, labels }, at) => ({
      labels: { bytes: bytes(`labels${at}.bytes`), blocks: words(`labels${at}.blocks`), size: labels },
      starts: words(`labels${at}.start`),
      members: words(`labels${at}.member`),
      sets: words(`labels${at}.set`),
      setCount,
    })),
    stored: {
      firstEntries: words('stored.first'),
      crcs: words('stored.crc'),
      starts: doubles('stored.start'),
      read: (at, length) => disk.read('stored', at, length),
    },
    forwardStarts: words('forward.start'),
    readForward: (at, length) => disk.read('forward', at, length),
    close: disk.close,
  }
}

/** The file is opened at once: it may lose its name while a reader still needs it. */
function openDisk({ buffer, disk, path }: SegmentImage) {
  if (path === null) {
    const read = (section: DiskSection, at: number, length: number) =>
      Buffer.from(Buffer.from(buffer, disk[section].at + at, length))
    return { read, close: () => {} }
  }
  const file = openSync(path, 'r')
  const read = (section: DiskSection, at: number, length: number) => {
    const bytes = Buffer.allocUnsafe(length)
    const found = readSync(file, bytes, 0, length, disk[section].at + at)
    if (found !== length) throw new DamageError(`${path} ends too early`)
    return bytes
  }
  return { read, close: () => closeSync(file) }
}

export const keyBytesOf = ({ keyBytes, keyStarts }: Segment, group: number): Buffer =>
  keyBytes.subarray(keyStarts[group]!, keyStarts[group + 1]!)

export const keyOf = (segment: Segment, group: number): string => textOfBytes(keyBytesOf(segment, group))

/** Every group of the key; a key that was replaced may stand in a segment more than once, at most one of them live. */
export function* groupsOfKey(segment: Segment, key: Uint8Array): Generator<number> {
  const { keyHashes, keyOrder } = segment
  const hash = hashOf(key)
  let low = 0
  let high = keyHashes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keyHashes[middle]! < hash) low = middle + 1
    else high = middle
  }
  for (let at = low; keyHashes[at] === hash; at++) {
    if (compareBytes(keyBytesOf(segment, keyOrder[at]!), key) === 0) yield keyOrder[at]!
  }
}

/** The ordinals of the terms of a group, entry after entry. */
export function termsOfGroup(segment: Segment, group: number): number[] {
  const start = segment.forwardStarts[group]!
  const bytes = segment.readForward(start, segment.forwardStarts[group + 1]! - start)
  const reader = new ByteReader(bytes)
  const terms: number[] = []
  while (reader.at < bytes.length) {
    const count = reader.varint()
    for (let index = 0, term = -1; index < count; index++) {
      term += reader.varint() + 1
      terms.push(term)
    }
  }
  return terms
}

/** The group that holds the entry, which is not before the group `from`. Near ones are found in a few steps. */
export function groupFrom({ groupStarts }: Segment, from: number, entry: number): number {
  const last = groupStarts.length - 2
  let low = from
  let step = 1
  while (low + step <= last && groupStarts[low + step]! <= entry) {
    low += step
    step *= 2
  }
  let high = Math.min(last, low + step - 1)
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (groupStarts[middle]! <= entry) low = middle
    else high = middle - 1
  }
  return low
}

/** The group that holds the entry. */
export function groupOf({ groupStarts }: Segment, entry: number): number {
  let low = 0
  let high = groupStarts.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (groupStarts[middle]! <= entry) low = middle
    else high = middle - 1
  }
  return low
}
