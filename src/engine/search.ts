// The best groups for some words, over all segments.
import { idf, type Ranking } from './bm25.ts'
import { GroupCounter } from './counter.ts'
import { findTerm } from './dictionary.ts'
import { bytesOfText } from './key-text.ts'
import type { LiveSegment } from './live-segment.ts'
import { type Filter, maskOf } from './mask.ts'
import { PostingsCursor } from './postings.ts'
import { Scan, type ScanWord } from './scan.ts'
import { keyOf } from './segment.ts'
import { storedText } from './stored-text.ts'
import { type Found, TopGroups } from './top-groups.ts'

export interface TextQuery {
  /** The spellings of each word: it is as common as its commonest spelling, and occurs as often as the one most used. */
  words: readonly (readonly string[])[]
  filter: Filter
  offset: number
  limit: number
  /** Matching groups are counted exactly up to this many. */
  countLimit: number
}

export interface TextHit {
  key: string
  score: number
  stored: string
}

export interface TextResult {
  hits: TextHit[]
  total: number
  isExact: boolean
}

export interface Statistics {
  entries: number
  averageLength: number
}

export function statisticsOf(segments: readonly LiveSegment[]): Statistics {
  let entries = 0
  let length = 0
  for (const it of segments) {
    entries += it.liveEntries
    length += it.liveLength
  }
  return { entries, averageLength: length / entries }
}

/** Keeps its arrays from one search to the next; one search at a time. */
export class TextSearch {
  readonly #ranking: Ranking
  readonly #scan = new Scan()
  readonly #cursors: PostingsCursor[] = []

  constructor(ranking: Ranking) {
    this.#ranking = ranking
  }

  search(segments: readonly LiveSegment[], query: TextQuery): TextResult {
    const counter = new GroupCounter(query.countLimit)
    const found = this.#find(segments, query, counter)
    const hits = found.slice(query.offset, query.offset + query.limit).map(hitOf)
    return { hits, ...counter.total() }
  }

  #find(segments: readonly LiveSegment[], query: TextQuery, counter: GroupCounter): Found[] {
    const { entries, averageLength } = statisticsOf(segments)
    const words = query.words.map((spellings) => wordIn(segments, spellings, entries)).filter((it) => it !== undefined)
    if (words.length === 0) return []
    const top = new TopGroups(query.limit === 0 ? 0 : query.offset + query.limit)
    const context = { ranking: this.#ranking, averageLength, top, counter }
    for (const at of largestFirst(segments)) {
      const live = segments[at]!
      const scanWords = this.#open(live, words, at)
      if (scanWords.length > 0) this.#scan.run(context, live.segment, maskOf(live, query.filter), scanWords)
    }
    return top.finish()
  }

  #open(live: LiveSegment, words: readonly Word[], at: number): ScanWord[] {
    let used = 0
    const cursorOf = (term: number) => {
      if (used === this.#cursors.length) this.#cursors.push(new PostingsCursor())
      const cursor = this.#cursors[used++]!
      cursor.open(live.segment.postings, term)
      return cursor
    }
    return words
      .map(({ weight, terms }) => ({ weight, cursors: terms[at]!.map(cursorOf) }))
      .filter((it) => it.cursors.length > 0)
  }
}

interface Word {
  weight: number
  /** Per segment, the ordinals of the spellings that occur in it. */
  terms: number[][]
}

function wordIn(segments: readonly LiveSegment[], spellings: readonly string[], entries: number): Word | undefined {
  const terms: number[][] = segments.map(() => [])
  let most = 0
  for (const spelling of new Set(spellings)) {
    const bytes = bytesOfText(spelling)
    let found = 0
    for (const [at, live] of segments.entries()) {
      const term = findTerm(live.segment.terms, bytes)
      if (term < 0) continue
      found += live.entriesWith(term)
      terms[at]!.push(term)
    }
    most = Math.max(most, found)
  }
  return most === 0 ? undefined : { weight: idf(entries, most), terms }
}

/** The largest segment soon gives a high threshold, which spares work in the others. */
const largestFirst = (segments: readonly LiveSegment[]): number[] =>
  segments.map((_, at) => at).sort((a, b) => segments[b]!.liveEntries - segments[a]!.liveEntries)

const hitOf = ({ segment, group, entry, score }: Found): TextHit => ({
  key: keyOf(segment, group),
  score,
  stored: storedText(segment.stored, entry),
})
