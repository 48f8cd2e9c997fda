// Several segments → one without what was deleted. Runs in steps, so that the thread can do other work in between.
import { Assembler, type AssemblerOptions } from './assembler.ts'
import { DictionaryCursor, leastOf } from './dictionary.ts'
import { ForwardWriter } from './forward.ts'
import { ByteReader } from './growing.ts'
import { labelsOfSets } from './label-sets.ts'
import type { Sections, SegmentMeta } from './layout.ts'
import type { LiveSegment } from './live-segment.ts'
import { PostingsCursor } from './postings.ts'
import { keyBytesOf, type Segment } from './segment.ts'
import { textsOfBlock } from './stored-text.ts'
import { mergeVocabularies } from './vocabulary.ts'

export interface MergeOptions extends AssemblerOptions {
  writeForward: (bytes: Uint8Array) => void
}

export interface Merged {
  meta: SegmentMeta
  sections: Sections
  /** Per source, the new number of each of its groups, or GONE. */
  newGroups: Uint32Array[]
}

export const GONE = 0xffffffff

/** Roughly this many postings or stored bytes between two pauses: a few milliseconds of work. */
const STEP = 400_000

interface Source {
  segment: Segment
  newGroups: Uint32Array
  newEntries: Uint32Array
  newTerms: Uint32Array
}

/** Deletions that come in after the first step are not seen: the caller applies them to the result. */
export function* mergeSegments(options: MergeOptions, segments: readonly LiveSegment[]): Generator<void, Merged> {
  const assembler = new Assembler(options)
  const sources = segments.map((it) => sourceOf(it))
  let group = 0
  for (const source of sources) group = addGroups(assembler, source, group)
  for (const source of sources) yield* addStored(assembler, source)
  assembler.stored.finish()
  yield* addTerms(assembler, sources)
  yield* mergeVocabularies(
    sources.map(({ segment, newTerms }) => ({ vocabulary: segment.vocabulary, newTerms })),
    GONE,
    assembler.vocabulary,
  )
  yield* addForward(assembler, sources, options.writeForward)
  return { ...assembler.finish(), newGroups: sources.map((it) => it.newGroups) }
}

function sourceOf(live: LiveSegment): Source {
  const { segment } = live
  const { groups, entries, terms } = segment.meta
  const newGroups = new Uint32Array(groups)
  for (let group = 0; group < groups; group++) if (live.isDeleted(group)) newGroups[group] = GONE
  return {
    segment,
    newGroups,
    newEntries: new Uint32Array(entries).fill(GONE),
    newTerms: new Uint32Array(terms).fill(GONE),
  }
}

function addGroups(assembler: Assembler, { segment, newGroups, newEntries }: Source, first: number): number {
  const { groupStarts, times, languages, lengths, marks, meta, labelSets } = segment
  const newSets = labelSets.map((sets, at) => {
    const labels = labelNames(segment, at)
    return labelsOfSets(sets).map((own) => assembler.labelSets[at]!.setOf(own.map((label) => labels[label]!)))
  })
  let next = first
  for (let group = 0; group < meta.groups; group++) {
    if (newGroups[group] === GONE) continue
    newGroups[group] = next++
    assembler.startGroup(keyBytesOf(segment, group), times[group]!, meta.languages[languages[group]!]!)
    for (const [at, sets] of newSets.entries()) {
      assembler.labelSets[at]!.addGroupOfSet(sets[labelSets[at]!.sets[group]!]!)
    }
    for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++) {
      newEntries[entry] = assembler.entries
      assembler.addEntry(lengths[entry]!, marks[entry * 2]!, marks[entry * 2 + 1]!)
    }
  }
  return next
}

function labelNames({ labelSets }: Segment, dimension: number): string[] {
  const cursor = new DictionaryCursor(labelSets[dimension]!.labels)
  const names: string[] = []
  while (cursor.next()) names.push(cursor.text())
  return names
}

function* addStored(assembler: Assembler, { segment, newEntries }: Source): Generator<void> {
  let entry = 0
  let bytes = 0
  for (let block = 0; block < segment.stored.firstEntries.length; block++) {
    for (const text of textsOfBlock(segment.stored, block)) {
      if (newEntries[entry++] !== GONE) assembler.stored.add(text)
      bytes += text.length
    }
    if (bytes < STEP) continue
    bytes = 0
    yield
  }
}

function* addTerms(assembler: Assembler, sources: Source[]): Generator<void> {
  const cursors = sources.map((it) => new DictionaryCursor(it.segment.terms))
  const open = cursors.map((it) => it.next())
  const reader = new PostingsCursor()
  const postings = assembler.postings()
  let work = 0
  for (let least = leastOf(cursors, open); least !== undefined; least = leastOf(cursors, open)) {
    const name = Buffer.from(least.bytes())
    let size = 0
    const holders: number[] = []
    for (const [at, cursor] of cursors.entries()) {
      if (!open[at] || cursor.compareTo(name) !== 0) continue
      holders.push(at)
      size += copyPostings(sources[at]!, cursor.ordinal, reader, postings)
    }
    if (size > 0) {
      postings.endTerm()
      const ordinal = assembler.addTerm(name)
      for (const at of holders) sources[at]!.newTerms[cursors[at]!.ordinal] = ordinal
    }
    for (const at of holders) open[at] = cursors[at]!.next()
    work += size + 8
    if (work < STEP) continue
    work = 0
    yield
  }
}

function copyPostings(
  { segment, newEntries }: Source,
  term: number,
  reader: PostingsCursor,
  target: { add(entry: number, count: number): void },
): number {
  let copied = 0
  reader.open(segment.postings, term)
  for (let block = 0; block < reader.blocks; block++) {
    reader.unpack(block)
    for (let index = 0; index < reader.filled; index++) {
      const entry = newEntries[reader.entries[index]!]!
      if (entry === GONE) continue
      target.add(entry, reader.counts[index]!)
      copied++
    }
  }
  return copied
}

function* addForward(assembler: Assembler, sources: Source[], write: (bytes: Uint8Array) => void): Generator<void> {
  const forward = new ForwardWriter(assembler.forwardStarts, write)
  for (const source of sources) {
    const { forwardStarts, groupStarts, meta } = source.segment
    for (let from = 0; from < meta.groups; ) {
      const until = pieceEnd(forwardStarts, from)
      const start = forwardStarts[from]!
      const bytes = source.segment.readForward(start, forwardStarts[until]! - start)
      for (let group = from; group < until; group++) {
        if (source.newGroups[group] === GONE) continue
        const reader = new ByteReader(bytes, forwardStarts[group]! - start)
        forward.startGroup()
        for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++)
          copyForward(source, reader, forward)
      }
      from = until
      yield
    }
  }
  forward.finish()
}

/** Groups are read together up to about this size. */
function pieceEnd(starts: Uint32Array, from: number): number {
  let until = from + 1
  while (until < starts.length - 1 && starts[until]! - starts[from]! < STEP) until++
  return until
}

/** Both numberings follow the order of the bytes, so ascending ordinals stay ascending. */
function copyForward({ newTerms }: Source, reader: ByteReader, forward: ForwardWriter): void {
  const terms = new Uint32Array(reader.varint())
  for (let at = 0, term = -1; at < terms.length; at++) {
    term += reader.varint() + 1
    terms[at] = newTerms[term]!
  }
  forward.addEntry(terms)
}
