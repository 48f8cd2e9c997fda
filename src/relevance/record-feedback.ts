// Records a user's feedback on a search result.
import { AppError } from '../domain/errors.ts'
import type { FeedbackKind } from '../domain/search/relevance.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database } from '../store/database/database.ts'
import { saveFeedback } from '../store/search/judgements.ts'
import { findRecordedQuery } from '../store/search/recorded-queries.ts'
import type { QueryLog } from './query-log.ts'

export interface SearchFeedback {
  search_id: string
  document_id: string
  kind: FeedbackKind
}

/** Rejects with SEARCH_NOT_FOUND unless the search is the caller's own and returned the document. */
export async function recordFeedback(
  { db, queryLog }: { db: Database; queryLog: Pick<QueryLog, 'flush'> },
  { user_id }: Subject,
  { search_id, document_id, kind }: SearchFeedback,
): Promise<void> {
  await queryLog.flush()
  const search = await findRecordedQuery(db, user_id, search_id)
  if (search === undefined || !search.document_ids.includes(document_id)) throw new AppError('SEARCH_NOT_FOUND')
  await saveFeedback(db, search, document_id, kind)
}
