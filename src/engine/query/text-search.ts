// Text search over all segments: the best groups for some words, totals and facets.
import { countBits, createBitSet, hasBit, intersectInto, setBit } from '../codec/bits.ts'
import { PostingsCursor } from '../codec/postings.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import { firstPassageOf, type Segment } from '../segment/segment.ts'
import type { Bm25Parameters } from './bm25.ts'
import type { Conditions } from './conditions.ts'
import { countLabels, countTimeRanges, type LabelCount, type TimeRange } from './facets.ts'
import { type Filter, passagesOfGroups } from './filter-mask.ts'
import { GroupCounter } from './group-counter.ts'
import { createEngineHit, type EngineHit } from './hit.ts'
import { MaxScoreScorer, type ScorerWord } from './max-score-scorer.ts'
import { type SegmentSelection, type SelectionResult, selectPassages } from './selection.ts'
import { type ScoredGroup, TopGroupsCollector } from './top-groups-collector.ts'
import {
  collectNewest,
  findMatchingGroups,
  type GroupSet,
  type PassageSet,
  type ResolvedWord,
  resolveWord,
  timeScore,
} from './word-matches.ts'

export interface TextQuery {
  /**
   * The spellings of each word. A word is as common as its most common spelling and as frequent as its most frequent
   * one. Without words, everything that passes the filter is found, with score 0, newest first.
   */
  words: readonly (readonly string[])[]
  filter: Filter
  conditions: Conditions
  sort: 'score' | 'time'
  /** Returns only hits after this one. Groups without a time come last. */
  after?: { score: number; time: number | null; key: string }
  facets: readonly FacetRequest[]
  offset: number
  limit: number
  /** The number of leading hits that are returned with their stored text. */
  texts: number
  /**
   * Matching groups are counted exactly up to this many. With facets or sorting by time they are always counted
   * exactly.
   */
  countLimit: number
}

/**
 * Counts the groups that match and pass `filter`: the filter of the query, or the same without the part that belongs to
 * the facet.
 */
export type FacetRequest = { filter: Filter } & ({ dimension: string; size: number } | { spans: readonly TimeRange[] })

export interface FacetCounts {
  labels: LabelCount[]
  /** One count per range. */
  spans: number[]
  isExact: boolean
}

export interface TextResult {
  hits: EngineHit[]
  total: number
  isExact: boolean
  facets: FacetCounts[]
}

export interface CollectionStatistics {
  passages: number
  averageLength: number
}

export function collectionStatistics(segments: readonly LiveSegment[]): CollectionStatistics {
  let passages = 0
  let length = 0
  for (const it of segments) {
    passages += it.livePassages
    length += it.liveLength
  }
  return { passages, averageLength: length / passages }
}

/** A query with what the segments say about its words. */
interface QueryContext {
  query: TextQuery
  /** The words that occur in the index, or "all" if the query has no words. */
  words: readonly ResolvedWord[] | 'all'
  averageLength: number
  /** The number of groups to find, including those of previous pages. */
  size: number
}

/** Reuses its buffers, so an instance runs one search at a time. */
export class TextSearch {
  readonly #parameters: Bm25Parameters
  readonly #scorer = new MaxScoreScorer()
  readonly #cursors: PostingsCursor[] = []

  constructor(ranking: Bm25Parameters) {
    this.#parameters = ranking
  }

  search(segments: readonly LiveSegment[], query: TextQuery): TextResult {
    const context = createQueryContext(segments, query)
    const otherFilters = query.facets.map((it) => it.filter)
    const selected = selectPassages(segments, { ...query, otherFilters }, (passageSets, size) =>
      this.#rankCandidates(context, passageSets, size),
    )
    if (isSortedByTime(context) || otherFilters.length > 0) return this.#searchWithCounts(context, selected)
    const counter = new GroupCounter(query.countLimit)
    const collector = new TopGroupsCollector(context.size, query.after)
    const hits = createHits(this.#topByScore(context, selected.selections, collector, counter), query)
    const { total, isExact } = counter.total()
    return { hits, total, isExact: isExact && selected.isComplete, facets: [] }
  }

  /** Ranks the candidates whose text is read first. */
  #rankCandidates(context: QueryContext, passageSets: readonly PassageSet[], size: number): ScoredGroup[] {
    const collector = new TopGroupsCollector(size)
    if (!isSortedByTime(context)) return this.#topByScore(context, passageSets, collector)
    const matching = passageSets.map((it) => ({ live: it.live, groups: findMatchingGroups(context.words, it) }))
    return collectNewest(matching, collector)
  }

  /** Collects everything that matches before it ranks. */
  #searchWithCounts(context: QueryContext, { selections, isComplete, areOthersComplete }: SelectionResult): TextResult {
    const { query, words } = context
    const matched = selections.map((selection) => ({ selection, groups: findMatchingGroups(words, selection) }))
    const within = (groupsOf: (selection: SegmentSelection) => Uint32Array): SelectedGroups[] =>
      matched.map(({ selection, groups }) => ({
        live: selection.live,
        passages: selection.passages,
        groups: intersectInto(groups.slice(), groupsOf(selection)),
      }))
    const matchingGroups = within((it) => it.groups)
    const found = isSortedByTime(context)
      ? this.#topByTime(context, matchingGroups)
      : this.#topByScore(context, passagesInside(matchingGroups), new TopGroupsCollector(context.size, query.after))
    const facets = query.facets.map((facet, at) => {
      const counted = within((it) => it.otherGroups[at]!)
      return { ...countFacet(facet, counted), isExact: areOthersComplete }
    })
    const total = matchingGroups.reduce((sum, it) => sum + countBits(it.groups), 0)
    return { hits: createHits(found, query), total, isExact: isComplete, facets }
  }

  /** Returns the newest groups, each with its best passage. */
  #topByTime(context: QueryContext, matchingGroups: readonly SelectedGroups[]): ScoredGroup[] {
    const { after } = context.query
    const searchAfter = after && { score: timeScore(after.time), key: after.key }
    const found = collectNewest(matchingGroups, new TopGroupsCollector(context.size, searchAfter))
    const chosen = passagesInside(onlyGroups(matchingGroups, found))
    if (context.words === 'all') {
      const passagesOf = new Map(chosen.map((it) => [it.live.segment, it.passages]))
      return found.flatMap((it) => {
        const passages = passagesOf.get(it.segment)
        return passages === undefined ? [] : { ...it, score: 0, passage: firstPassage(it, passages) }
      })
    }
    const best = new Map<Segment, Map<number, ScoredGroup>>()
    for (const it of this.#topByScore(context, chosen, new TopGroupsCollector(found.length))) {
      best.set(it.segment, (best.get(it.segment) ?? new Map()).set(it.group, it))
    }
    return found.flatMap(({ segment, group }) => best.get(segment)?.get(group) ?? [])
  }

  #topByScore(
    context: QueryContext,
    passageSets: readonly PassageSet[],
    collector: TopGroupsCollector,
    counter = new GroupCounter(0),
  ): ScoredGroup[] {
    const { words, averageLength } = context
    if (words === 'all') throw new RangeError('a query without words cannot be sorted by score')
    const scorerContext = { ranking: this.#parameters, averageLength, collector, counter }
    for (const { live, passages } of largestFirst(passageSets)) {
      const scanWords = this.#openCursors(live, words)
      if (scanWords.length > 0) this.#scorer.run(scorerContext, live.segment, passages, scanWords)
    }
    return collector.finish()
  }

  #openCursors(live: LiveSegment, words: readonly ResolvedWord[]): ScorerWord[] {
    let used = 0
    const cursorOf = (term: number) => {
      const cursor = this.#cursors[used] ?? new PostingsCursor()
      this.#cursors[used++] = cursor
      cursor.open(live.segment.postings, term)
      return cursor
    }
    return words.flatMap(({ weight, terms }) => {
      const own = terms.get(live)
      return own === undefined ? [] : [{ weight, cursors: own.map(cursorOf) }]
    })
  }
}

function createQueryContext(segments: readonly LiveSegment[], query: TextQuery): QueryContext {
  const { passages, averageLength } = collectionStatistics(segments)
  const words = query.words
    .map((spellings) => resolveWord(segments, spellings, passages))
    .filter((it) => it !== undefined)
  const size = query.limit === 0 ? 0 : query.offset + query.limit
  return { query, words: query.words.length === 0 ? 'all' : words, averageLength, size }
}

const isSortedByTime = ({ query, words }: QueryContext): boolean => words === 'all' || query.sort === 'time'

/** The largest segment soon gives a high threshold, which saves work in the others. */
const largestFirst = (passageSets: readonly PassageSet[]): PassageSet[] =>
  passageSets.toSorted((a, b) => b.live.livePassages - a.live.livePassages)

/** Groups of one segment, and the passages that may be found there. */
type SelectedGroups = GroupSet & PassageSet

const passagesInside = (selected: readonly SelectedGroups[]): PassageSet[] =>
  selected.map(({ live, passages, groups }) => ({
    live,
    passages: intersectInto(passagesOfGroups(live, groups), passages),
  }))

function onlyGroups(selected: readonly SelectedGroups[], found: readonly ScoredGroup[]): SelectedGroups[] {
  const bySegment = Map.groupBy(found, (it) => it.segment)
  return selected.map(({ live, passages }) => {
    const groups = createBitSet(live.segment.meta.groups)
    for (const { group } of bySegment.get(live.segment) ?? []) setBit(groups, group)
    return { live, passages, groups }
  })
}

/** Returns the first of these passages that belongs to the group. */
function firstPassage({ segment, group }: ScoredGroup, passages: Uint32Array): number {
  let passage = firstPassageOf(segment, group)
  while (!hasBit(passages, passage)) passage++
  return passage
}

function countFacet(facet: FacetRequest, counted: readonly GroupSet[]): Omit<FacetCounts, 'isExact'> {
  if ('spans' in facet) return { labels: [], spans: countTimeRanges(counted, facet.spans) }
  return { labels: countLabels(counted, facet.dimension, facet.size), spans: [] }
}

const createHits = (found: readonly ScoredGroup[], { offset, limit, texts }: TextQuery): EngineHit[] =>
  found.slice(offset, offset + limit).map((it, at) => createEngineHit(it, at < texts))
