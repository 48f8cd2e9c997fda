// Compares the candidates of an index with what its single searches give.
import assert from 'node:assert/strict'
import type { TextConditions } from '../../src/domain/search/query.ts'
import type {
  CandidateQuery,
  ChunkIdWithLanguage,
  Hit,
  NearestQuery,
  RankingCandidate,
  SearchIndex,
} from '../../src/search-index/search-index.ts'
import { NO_MEANING, weighScores } from '../../src/search-index/weigh-scores.ts'
import { queryTermsFor } from '../../src/text/query-terms.ts'

/** An index may score the candidates by rounded vectors. The error is larger the fewer dimensions a vector has. */
const MAX_SCORE_ERROR = 0.01

/** Returns the score of each document by its nearest chunk. */
export async function similarityOf(
  index: SearchIndex,
  { vector, access }: Pick<NearestQuery, 'vector' | 'access'>,
  document_ids: readonly string[],
): Promise<Map<string, number>> {
  const limit = document_ids.length
  const { hits } = await index.nearest({ vector, access, filters: { document_ids }, offset: 0, limit })
  return new Map(hits.map((it) => [it.document_id, it.score]))
}

export async function assertCandidates(index: SearchIndex, query: CandidateQuery): Promise<void> {
  const found = await index.candidates(query)
  const { lexical, nearest } = await searchBoth(index, query)
  const byWords = new Map(lexical.hits.map((it) => [it.document_id, it]))
  const byVector = new Map(nearest.map((it) => [it.document_id, it]))
  const isSemantic = nearest.length > 0
  const among = nearest.map((it) => it.document_id).filter((id) => !byWords.has(id))
  const beyond = lexical.total > lexical.hits.length ? await lexicalHitsAmong(index, query, among) : []
  for (const it of beyond) byWords.set(it.document_id, it)
  const scores = isSemantic ? await similaritiesOf(index, query, [...byWords.keys()]) : new Map<string, number>()
  const foundScores = new Map(found.candidates.map((it) => [it.document_id, it.semanticScore]))
  const asFound = (id: string, exact: number | null): number | null => {
    const own = foundScores.get(id) ?? null
    return own !== null && exact !== null && Math.abs(own - exact) <= MAX_SCORE_ERROR ? own : exact
  }
  const candidates = [...new Set([...byWords.keys(), ...byVector.keys()])].flatMap((id): RankingCandidate[] => {
    const [words, meaning] = [byWords.get(id), byVector.get(id)]
    const hit = words ?? meaning
    if (hit === undefined) return []
    const offset = query.foreign?.languages.includes(hit.language) ? query.foreign.similarityOffset : 0
    if (words === undefined && hit.score + offset < query.minSimilarity) return []
    const others = meaning === undefined || meaning.chunk.chunk_ind === hit.chunk.chunk_ind ? [] : [meaning]
    return [
      {
        document_id: id,
        updated_at: hit.updated_at,
        language: hit.language,
        passages: [hit.chunk.chunk_ind, ...others.map((it) => it.chunk.chunk_ind)],
        lexicalScore: words?.score ?? null,
        semanticScore: asFound(id, meaning?.score ?? scores.get(id) ?? null),
      },
    ]
  })
  const scoreOf = (it: RankingCandidate) => {
    const { words, meaning } = weighScores(it, found, isSemantic ? query : NO_MEANING)
    return words + meaning
  }
  candidates.sort((a, b) => scoreOf(b) - scoreOf(a) || (a.document_id < b.document_id ? -1 : 1))
  assert.deepEqual(found.candidates, candidates)
  assert.equal(found.isSemantic, isSemantic)
  assert.deepEqual(found.lexical, { total: lexical.total, facets: lexical.facets, hits: lexical.hits.length })
  assert.deepEqual(
    found.beyondDepth,
    beyond.map(({ document_id, score }) => ({ document_id, score })),
  )
  assert.equal(found.total, lexical.total + candidates.filter((it) => it.lexicalScore === null).length)
  assert.equal(found.total_relation, lexical.total_relation)
  await assertPassages(index, query, candidates, found.passages)
  await assertSpelling(index, query, found)
}

type Found = Awaited<ReturnType<SearchIndex['candidates']>>

const conditionsOf = ({ phrases, required, excluded, titleWords }: CandidateQuery): TextConditions => ({
  ...(phrases && { phrases }),
  ...(required && { required }),
  ...(excluded && { excluded }),
  ...(titleWords && { titleWords }),
})

async function searchBoth(index: SearchIndex, query: CandidateQuery) {
  const { text, access, filters, vector, depth, facets } = query
  const base = { ...conditionsOf(query), access, filters, offset: 0, limit: depth, texts: 0 }
  const lexical = await index.search({ ...base, text, facets })
  const nearest = vector === null ? [] : (await index.nearest({ ...base, vector })).hits
  return { lexical, nearest }
}

async function lexicalHitsAmong(index: SearchIndex, query: CandidateQuery, document_ids: string[]): Promise<Hit[]> {
  const { text, access } = query
  const filters = { ...query.filters, document_ids }
  const limit = document_ids.length
  return (await index.search({ ...conditionsOf(query), text, access, filters, offset: 0, limit, texts: 0 })).hits
}

const similaritiesOf = async (index: SearchIndex, { vector, access }: CandidateQuery, ids: readonly string[]) =>
  vector === null ? new Map<string, number>() : similarityOf(index, { vector, access }, ids)

async function assertPassages(
  index: SearchIndex,
  { text, read }: CandidateQuery,
  candidates: readonly RankingCandidate[],
  passages: Found['passages'],
): Promise<void> {
  const ids = candidates
    .filter((_, at) => read.some(({ from, until }) => from <= at && at < until))
    .flatMap(({ document_id, language, passages }): ChunkIdWithLanguage[] =>
      passages.map((chunk_ind) => ({ document_id, chunk_ind, language })),
    )
  assert.deepEqual(
    passages.map((it) => it.id),
    ids,
  )
  assert.deepEqual(
    passages.map((it) => it.chunk),
    await index.chunksWithMatches(text, ids),
  )
}

async function assertSpelling(
  index: SearchIndex,
  { text, access, filters, spelling }: CandidateQuery,
  { candidates, passages, spelling: found }: Found,
): Promise<void> {
  if (spelling === null) return assert.deepEqual(found, [])
  const matched = new Map<number, number>()
  for (const { document_id, language, passages: own } of candidates.slice(0, spelling.depth)) {
    const best = passages.find(({ id }) => id.document_id === document_id && id.chunk_ind === own[0])
    const words = queryTermsFor(text, language)
    const starts = new Set(best?.chunk?.matches.map(({ word }) => words[word]?.start ?? -1))
    for (const start of starts) matched.set(start, (matched.get(start) ?? 0) + 1)
  }
  const expected: Found['spelling'] = []
  for (const { word, start, max_edits } of spelling.words
    .filter((it) => (matched.get(it.start) ?? 0) <= spelling.maxDocuments)
    .slice(0, spelling.limit)) {
    const { total } = await index.search({ text: word, access, filters, offset: 0, limit: 0 })
    if (total > spelling.maxDocuments) continue
    const similar = await index.terms({ near: word, max_edits, access, filters, limit: spelling.suggestions })
    expected.push({ word, start, documents: total, similar })
  }
  assert.deepEqual(found, expected)
}
