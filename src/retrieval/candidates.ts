// Which documents are worth ranking: those that hold the words best, and those that are nearest in meaning.
import type { Access } from '../domain/access.ts'
import type { FacetRequest, Filters, TextConditions } from '../domain/query.ts'
import type { Hit, SearchIndex, SearchResult } from '../search-index/search-index.ts'
import type { Language } from '../text/language.ts'

/** Of each list. Deeper lists changed nothing that could be measured (docs/ranking.md). */
export const DEPTH = 200

/** What is looked for, whichever way. */
export interface Asked extends TextConditions {
  text: string
  access: Access
  filters: Filters
}

export interface Candidate {
  document_id: string
  updated_at: number | null
  language: Language
  /** Its best chunk by words, then its best by meaning, as `chunk_ind`; one where they are the same. */
  passages: [number, ...number[]]
  /** The score of the words; null where the document holds none of them. */
  words: number | null
  /** The similarity of its best chunk; null where no chunk has a vector yet, or no vector was asked for. */
  meaning: number | null
}

export interface Candidates {
  candidates: Candidate[]
  words: Range
  meaning: Range
  /** Documents with words of the query that come after the best `DEPTH` and are candidates by their meaning. */
  deep: { document_id: string; score: number }[]
  /** Of all documents that hold words of the query, and the candidates that hold none. */
  total: number
  total_relation: SearchResult['total_relation']
}

/** What the scores of a list lie between. */
export interface Range {
  least: number
  most: number
}

export const findByWords = (
  searchIndex: SearchIndex,
  asked: Asked,
  facets: readonly FacetRequest[],
): Promise<SearchResult> => searchIndex.search({ ...asked, facets, offset: 0, limit: DEPTH, texts: 0 })

export const findByMeaning = async (searchIndex: SearchIndex, asked: Asked, vector: Float32Array): Promise<Hit[]> =>
  (await searchIndex.nearest({ ...asked, vector, offset: 0, limit: DEPTH, texts: 0 })).hits

export const onlyWords = ({ hits, total, total_relation }: SearchResult): Candidates => ({
  candidates: hits.map((hit) => candidateOf(hit, { passages: [hit.chunk.chunk_ind], words: hit.score, meaning: null })),
  words: wordsRange(hits, total),
  meaning: { least: 0, most: 0 },
  deep: [],
  total,
  total_relation,
})

export interface Near {
  vector: Float32Array
  hits: readonly Hit[]
  /** Less similar documents are found by their words only. */
  floor: number
}

/** Each list tells what it knows of the documents of the other, so that a score is missing only where there is none. */
export async function joined(
  searchIndex: SearchIndex,
  asked: Asked,
  { hits, total, total_relation }: SearchResult,
  near: Near,
): Promise<Candidates> {
  const byWords = new Map(hits.map((it) => [it.document_id, it]))
  const byMeaning = new Map(near.hits.map((it) => [it.document_id, it]))
  const onlyNear = near.hits.map((it) => it.document_id).filter((id) => !byWords.has(id))
  const [similarities, deep] = await Promise.all([
    searchIndex.similarity({
      vector: near.vector,
      access: asked.access,
      document_ids: hits.map((it) => it.document_id).filter((id) => !byMeaning.has(id)),
    }),
    total > hits.length ? wordsOf(searchIndex, asked, onlyNear) : [],
  ])
  for (const it of deep) byWords.set(it.document_id, it)
  const candidates = [...new Set([...byWords.keys(), ...onlyNear])].flatMap((id): Candidate[] => {
    const [words, meaning] = [byWords.get(id), byMeaning.get(id)]
    if (words === undefined && meaning!.score < near.floor) return []
    const passages = [words, meaning].filter((it) => it !== undefined).map((it) => it.chunk.chunk_ind)
    return [
      candidateOf((words ?? meaning)!, {
        passages: [...new Set(passages)] as Candidate['passages'],
        words: words?.score ?? null,
        meaning: meaning?.score ?? similarities.get(id) ?? null,
      }),
    ]
  })
  return {
    candidates,
    words: wordsRange(hits, total),
    meaning: meaningRange(near),
    deep,
    total: total + candidates.filter((it) => it.words === null).length,
    total_relation,
  }
}

/** What the words of the query score in these documents; those that hold none are left out. */
export const wordsOf = async (
  searchIndex: SearchIndex,
  asked: Asked,
  document_ids: readonly string[],
): Promise<Hit[]> => {
  const filters = { ...asked.filters, document_ids }
  return (await searchIndex.search({ ...asked, filters, offset: 0, limit: document_ids.length, texts: 0 })).hits
}

/** Where there are no more, the next would have nothing. */
const wordsRange = (hits: readonly Hit[], total: number): Range => ({
  least: total > hits.length ? (hits.at(-1)?.score ?? 0) : 0,
  most: hits[0]?.score ?? 0,
})

const meaningRange = ({ hits, floor }: Near): Range => ({
  least: hits.length === DEPTH ? hits.at(-1)!.score : Math.min(floor, hits.at(-1)?.score ?? floor),
  most: hits[0]?.score ?? floor,
})

const candidateOf = (
  { document_id, updated_at, language }: Hit,
  { passages, words, meaning }: Pick<Candidate, 'passages' | 'words' | 'meaning'>,
): Candidate => ({ document_id, updated_at, language, passages, words, meaning })
