// The order of what is found, and a page of it. The best are ranked by words and meaning; what comes after them follows
// in the order of the words, so that a ranking ends nowhere and repeats nothing.
import type { Logger } from '../domain/logger.ts'
import type { Cursor, FacetRequest } from '../domain/query.ts'
import type { Embedder } from '../inference/embedder.ts'
import type { Facet, Hit, SearchIndex, SearchResult } from '../search-index/search-index.ts'
import { queryTerms } from '../text/query-terms.ts'
import { type Adjusting, adjust, withSynonyms } from './adjust.ts'
import {
  type Asked,
  type Candidates,
  DEPTH,
  findByMeaning,
  findByWords,
  joined,
  type Near,
  onlyWords,
  wordsOf,
} from './candidates.ts'
import type { PageStart } from './cursor.ts'
import { fuse, type Ranked, withParts } from './fuse.ts'
import { byProximity, LOOKED_AT } from './proximity.ts'
import { queryVector } from './query-vector.ts'
import { type WordsIn, wordsOfQuery } from './query-words.ts'
import { type Correction, correctedText, findCorrections } from './spelling.ts'
import { openTexts, placesOf, type Texts } from './texts.ts'

export interface RankNeeds {
  searchIndex: SearchIndex
  embedder: Embedder | null
  logger: Logger
  adjusting?: Adjusting
}

export interface Page {
  start: PageStart | { offset: number }
  limit: number
  sort: 'relevance' | 'date'
  facets: readonly FacetRequest[]
  /** How long the vector of the query is waited for; `WAIT_MS` if absent. */
  patienceMs?: number | undefined
}

export interface RankedPage {
  hits: Ranked[]
  /** Of some of them. */
  texts: Texts
  /** Of the first hit, from 0. */
  place: number
  next: PageStart | null
  total: number
  total_relation: SearchResult['total_relation']
  facets: Facet[]
  corrections: Correction[]
  /** What was looked for after corrections. */
  asked: Asked
  ranked_by: 'words' | 'both' | 'date'
  /** Why meaning had no part, where it should have had one. */
  reason: string | null
}

/** Vectors are waited for so long, from the start of the search; a further page waits for what the first one had. */
const WAIT_MS = 150
const WAIT_AGAIN_MS = 3_000

export function rank(needs: RankNeeds, asked: Asked, page: Page): Promise<RankedPage> {
  const isList = page.sort === 'date' || queryTerms(asked.text).length === 0
  return isList ? listed(needs, asked, page) : ranked(needs, asked, page)
}

const textsOf = (searchIndex: SearchIndex, { text }: Asked): Texts =>
  openTexts((places) => searchIndex.sighted(text, places))

/** In the order of the index: by time. */
async function listed({ searchIndex }: RankNeeds, asked: Asked, page: Page): Promise<RankedPage> {
  const { start, limit, facets } = page
  const after: Cursor | undefined = 'after' in start ? start.after : undefined
  const offset = 'offset' in start ? start.offset : 'place' in start ? start.place : 0
  const sort = page.sort === 'date' ? ('newest' as const) : ('relevance' as const)
  const query = { ...asked, sort, ...(after && { after }), facets, offset, limit, texts: 0 }
  const found = await searchIndex.search(query)
  const last = found.hits.at(-1)
  return {
    hits: found.hits.map(unranked),
    texts: textsOf(searchIndex, asked),
    place: offset,
    next:
      last === undefined || found.hits.length < limit
        ? null
        : { after: { score: 0, updated_at: last.updated_at, document_id: last.document_id } },
    total: found.total,
    total_relation: found.total_relation,
    facets: found.facets,
    corrections: [],
    asked,
    ranked_by: 'date',
    reason: null,
  }
}

async function ranked(needs: RankNeeds, typed: Asked, page: Page): Promise<RankedPage> {
  const place = placeOf(page.start)
  const synonyms = needs.adjusting?.settings.synonyms ?? []
  const found = await findAll(needs, { ...typed, text: withSynonyms(typed.text, synonyms) }, page)
  const { asked, words, by, texts } = found
  const near = byProximity(found.fused, { wordsIn: found.wordsIn, texts, words: found.candidates.words, by })
  const { head, candidates } = await adjusted(needs, asked, near, found.candidates)
  const hits = head.slice(place, place + page.limit)
  const missing = page.limit - hits.length
  if (missing > 0 && words.total > words.hits.length) {
    hits.push(...(await tail(needs.searchIndex, asked, candidates, Math.max(0, place - head.length), missing)))
  }
  const end = place + hits.length
  const isMore = hits.length === page.limit && (candidates.total_relation === 'gte' || end < candidates.total)
  return {
    hits,
    texts,
    place,
    next: isMore ? { place: end, by } : null,
    total: candidates.total,
    total_relation: candidates.total_relation,
    facets: words.facets,
    corrections: found.corrections,
    asked,
    ranked_by: by,
    reason: found.reason,
  }
}

/** What was pinned is a candidate too, whether it holds words of the query or not. */
async function adjusted(
  { searchIndex, adjusting }: RankNeeds,
  asked: Asked,
  ranked: readonly Ranked[],
  candidates: Candidates,
): Promise<{ head: readonly Ranked[]; candidates: Candidates }> {
  if (adjusting === undefined) return { head: ranked, candidates }
  const head = await adjust({ ...adjusting, searchIndex }, asked, ranked)
  if (head.length === ranked.length) return { head, candidates }
  const known = new Set(candidates.candidates.map((it) => it.document_id))
  const added = head.map((it) => it.document_id).filter((id) => !known.has(id))
  if (added.length === 0) return { head, candidates }
  const deep = await wordsOf(searchIndex, asked, added)
  const total = candidates.total + added.length - deep.length
  return { head, candidates: { ...candidates, total, deep: [...candidates.deep, ...deep] } }
}

const placeOf = (start: Page['start']): number =>
  'offset' in start ? start.offset : 'place' in start ? start.place : 0

interface Found {
  asked: Asked
  words: SearchResult
  candidates: Candidates
  fused: Ranked[]
  /** In which the best of these were read. */
  texts: Texts
  /** Of what was looked for. */
  wordsIn: WordsIn
  corrections: Correction[]
  by: 'words' | 'both'
  reason: string | null
}

async function findAll(needs: RankNeeds, typed: Asked, page: Page): Promise<Found> {
  const find = async (asked: Asked) => {
    const texts = textsOf(needs.searchIndex, asked)
    const wordsIn = wordsOfQuery(asked.text)
    const found = await together(needs, asked, await findBoth(needs, asked, page))
    const fused = fuse(found.candidates, found.by)
    await texts.read(fused.slice(0, LOOKED_AT).flatMap(placesOf))
    return { ...found, fused, texts, wordsIn }
  }
  const first = await find(typed)
  const corrections = await findCorrections(needs.searchIndex, typed, wordsSeen(first))
  if (corrections.length === 0) return { ...first, corrections }
  return { ...(await find({ ...typed, text: correctedText(typed.text, corrections) })), corrections }
}

/** Where in the query the words begin that stand in one of the texts that were read. */
function wordsSeen({ fused, texts, wordsIn }: Pick<Found, 'fused' | 'texts' | 'wordsIn'>): ReadonlySet<number> {
  const starts = new Set<number>()
  for (const it of fused.slice(0, LOOKED_AT)) {
    const words = wordsIn(it.language)
    for (const { word } of texts.at(placesOf(it)[0]!)?.sightings ?? []) starts.add(words[word]!.start)
  }
  return starts
}

interface Both {
  words: SearchResult
  near: Near | { hits: null; reason: string | null }
}

async function findBoth(needs: RankNeeds, asked: Asked, { start, facets, patienceMs = WAIT_MS }: Page): Promise<Both> {
  const isWithout = 'by' in start && start.by === 'words'
  const waitMs = 'by' in start ? WAIT_AGAIN_MS : patienceMs
  const [words, near] = await Promise.all([
    findByWords(needs.searchIndex, asked, facets),
    isWithout ? { hits: null, reason: null } : findNear(needs, asked, waitMs),
  ])
  return { words, near }
}

async function findNear(needs: RankNeeds, asked: Asked, waitMs: number): Promise<Both['near']> {
  const known = await queryVector(needs, asked.text, waitMs)
  if (known.vector === null) return { hits: null, reason: known.reason }
  const hits = await findByMeaning(needs.searchIndex, asked, known.vector)
  if (hits.length > 0) return { vector: known.vector, hits, floor: SIMILARITY_FLOOR }
  return { hits: null, reason: 'Nothing that may be found here is known by its meaning yet.' }
}

async function together(
  { searchIndex }: RankNeeds,
  asked: Asked,
  { words, near }: Both,
): Promise<Pick<Found, 'asked' | 'words' | 'candidates' | 'by' | 'reason'>> {
  if (near.hits === null) return { asked, words, candidates: onlyWords(words), by: 'words', reason: near.reason }
  return { asked, words, candidates: await joined(searchIndex, asked, words, near), by: 'both', reason: null }
}

/** Below it a document that holds no word of the query was never relevant (docs/ranking.md). */
export const SIMILARITY_FLOOR = 0.3

/**
 * Those behind the candidates, by their words. Of these, candidates may be among the further hits: they stand in the
 * head already and are passed over.
 */
async function tail(
  searchIndex: SearchIndex,
  asked: Asked,
  { deep }: Candidates,
  from: number,
  limit: number,
): Promise<Ranked[]> {
  const offset = DEPTH + from
  const { hits } = await searchIndex.search({ ...asked, offset, limit: limit + deep.length, texts: 0 })
  const first = hits[0]
  if (first === undefined) return []
  const ids = new Set(deep.map((it) => it.document_id))
  const before = deep.filter((it) => isBefore(it, first)).length
  return hits
    .filter((it) => !ids.has(it.document_id))
    .slice(before, before + limit)
    .map(unranked)
}

const isBefore = (one: { score: number; document_id: string }, other: Hit): boolean =>
  one.score > other.score || (one.score === other.score && one.document_id < other.document_id)

const unranked = ({ document_id, updated_at, language, chunk }: Hit): Ranked =>
  withParts({ document_id, updated_at, language, passages: [chunk.chunk_ind], words: null, meaning: null }, [])
