// Finds the documents worth ranking and reads the passages of the best of them. The embedded index does this in one of
// its reader threads.
import type { Query, TermsQuery } from '../domain/search/query.ts'
import { createQueryWords } from '../text/query-words.ts'
import { findChunkMatches } from './chunk-matches.ts'
import type {
  CandidateQuery,
  CandidateSet,
  ChunkIdWithLanguage,
  FoundCandidates,
  Hit,
  NearestQuery,
  RankingCandidate,
  ScoreRange,
  SearchResult,
  SpelledWord,
  StoredChunk,
  TermSuggestion,
} from './search-index.ts'
import { NO_MEANING, type SemanticWeights, scoringFor, weighScores } from './weigh-scores.ts'

/** The parts of an index that are combined. */
export interface CandidateSource {
  search(query: Query): SearchResult
  nearest(query: NearestQuery): Hit[]
  /** Returns the scores by which `nearest` would rank these documents; those that it would not find are left out. */
  similarity(vector: Float32Array, query: CandidateQuery, documentIds: readonly string[]): ReadonlyMap<string, number>
  /** Returns null for a chunk that does not exist any more. */
  readChunk(chunkId: ChunkIdWithLanguage): StoredChunk | null
  terms(query: TermsQuery): TermSuggestion[]
}

export function findCandidates(source: CandidateSource, query: CandidateQuery): FoundCandidates {
  const { text, access, filters, vector, depth, facets, read, spelling } = query
  const base = { ...withoutCandidateFields(query), offset: 0, limit: depth, texts: 0 }
  const lexical = source.search({ ...base, text, facets })
  const nearest = vector === null ? [] : source.nearest({ ...base, vector })
  const isSemantic = nearest.length > 0
  const found =
    vector === null || !isSemantic ? onlyLexical(lexical) : mergeCandidates(source, query, vector, lexical, nearest)
  const candidates = sortByScore(found, isSemantic ? query : NO_MEANING)
  const ids = candidates.filter((_, at) => read.some(({ from, until }) => at >= from && at < until)).flatMap(passagesOf)
  const chunks = findChunkMatches(text, ids, (it) => source.readChunk(it))
  const passages = ids.map((id, at) => ({ id, chunk: chunks[at] ?? null }))
  return {
    ...found,
    candidates,
    lexical: { total: lexical.total, facets: lexical.facets, hits: lexical.hits.length },
    isSemantic,
    passages,
    spelling:
      spelling === null ? [] : findSpelledWords(source, { text, access, filters, spelling }, candidates, passages),
  }
}

/** The part of the query that every search shares. */
const withoutCandidateFields = ({ access, filters, phrases, required, excluded, titleWords }: CandidateQuery) => ({
  access,
  filters,
  ...(phrases && { phrases }),
  ...(required && { required }),
  ...(excluded && { excluded }),
  ...(titleWords && { titleWords }),
})

const onlyLexical = ({ hits, total, total_relation }: SearchResult): CandidateSet => ({
  candidates: hits.map((hit) =>
    toCandidate(hit, { passages: [hit.chunk.chunk_ind], lexicalScore: hit.score, semanticScore: null }),
  ),
  lexicalRange: lexicalRangeOf(hits, total),
  semanticRange: { min: 0, max: 0 },
  beyondDepth: [],
  total,
  total_relation,
})

/**
 * Completes the scores of each list for the documents of the other, so that a score is missing only if there is none.
 */
function mergeCandidates(
  source: CandidateSource,
  query: CandidateQuery,
  vector: Float32Array,
  { hits, total, total_relation }: SearchResult,
  nearest: readonly Hit[],
): CandidateSet {
  const lexicalHits = new Map(hits.map((it) => [it.document_id, it]))
  const semanticHits = new Map(nearest.map((it) => [it.document_id, it]))
  const semanticOnly = nearest.map((it) => it.document_id).filter((id) => !lexicalHits.has(id))
  const lexicalOnly = hits.map((it) => it.document_id).filter((id) => !semanticHits.has(id))
  const similarities = source.similarity(vector, query, lexicalOnly)
  const beyondDepth = total > hits.length ? lexicalHitsAmong(source, query, semanticOnly) : []
  for (const it of beyondDepth) lexicalHits.set(it.document_id, it)
  const byWords = [...lexicalHits.values()].map((lexical) => {
    const semantic = semanticHits.get(lexical.document_id)
    return toCandidate(lexical, {
      passages: bestChunks(lexical, semantic),
      lexicalScore: lexical.score,
      semanticScore: semantic?.score ?? similarities.get(lexical.document_id) ?? null,
    })
  })
  const bySimilarity = nearest
    .filter((it) => !lexicalHits.has(it.document_id) && isSimilarEnough(it, query))
    .map((it) => toCandidate(it, { passages: [it.chunk.chunk_ind], lexicalScore: null, semanticScore: it.score }))
  return {
    candidates: [...byWords, ...bySimilarity],
    lexicalRange: lexicalRangeOf(hits, total),
    semanticRange: semanticRangeOf(nearest, query),
    beyondDepth: beyondDepth.map(({ document_id, score }) => ({ document_id, score })),
    total: total + bySimilarity.length,
    total_relation,
  }
}

const isSimilarEnough = ({ score, language }: Hit, query: CandidateQuery): boolean =>
  score + scoringFor(query, language).similarityOffset >= query.minSimilarity

/** Returns those of the documents that contain words of the query, with their scores. */
function lexicalHitsAmong(source: CandidateSource, query: CandidateQuery, document_ids: readonly string[]): Hit[] {
  const filters = { ...query.filters, document_ids }
  const base = { ...withoutCandidateFields(query), text: query.text, filters }
  return source.search({ ...base, offset: 0, limit: document_ids.length, texts: 0 }).hits
}

const bestChunks = (lexical: Hit, semantic: Hit | undefined): RankingCandidate['passages'] =>
  semantic === undefined || semantic.chunk.chunk_ind === lexical.chunk.chunk_ind
    ? [lexical.chunk.chunk_ind]
    : [lexical.chunk.chunk_ind, semantic.chunk.chunk_ind]

/** If the list is complete, the next document would score 0. */
const lexicalRangeOf = (hits: readonly Hit[], total: number): ScoreRange => ({
  min: total > hits.length ? (hits.at(-1)?.score ?? 0) : 0,
  max: hits[0]?.score ?? 0,
})

function semanticRangeOf(hits: readonly Hit[], { depth, minSimilarity }: CandidateQuery): ScoreRange {
  const last = hits.at(-1)?.score ?? minSimilarity
  return {
    min: hits.length === depth ? last : Math.min(minSimilarity, last),
    max: hits[0]?.score ?? minSimilarity,
  }
}

const toCandidate = (
  { document_id, updated_at, language }: Hit,
  { passages, lexicalScore, semanticScore }: Pick<RankingCandidate, 'passages' | 'lexicalScore' | 'semanticScore'>,
): RankingCandidate => ({ document_id, updated_at, language, passages, lexicalScore, semanticScore })

function sortByScore(found: CandidateSet, weights: SemanticWeights): RankingCandidate[] {
  const scored = found.candidates.map((candidate) => {
    const { words, meaning } = weighScores(candidate, found, weights)
    return { candidate, score: words + meaning }
  })
  const isBefore = (one: RankingCandidate, other: RankingCandidate) => one.document_id < other.document_id
  scored.sort((a, b) => b.score - a.score || (isBefore(a.candidate, b.candidate) ? -1 : 1))
  return scored.map((it) => it.candidate)
}

const passagesOf = ({ document_id, language, passages }: RankingCandidate): ChunkIdWithLanguage[] =>
  passages.map((chunk_ind) => ({ document_id, chunk_ind, language }))

type SpellingContext = Pick<CandidateQuery, 'text' | 'access' | 'filters'> & {
  spelling: NonNullable<CandidateQuery['spelling']>
}

function findSpelledWords(
  source: CandidateSource,
  { text, access, filters, spelling }: SpellingContext,
  candidates: readonly RankingCandidate[],
  passages: FoundCandidates['passages'],
): SpelledWord[] {
  if (spelling.words.length === 0) return []
  const { limit, maxDocuments, suggestions } = spelling
  const matched = countMatchedWords(text, candidates.slice(0, spelling.depth), passages)
  const suspects = spelling.words.filter(({ start }) => (matched.get(start) ?? 0) <= maxDocuments).slice(0, limit)
  return suspects.flatMap(({ word, start, max_edits }) => {
    const { total } = source.search({ text: word, access, filters, offset: 0, limit: 0 })
    if (total > maxDocuments) return []
    const similar = source.terms({ near: word, max_edits, access, filters, limit: suggestions })
    return [{ word, start, documents: total, similar }]
  })
}

/** Maps the positions of words in the query to the number of these candidates that have the word in their best passage. */
function countMatchedWords(
  text: string,
  candidates: readonly RankingCandidate[],
  passages: FoundCandidates['passages'],
): ReadonlyMap<number, number> {
  const wordsIn = createQueryWords(text)
  const best = new Map(candidates.map((it) => [it.document_id, it.passages[0]]))
  const counts = new Map<number, number>()
  for (const { id, chunk } of passages) {
    if (chunk === null || best.get(id.document_id) !== id.chunk_ind) continue
    const words = wordsIn(id.language)
    for (const start of new Set(chunk.matches.map(({ word }) => words[word]?.start))) {
      if (start !== undefined) counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  }
  return counts
}
