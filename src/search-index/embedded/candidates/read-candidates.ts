// Finds candidates on one state of the index, in a reader thread.
import type { TextSearch } from '../../../engine/query/text-search.ts'
import type { LiveSegment } from '../../../engine/segment/live-segment.ts'
import type { Language } from '../../../text/language.ts'
import { findCandidates } from '../../find-candidates.ts'
import type { CandidateQuery } from '../../search-index.ts'
import { readStoredChunk, toSearchResult, toTextQuery } from '../engine-mapping.ts'
import { findEngineTerms } from '../find-engine-terms.ts'
import type { VectorReadResult } from '../messages.ts'
import type { VectorReader } from '../vectors.ts'
import { type PackedCandidates, packCandidates } from './packed-candidates.ts'

export interface CandidateReader {
  segments: readonly LiveSegment[]
  languages: readonly Language[]
  textSearch: TextSearch
  /** Undefined if the query has no vector. */
  vectorReader: VectorReader | undefined
}

export function readCandidates(
  { segments, languages, textSearch, vectorReader }: CandidateReader,
  query: CandidateQuery,
): VectorReadResult<PackedCandidates> {
  const damagedSlots: number[] = []
  const takeFound = <T>({ found, damaged }: VectorReadResult<T>): T => {
    damagedSlots.push(...damaged)
    return found
  }
  const search = (asked: Parameters<typeof toTextQuery>[0]) =>
    toSearchResult(textSearch.search(segments, toTextQuery(asked, languages)), asked)
  const found = findCandidates(
    {
      search,
      nearest: (asked) => (vectorReader ? takeFound(vectorReader.nearest(segments, asked, languages)).hits : []),
      similarity: (vector, { access, filters }, document_ids) =>
        vectorReader?.similarity(segments, { vector, access, filters, document_ids }) ?? new Map(),
      readChunk: (id) => readStoredChunk(segments, id),
      terms: (asked) => findEngineTerms(segments, asked),
    },
    query,
  )
  return { found: packCandidates(found), damaged: damagedSlots }
}
