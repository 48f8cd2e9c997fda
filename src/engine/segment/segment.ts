// A segment as its readers use it: typed views of shared memory, and the sections that stay on disk.
import { closeSync, openSync, readSync } from 'node:fs'
import type { Language } from '../../text/language.ts'
import { CorruptIndexError } from '../codec/corrupt-index-error.ts'
import type { Dictionary } from '../codec/dictionary.ts'
import { ByteReader } from '../codec/growable-buffer.ts'
import type { LabelSets } from '../codec/label-sets.ts'
import type { DiskSection, SegmentImage, SegmentMeta } from '../codec/layout.ts'
import type { PostingsTable } from '../codec/postings.ts'
import type { StoredText } from '../codec/stored-text.ts'
import { compareBytes, decodeText, fnv1aHash } from '../codec/text-encoding.ts'
import type { Vocabulary } from '../codec/vocabulary.ts'

export interface Segment {
  id: number
  meta: SegmentMeta
  image: SegmentImage
  terms: Dictionary
  vocabulary: Vocabulary
  postings: PostingsTable
  lengths: Uint16Array | Uint32Array
  /** Two 32-bit words per passage; see `content-hash.ts`. */
  contentHashes: Uint32Array
  /** The first passage of each group; the last element is the end. */
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
  const sectionRange = (name: string) => {
    const found = sections[name]
    if (found === undefined) throw new CorruptIndexError(`segment ${image.id} has no section ${name}`)
    return found
  }
  const bytes = (name: string) => Buffer.from(buffer, sectionRange(name).at, sectionRange(name).bytes)
  const uint32s = (name: string) => new Uint32Array(buffer, sectionRange(name).at, sectionRange(name).bytes >>> 2)
  const doubles = (name: string) => new Float64Array(buffer, sectionRange(name).at, sectionRange(name).bytes >>> 3)
  const lengths =
    meta.lengthBytes === 2 ? new Uint16Array(buffer, sectionRange('lengths').at, meta.entries) : uint32s('lengths')
  const disk = openDiskSections(image)
  const bound = sectionRange('blocks.bound')
  return {
    id: image.id,
    meta,
    image,
    terms: { bytes: bytes('terms.bytes'), blocks: uint32s('terms.blocks'), size: meta.terms },
    vocabulary: {
      words: { bytes: bytes('words.bytes'), blocks: uint32s('words.blocks'), size: meta.words },
      terms: uint32s('words.term'),
      isWord: uint32s('words.plain'),
    },
    postings: {
      packed: uint32s('postings.words'),
      passageCounts: uint32s('postings.size'),
      groupCounts: uint32s('postings.groups'),
      starts: uint32s('postings.start'),
      blockLast: uint32s('blocks.last'),
      blockStart: uint32s('blocks.start'),
      blockBound: new Float32Array(buffer, bound.at, bound.bytes >>> 2),
      lengths,
      b: meta.b,
      referenceLength: meta.referenceLength,
    },
    lengths,
    contentHashes: uint32s('marks'),
    groupStarts: uint32s('groups.start'),
    times: doubles('groups.time'),
    languages: bytes('groups.language'),
    keyBytes: bytes('keys.bytes'),
    keyStarts: uint32s('keys.start'),
    keyOrder: uint32s('keys.order'),
    keyHashes: uint32s('keys.hash'),
    labelSets: meta.dimensions.map(({ setCount, labels }, at) => ({
      labels: { bytes: bytes(`labels${at}.bytes`), blocks: uint32s(`labels${at}.blocks`), size: labels },
      starts: uint32s(`labels${at}.start`),
      members: uint32s(`labels${at}.member`),
      sets: uint32s(`labels${at}.set`),
      setCount,
    })),
    stored: {
      firstPassages: uint32s('stored.first'),
      crcs: uint32s('stored.crc'),
      starts: doubles('stored.start'),
      read: (at, length) => disk.read('stored', at, length),
    },
    forwardStarts: uint32s('forward.start'),
    readForward: (at, length) => disk.read('forward', at, length),
    close: disk.close,
  }
}

/** Opens the file at once, because the file may be unlinked while a reader still needs it. */
function openDiskSections({ buffer, disk, path }: SegmentImage) {
  if (path === null) {
    const read = (section: DiskSection, at: number, length: number) =>
      Buffer.from(Buffer.from(buffer, disk[section].at + at, length))
    return { read, close: () => {} }
  }
  const file = openSync(path, 'r')
  const read = (section: DiskSection, at: number, length: number) => {
    const bytes = Buffer.allocUnsafe(length)
    const found = readSync(file, bytes, 0, length, disk[section].at + at)
    if (found !== length) throw new CorruptIndexError(`${path} is truncated`)
    return bytes
  }
  return { read, close: () => closeSync(file) }
}

export const groupKeyBytes = ({ keyBytes, keyStarts }: Segment, group: number): Buffer =>
  keyBytes.subarray(keyStarts[group], keyStarts[group + 1])

export const groupKey = (segment: Segment, group: number): string => decodeText(groupKeyBytes(segment, group))

export const firstPassageOf = ({ groupStarts }: Pick<Segment, 'groupStarts'>, group: number): number =>
  groupStarts[group]!

/** The passage after the last one of the group. */
export const passagesEndOf = (segment: Pick<Segment, 'groupStarts'>, group: number): number =>
  firstPassageOf(segment, group + 1)

/** Epoch milliseconds, or NaN. */
export const timeOfGroup = ({ times }: Segment, group: number): number => times[group]!

/** The first word of the passage's content hash. */
export const hashHighOf = ({ contentHashes }: Pick<Segment, 'contentHashes'>, passage: number): number =>
  contentHashes[passage * 2]!

/** The second word of the passage's content hash. */
export const hashLowOf = ({ contentHashes }: Pick<Segment, 'contentHashes'>, passage: number): number =>
  contentHashes[passage * 2 + 1]!

export const languageOfGroup = ({ meta, languages }: Segment, group: number): Language =>
  meta.languages[languages[group]!]!

/**
 * Returns every group of the key. A key that was replaced may occur in a segment more than once; at most one of these
 * groups is live.
 */
export function* findGroupsByKey(segment: Segment, key: Uint8Array): Generator<number> {
  const { keyHashes, keyOrder } = segment
  const hash = fnv1aHash(key)
  let low = 0
  let high = keyHashes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keyHashes[middle]! < hash) low = middle + 1
    else high = middle
  }
  for (let at = low; keyHashes[at] === hash; at++) {
    const group = keyOrder[at]!
    if (compareBytes(groupKeyBytes(segment, group), key) === 0) yield group
  }
}

/** Where the group's terms start in the forward index. The last group ends where the group after it would start. */
export const forwardStartOf = ({ forwardStarts }: Segment, group: number): number => forwardStarts[group]!

/** Returns the ordinals of the group's terms, passage by passage. */
export function readTermsOfGroup(segment: Segment, group: number): number[] {
  const start = forwardStartOf(segment, group)
  const bytes = segment.readForward(start, forwardStartOf(segment, group + 1) - start)
  const reader = new ByteReader(bytes)
  const terms: number[] = []
  while (reader.offset < bytes.length) {
    const count = reader.readVarint()
    for (let index = 0, term = -1; index < count; index++) {
      term += reader.readVarint() + 1
      terms.push(term)
    }
  }
  return terms
}

/** Returns the group of the passage, searching from the group `from` on. Takes few steps if the group is near. */
export function findGroupFrom({ groupStarts }: Segment, from: number, passage: number): number {
  const last = groupStarts.length - 2
  let low = from
  let step = 1
  while (low + step <= last && groupStarts[low + step]! <= passage) {
    low += step
    step *= 2
  }
  let high = Math.min(last, low + step - 1)
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (groupStarts[middle]! <= passage) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the group of the passage. */
export function findGroupOfPassage({ groupStarts }: Segment, passage: number): number {
  let low = 0
  let high = groupStarts.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (groupStarts[middle]! <= passage) low = middle
    else high = middle - 1
  }
  return low
}
