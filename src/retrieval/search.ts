// The only way to search: every method takes the subject, so no search runs without looking up what it may read.
import type { Access } from '../domain/access.ts'
import type { Logger } from '../domain/logger.ts'
import type { Meter } from '../domain/meter.ts'
import type { SearchScope } from '../domain/search/query.ts'
import type { Subject } from '../domain/subject.ts'
import { createSharedCalls } from '../flow/shared-calls.ts'
import { filterReadable, getAccess } from '../identity/access.ts'
import type { PersonSubject } from '../identity/explain-access.ts'
import type { Embedder } from '../inference/embedder.ts'
import type { Generations } from '../search-index/generations.ts'
import type { ChunkId, VectorOptions } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import type { DocumentAccessFacts } from '../store/documents/access-facts.ts'
import { type ContextWindow, readContextWindows } from './context-windows.ts'
import { countByPair } from './count-by-pair.ts'
import { type DocumentAccess, explainDocumentAccess } from './document-access.ts'
import { explainMissing, type MissingExplanation, type MissingQuestion } from './explain-missing.ts'
import { requestKey } from './request-key.ts'
import { type RetrievalDeps, type RetrievalRequest, type RetrievalResults, retrieve } from './retrieve.ts'
import { type Suggestions, suggest } from './suggest.ts'
import { type FoundSource, type FoundTag, findSources, findTags, type TagQuery } from './tags.ts'

export interface SearchDeps {
  db: Queryable
  generations: Pick<Generations, 'lease' | 'serving'>
  /** The model that made the vectors of a generation; null if there are no vectors or the model is not available. */
  embedderFor: (vectors: VectorOptions | null) => Embedder | null
  meter: Pick<Meter, 'countSearch'>
  /** The address of the service for links to its own pages; empty if it is not known. */
  baseUrl: string
  logger: Logger
  now: () => number
}

/** The dependencies of a search for the duration of a lease, and the access lookup. */
export interface LeasedSearch extends RetrievalDeps {
  getAccess(subject: Subject): Promise<Access>
}

export interface Search {
  /**
   * Counts the search and its duration in the metrics. An invalid cursor is INVALID_INPUT. Identical requests of one
   * subject with the same access that are under way together are computed once, so the result must not be modified.
   */
  retrieve(subject: Subject, request: Omit<RetrievalRequest, 'access' | 'subject'>): Promise<RetrievalResults>
  suggest(subject: Subject, query: string, scope: SearchScope): Promise<Suggestions>
  findTags(subject: Subject, query: TagQuery): Promise<FoundTag[]>
  /** Counts the documents that the subject may read, by cc-pair. */
  countByPair(subject: Subject): Promise<ReadonlyMap<number, number>>
  findSources(subject: Subject): Promise<FoundSource[]>
  explainMissing(
    subject: Subject,
    question: Pick<MissingQuestion, 'document_id' | 'query'>,
  ): Promise<MissingExplanation>
  explainAccess(person: PersonSubject, document: DocumentAccessFacts): Promise<DocumentAccess>
  /** Leaves out anchors in documents that the subject cannot read. */
  readContextWindows(subject: Subject, anchors: readonly ChunkId[], radius: number): Promise<ContextWindow[]>
  /** Holds one generation of the index for work that runs several searches, such as a replay. */
  lease<T>(work: (leased: LeasedSearch) => Promise<T>): Promise<T>
}

/** The number of results on the first page of the search page. */
const FIRST_PAGE_RESULTS = 10

export function createSearch({ db, generations, embedderFor, meter, baseUrl, logger, now }: SearchDeps): Search {
  const accessOf = (subject: Subject) => getAccess(db, subject)
  // A search uses one generation and the model of its vectors throughout, even if another generation takes over.
  const lease: Search['lease'] = (work) =>
    generations.lease(({ index, vectors }) =>
      work({ db, logger, now, baseUrl, searchIndex: index, embedder: embedderFor(vectors), getAccess: accessOf }),
    )
  const sharedSearches = createSharedCalls<RetrievalResults>()
  return {
    async retrieve(subject, own) {
      const startedMs = performance.now()
      const request = { ...own, subject, access: await accessOf(subject) }
      const results = await sharedSearches.run(requestKey(request), () => lease((leased) => retrieve(leased, request)))
      meter.countSearch({
        results: results.total,
        seconds: (performance.now() - startedMs) / 1_000,
        isFallback: results.ranked_by_reason !== null,
      })
      return results
    },
    suggest: async (subject, query, scope) =>
      suggest(
        { db, searchIndex: generations.serving, now, baseUrl },
        { query, subject, scope, access: await accessOf(subject) },
      ),
    findTags: (subject, query) => lease(async (leased) => findTags(leased, await accessOf(subject), query)),
    countByPair: (subject) => lease(async (leased) => countByPair(leased, await accessOf(subject))),
    findSources: (subject) => lease(async (leased) => findSources(leased, await accessOf(subject))),
    async explainMissing(subject, question) {
      const access = await accessOf(subject)
      return lease((leased) => explainMissing(leased, { ...question, subject, access, limit: FIRST_PAGE_RESULTS }))
    },
    explainAccess: (person, document) => lease((leased) => explainDocumentAccess(leased, person, document)),
    async readContextWindows(subject, anchors, radius) {
      const readable = await filterReadable(db, subject, [...new Set(anchors.map((it) => it.document_id))])
      const allowed = anchors.filter((it) => readable.has(it.document_id))
      return lease((leased) => readContextWindows(leased, allowed, radius))
    },
    lease,
  }
}
