// Merges segments into one and drops what was deleted. Runs in steps, so that the thread can do other work in between.

import { DictionaryCursor, smallestCursor } from '../codec/dictionary.ts'
import { ForwardIndexWriter } from '../codec/forward-index.ts'
import { ByteReader } from '../codec/growable-buffer.ts'
import { labelsPerSet } from '../codec/label-sets.ts'
import type { Sections, SegmentMeta } from '../codec/layout.ts'
import { PostingsCursor } from '../codec/postings.ts'
import { storedTextsInBlock } from '../codec/stored-text.ts'
import { mergeVocabularies } from '../codec/vocabulary.ts'
import type { LiveSegment } from './live-segment.ts'
import {
  firstPassageOf,
  forwardStartOf,
  groupKeyBytes,
  hashHighOf,
  hashLowOf,
  languageOfGroup,
  passagesEndOf,
  type Segment,
  timeOfGroup,
} from './segment.ts'
import { SegmentAssembler, type SegmentAssemblerOptions } from './segment-assembler.ts'

export interface MergeOptions extends SegmentAssemblerOptions {
  writeForward: (bytes: Uint8Array) => void
}

export interface MergeResult {
  meta: SegmentMeta
  sections: Sections
  renumbered: RenumberedSegment[]
}

/** A source segment, and the new number of each of its groups, or DELETED. */
export interface RenumberedSegment {
  live: LiveSegment
  newGroups: Uint32Array
}

export const DELETED = 0xffffffff

/** About this many postings or stored bytes are processed before a step ends, which takes a few milliseconds. */
const STEP_SIZE = 400_000

interface MergeSource extends RenumberedSegment {
  segment: Segment
  newPassages: Uint32Array
  newTerms: Uint32Array
}

/** Deletions that arrive after the first step are not seen; the caller applies them to the result. */
export function* mergeSegments(options: MergeOptions, segments: readonly LiveSegment[]): Generator<void, MergeResult> {
  const assembler = new SegmentAssembler(options)
  const sources = segments.map((it) => createMergeSource(it))
  let group = 0
  for (const source of sources) group = mergeGroups(assembler, source, group)
  for (const source of sources) yield* copyStoredText(assembler, source)
  assembler.stored.finish()
  yield* mergeTerms(assembler, sources)
  yield* mergeVocabularies(
    sources.map(({ segment, newTerms }) => ({ vocabulary: segment.vocabulary, newTerms })),
    DELETED,
    assembler.vocabulary,
  )
  yield* mergeForwardIndex(assembler, sources, options.writeForward)
  return { ...assembler.finish(), renumbered: sources }
}

/** Returns the new numbers of the groups that were deleted after the merge had read them. */
export function groupsDeletedSince({ live, newGroups }: RenumberedSegment): number[] {
  const gone: number[] = []
  for (const [group, newGroup] of newGroups.entries()) {
    if (newGroup !== DELETED && live.isDeleted(group)) gone.push(newGroup)
  }
  return gone
}

function createMergeSource(live: LiveSegment): MergeSource {
  const { segment } = live
  const { groups, entries: passages, terms } = segment.meta
  const newGroups = new Uint32Array(groups)
  for (let group = 0; group < groups; group++) if (live.isDeleted(group)) newGroups[group] = DELETED
  return {
    live,
    segment,
    newGroups,
    newPassages: new Uint32Array(passages).fill(DELETED),
    newTerms: new Uint32Array(terms).fill(DELETED),
  }
}

function mergeGroups(
  assembler: SegmentAssembler,
  { segment, newGroups, newPassages }: MergeSource,
  first: number,
): number {
  const dimensions = assembler.labelSets.flatMap((target, at) => {
    const source = segment.labelSets[at]
    if (source === undefined) return []
    return { target, sets: source.sets, newSets: labelsPerSet(source).map((labels) => target.internLabelSet(labels)) }
  })
  let next = first
  for (let group = 0; group < segment.meta.groups; group++) {
    if (newGroups[group] === DELETED) continue
    newGroups[group] = next++
    assembler.startGroup(groupKeyBytes(segment, group), timeOfGroup(segment, group), languageOfGroup(segment, group))
    for (const { target, sets, newSets } of dimensions) target.addGroupWithSet(newSets[sets[group]!]!)
    for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++) {
      newPassages[passage] = assembler.passages
      assembler.addPassage(segment.lengths[passage]!, hashHighOf(segment, passage), hashLowOf(segment, passage))
    }
  }
  return next
}

function* copyStoredText(assembler: SegmentAssembler, { segment, newPassages }: MergeSource): Generator<void> {
  let passage = 0
  let bytes = 0
  for (let block = 0; block < segment.stored.firstPassages.length; block++) {
    for (const text of storedTextsInBlock(segment.stored, block)) {
      if (newPassages[passage++] !== DELETED) assembler.stored.add(text)
      bytes += text.length
    }
    if (bytes < STEP_SIZE) continue
    bytes = 0
    yield
  }
}

function* mergeTerms(assembler: SegmentAssembler, sources: MergeSource[]): Generator<void> {
  const inputs = sources.map((source) => {
    const cursor = new DictionaryCursor(source.segment.terms)
    return { source, cursor, isOpen: cursor.next() }
  })
  const reader = new PostingsCursor()
  const postings = assembler.postings()
  let work = 0
  for (let least = smallestCursor(inputs); least !== undefined; least = smallestCursor(inputs)) {
    const name = Buffer.from(least.bytes())
    let size = 0
    const inputsWithTerm: typeof inputs = []
    for (const it of inputs) {
      if (!it.isOpen || it.cursor.compareTo(name) !== 0) continue
      inputsWithTerm.push(it)
      size += copyPostings(it.source, it.cursor.ordinal, reader, postings)
    }
    if (size > 0) {
      postings.endTerm()
      const ordinal = assembler.addTerm(name)
      for (const { source, cursor } of inputsWithTerm) source.newTerms[cursor.ordinal] = ordinal
    }
    for (const it of inputsWithTerm) it.isOpen = it.cursor.next()
    work += size + 8
    if (work < STEP_SIZE) continue
    work = 0
    yield
  }
}

function copyPostings(
  { segment, newPassages }: MergeSource,
  term: number,
  reader: PostingsCursor,
  target: { add(passage: number, count: number): void },
): number {
  let copied = 0
  reader.open(segment.postings, term)
  for (let block = 0; block < reader.blocks; block++) {
    reader.unpack(block)
    for (let index = 0; index < reader.unpackedCount; index++) {
      const passage = newPassages[reader.passages[index]!]!
      if (passage === DELETED) continue
      target.add(passage, reader.frequencies[index]!)
      copied++
    }
  }
  return copied
}

function* mergeForwardIndex(
  assembler: SegmentAssembler,
  sources: MergeSource[],
  write: (bytes: Uint8Array) => void,
): Generator<void> {
  const forward = new ForwardIndexWriter(assembler.forwardStarts, write)
  for (const source of sources) {
    const { segment } = source
    for (let from = 0; from < segment.meta.groups; ) {
      const until = findReadEnd(segment, from)
      const start = forwardStartOf(segment, from)
      const bytes = segment.readForward(start, forwardStartOf(segment, until) - start)
      for (let group = from; group < until; group++) {
        if (source.newGroups[group] === DELETED) continue
        const reader = new ByteReader(bytes, forwardStartOf(segment, group) - start)
        forward.startGroup()
        for (let passage = firstPassageOf(segment, group); passage < passagesEndOf(segment, group); passage++)
          copyForwardTerms(source, reader, forward)
      }
      from = until
      yield
    }
  }
  forward.finish()
}

/** Groups are read together up to about STEP_SIZE bytes. */
function findReadEnd(segment: Segment, from: number): number {
  const end = forwardStartOf(segment, from) + STEP_SIZE
  let until = from + 1
  while (until < segment.meta.groups && forwardStartOf(segment, until) < end) until++
  return until
}

/** Both numberings follow the byte order of the terms, so ascending ordinals stay ascending. */
function copyForwardTerms({ newTerms }: MergeSource, reader: ByteReader, forward: ForwardIndexWriter): void {
  const terms = new Uint32Array(reader.readVarint())
  for (let at = 0, term = -1; at < terms.length; at++) {
    term += reader.readVarint() + 1
    terms[at] = newTerms[term]!
  }
  forward.addPassage(terms)
}
