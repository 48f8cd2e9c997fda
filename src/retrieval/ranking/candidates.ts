// Asks the index for the documents worth ranking.
import type { Access } from '../../domain/access.ts'
import type { Filters, TextConditions } from '../../domain/search/query.ts'
import type { CandidateQuery, Hit, SearchIndex } from '../../search-index/search-index.ts'
import { spellingQuery } from '../query/spelling.ts'
import { PROXIMITY_DEPTH } from './proximity.ts'

/** The length of each list. Longer lists made no measurable difference (docs/ranking.md). */
export const CANDIDATE_DEPTH = 200

/** The query for the index; lexical and vector search share it. */
export interface SearchQuery extends TextConditions {
  text: string
  access: Access
  filters: Filters
}

export interface CandidateNeeds
  extends Pick<CandidateQuery, 'vector' | 'semanticWeight' | 'foreign' | 'minSimilarity' | 'facets'> {
  /** The ranks of the results whose passages are shown. */
  shown: { from: number; until: number }
  /** True to look up words that hardly any document contains. */
  isCorrected: boolean
}

export const candidateQuery = (
  searchQuery: SearchQuery,
  { shown, isCorrected, ...needs }: CandidateNeeds,
): CandidateQuery => ({
  ...searchQuery,
  ...needs,
  depth: CANDIDATE_DEPTH,
  read: [{ from: 0, until: PROXIMITY_DEPTH }, shown],
  spelling: isCorrected ? spellingQuery(searchQuery) : null,
})

/** Returns the lexical scores of these documents; documents without a match are left out. */
export const lexicalHitsAmong = async (
  searchIndex: SearchIndex,
  searchQuery: SearchQuery,
  document_ids: readonly string[],
): Promise<Hit[]> => {
  const filters = { ...searchQuery.filters, document_ids }
  return (await searchIndex.search({ ...searchQuery, filters, offset: 0, limit: document_ids.length, texts: 0 })).hits
}
