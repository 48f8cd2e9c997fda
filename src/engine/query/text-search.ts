// Text search over all segments: the best groups for some words, totals and facets.
import { countBits, createBitSet, hasBit, intersectInto, setBit } from '../codec/bits.ts'
import { PostingsCursor } from '../codec/postings.ts'
import type { LiveSegment } from '../segment/live-segment.ts'
import type { Segment } from '../segment/segment.ts'
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

/** A query together with the segments it is run on. */
interface QueryContext {
  segments: readonly LiveSegment[]
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
    return isSortedByTime(context)
      ? collectNewest(findMatchingGroups(context.words, passageSets), collector)
      : this.#topByScore(context, passageSets, collector)
  }

  /** Collects everything that matches before it ranks. */
  #searchWithCounts(context: QueryContext, { selections, isComplete, areOthersComplete }: SelectionResult): TextResult {
    const { query, words } = context
    const matched = findMatchingGroups(words, selections)
    const within = (groupsOf: (selection: SegmentSelection) => Uint32Array): GroupSet[] =>
      matched.map(({ live, groups }, at) => ({
        live,
        groups: intersectInto(groups.slice(), groupsOf(selections[at]!)),
      }))
    const matchingGroups = within((it) => it.groups)
    const found = isSortedByTime(context)
      ? this.#topByTime(context, selections, matchingGroups)
      : this.#topByScore(
          context,
          passagesInside(selections, matchingGroups),
          new TopGroupsCollector(context.size, query.after),
        )
    const facets = query.facets.map((facet, at) => {
      const counted = within((it) => it.otherGroups[at]!)
      return { ...countFacet(facet, counted), isExact: areOthersComplete }
    })
    const total = matchingGroups.reduce((sum, it) => sum + countBits(it.groups), 0)
    return { hits: createHits(found, query), total, isExact: isComplete, facets }
  }

  /** Returns the newest groups, each with its best passage. */
  #topByTime(
    context: QueryContext,
    selections: readonly SegmentSelection[],
    matchingGroups: readonly GroupSet[],
  ): ScoredGroup[] {
    const { after } = context.query
    const searchAfter = after && { score: timeScore(after.time), key: after.key }
    const found = collectNewest(matchingGroups, new TopGroupsCollector(context.size, searchAfter))
    const chosen = passagesInside(selections, onlyGroups(matchingGroups, found))
    if (context.words === 'all') return found.map((it) => ({ ...it, score: 0, passage: firstPassage(it, chosen) }))
    const best = new Map<Segment, Map<number, ScoredGroup>>()
    for (const it of this.#topByScore(context, chosen, new TopGroupsCollector(found.length))) {
      best.set(it.segment, (best.get(it.segment) ?? new Map()).set(it.group, it))
    }
    return found.map(({ segment, group }) => best.get(segment)!.get(group)!)
  }

  /** `passageSets` has one element per segment, in the order of the segments. */
  #topByScore(
    context: QueryContext,
    passageSets: readonly PassageSet[],
    collector: TopGroupsCollector,
    counter = new GroupCounter(0),
  ): ScoredGroup[] {
    const { segments, words, averageLength } = context
    if (words === 'all') throw new RangeError('a query without words cannot be sorted by score')
    const scorerContext = { ranking: this.#parameters, averageLength, collector, counter }
    for (const at of largestFirst(segments)) {
      const { live, passages } = passageSets[at]!
      const scanWords = this.#openCursors(live, words, at)
      if (scanWords.length > 0) this.#scorer.run(scorerContext, live.segment, passages, scanWords)
    }
    return collector.finish()
  }

  #openCursors(live: LiveSegment, words: readonly ResolvedWord[], at: number): ScorerWord[] {
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

function createQueryContext(segments: readonly LiveSegment[], query: TextQuery): QueryContext {
  const { passages, averageLength } = collectionStatistics(segments)
  const words = query.words
    .map((spellings) => resolveWord(segments, spellings, passages))
    .filter((it) => it !== undefined)
  const size = query.limit === 0 ? 0 : query.offset + query.limit
  return { segments, query, words: query.words.length === 0 ? 'all' : words, averageLength, size }
}

const isSortedByTime = ({ query, words }: QueryContext): boolean => words === 'all' || query.sort === 'time'

/** The largest segment soon gives a high threshold, which saves work in the others. */
const largestFirst = (segments: readonly LiveSegment[]): number[] =>
  segments.map((_, at) => at).sort((a, b) => segments[b]!.livePassages - segments[a]!.livePassages)

const passagesInside = (selections: readonly PassageSet[], matchingGroups: readonly GroupSet[]): PassageSet[] =>
  selections.map(({ live, passages }, at) => ({
    live,
    passages: intersectInto(passagesOfGroups(live, matchingGroups[at]!.groups), passages),
  }))

function onlyGroups(matched: readonly GroupSet[], found: readonly ScoredGroup[]): GroupSet[] {
  const groups = new Map(matched.map(({ live }) => [live.segment, createBitSet(live.segment.meta.groups)]))
  for (const { segment, group } of found) setBit(groups.get(segment)!, group)
  return matched.map(({ live }) => ({ live, groups: groups.get(live.segment)! }))
}

function firstPassage({ segment, group }: ScoredGroup, passageSets: readonly PassageSet[]): number {
  const { passages } = passageSets.find((it) => it.live.segment === segment)!
  let passage = segment.groupStarts[group]!
  while (!hasBit(passages, passage)) passage++
  return passage
}

function countFacet(facet: FacetRequest, counted: readonly GroupSet[]): Omit<FacetCounts, 'isExact'> {
  if ('spans' in facet) return { labels: [], spans: countTimeRanges(counted, facet.spans) }
  return { labels: countLabels(counted, facet.dimension, facet.size), spans: [] }
}

const createHits = (found: readonly ScoredGroup[], { offset, limit, texts }: TextQuery): EngineHit[] =>
  found.slice(offset, offset + limit).map((it, at) => createEngineHit(it, at < texts))
