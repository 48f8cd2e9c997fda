// The best groups for some words, over all segments.
import { bitSet, countBits, hasBit, intersect, setBit } from './bits.ts'
import type { Ranking } from './bm25.ts'
import type { Conditions } from './conditions.ts'
import { GroupCounter } from './counter.ts'
import { countLabels, countSpans, type LabelCount, type Span } from './facets.ts'
import { type EngineHit, hitOf } from './hit.ts'
import type { LiveSegment } from './live-segment.ts'
import { entriesOf, type Filter } from './mask.ts'
import { type Among, type Matched, matchedGroups, newest, scoreOfTime, type Word, wordIn } from './matches.ts'
import { PostingsCursor } from './postings.ts'
import { Scan, type ScanWord } from './scan.ts'
import type { Segment } from './segment.ts'
import { type Selected, type Selection, select } from './selection.ts'
import { type Found, TopGroups } from './top-groups.ts'

export interface TextQuery {
  /**
   * The spellings of each word: it is as common as its commonest spelling, and occurs as often as the one most used.
   * Without words everything that may be found is found, with the score 0, the newest first.
   */
  words: readonly (readonly string[])[]
  filter: Filter
  conditions: Conditions
  sort: 'score' | 'time'
  /** Only hits behind this one. Groups without a time come after all others. */
  after?: { score: number; time: number | null; key: string }
  facets: readonly FacetRequest[]
  offset: number
  limit: number
  /** So many of the hits, from the first, come with what is stored of them. */
  texts: number
  /** Matching groups are counted exactly up to this many, or all of them where facets or an order by time need it. */
  countLimit: number
}

/** Counts what matches and passes `filter`, which is the query's, or the query's without what the facet widens. */
export type FacetRequest = { filter: Filter } & ({ dimension: string; size: number } | { spans: readonly Span[] })

export interface FacetCounts {
  labels: LabelCount[]
  /** One for each of the spans. */
  spans: number[]
  isExact: boolean
}

export interface TextResult {
  hits: EngineHit[]
  total: number
  isExact: boolean
  facets: FacetCounts[]
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

/** A query for these segments. */
interface Asked {
  segments: readonly LiveSegment[]
  query: TextQuery
  /** Those that occur, or "all" when the query has none. */
  words: readonly Word[] | 'all'
  averageLength: number
  /** How many groups are looked for, those of earlier pages too. */
  size: number
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
    const asked = askedOf(segments, query)
    const others = query.facets.map((it) => it.filter)
    const selected = select(segments, { ...query, others }, (among, size) => this.#first(asked, among, size))
    if (isByTime(asked) || others.length > 0) return this.#withCounts(asked, selected)
    const counter = new GroupCounter(query.countLimit)
    const top = new TopGroups(asked.size, query.after)
    const hits = hitsOf(this.#best(asked, selected.selections, top, counter), query)
    const { total, isExact } = counter.total()
    return { hits, total, isExact: isExact && selected.isComplete, facets: [] }
  }

  /** Those of which the text is read first. */
  #first(asked: Asked, among: readonly Among[], size: number): Found[] {
    const top = new TopGroups(size)
    return isByTime(asked) ? newest(matchedGroups(asked.words, among), top) : this.#best(asked, among, top)
  }

  /** Finds out everything that matches before it looks for the best. */
  #withCounts(asked: Asked, { selections, isComplete, areOthersComplete }: Selected): TextResult {
    const { query, words } = asked
    const matched = matchedGroups(words, selections)
    const within = (groupsOf: (selection: Selection) => Uint32Array): Matched[] =>
      matched.map(({ live, groups }, at) => ({ live, groups: intersect(groups.slice(), groupsOf(selections[at]!)) }))
    const inside = within((it) => it.groups)
    const found = isByTime(asked)
      ? this.#newest(asked, selections, inside)
      : this.#best(asked, entriesInside(selections, inside), new TopGroups(asked.size, query.after))
    const facets = query.facets.map((facet, at) => {
      const counted = within((it) => it.others[at]!)
      return { ...countsOf(facet, counted), isExact: areOthersComplete }
    })
    const total = inside.reduce((sum, it) => sum + countBits(it.groups), 0)
    return { hits: hitsOf(found, query), total, isExact: isComplete, facets }
  }

  /** The newest groups, each by its best entry. */
  #newest(asked: Asked, selections: readonly Selection[], inside: readonly Matched[]): Found[] {
    const { after } = asked.query
    const place = after && { score: scoreOfTime(after.time), key: after.key }
    const found = newest(inside, new TopGroups(asked.size, place))
    const chosen = entriesInside(selections, onlyThese(inside, found))
    if (asked.words === 'all') return found.map((it) => ({ ...it, score: 0, entry: firstEntry(it, chosen) }))
    const best = new Map<Segment, Map<number, Found>>()
    for (const it of this.#best(asked, chosen, new TopGroups(found.length))) {
      best.set(it.segment, (best.get(it.segment) ?? new Map()).set(it.group, it))
    }
    return found.map(({ segment, group }) => best.get(segment)!.get(group)!)
  }

  /** `among` has one element for each segment, in their order. */
  #best(asked: Asked, among: readonly Among[], top: TopGroups, counter = new GroupCounter(0)): Found[] {
    const { segments, words, averageLength } = asked
    if (words === 'all') throw new RangeError('without words there is no best')
    const context = { ranking: this.#ranking, averageLength, top, counter }
    for (const at of largestFirst(segments)) {
      const { live, entries } = among[at]!
      const scanWords = this.#open(live, words, at)
      if (scanWords.length > 0) this.#scan.run(context, live.segment, entries, scanWords)
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

function askedOf(segments: readonly LiveSegment[], query: TextQuery): Asked {
  const { entries, averageLength } = statisticsOf(segments)
  const words = query.words.map((spellings) => wordIn(segments, spellings, entries)).filter((it) => it !== undefined)
  const size = query.limit === 0 ? 0 : query.offset + query.limit
  return { segments, query, words: query.words.length === 0 ? 'all' : words, averageLength, size }
}

const isByTime = ({ query, words }: Asked): boolean => words === 'all' || query.sort === 'time'

/** The largest segment soon gives a high threshold, which spares work in the others. */
const largestFirst = (segments: readonly LiveSegment[]): number[] =>
  segments.map((_, at) => at).sort((a, b) => segments[b]!.liveEntries - segments[a]!.liveEntries)

const entriesInside = (selections: readonly Among[], inside: readonly Matched[]): Among[] =>
  selections.map(({ live, entries }, at) => ({
    live,
    entries: intersect(entriesOf(live, inside[at]!.groups), entries),
  }))

function onlyThese(matched: readonly Matched[], found: readonly Found[]): Matched[] {
  const groups = new Map(matched.map(({ live }) => [live.segment, bitSet(live.segment.meta.groups)]))
  for (const { segment, group } of found) setBit(groups.get(segment)!, group)
  return matched.map(({ live }) => ({ live, groups: groups.get(live.segment)! }))
}

function firstEntry({ segment, group }: Found, among: readonly Among[]): number {
  const { entries } = among.find((it) => it.live.segment === segment)!
  let entry = segment.groupStarts[group]!
  while (!hasBit(entries, entry)) entry++
  return entry
}

function countsOf(facet: FacetRequest, counted: readonly Matched[]): Omit<FacetCounts, 'isExact'> {
  if ('spans' in facet) return { labels: [], spans: countSpans(counted, facet.spans) }
  return { labels: countLabels(counted, facet.dimension, facet.size), spans: [] }
}

const hitsOf = (found: readonly Found[], { offset, limit, texts }: TextQuery): EngineHit[] =>
  found.slice(offset, offset + limit).map((it, at) => hitOf(it, at < texts))
