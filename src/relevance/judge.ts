// What somebody says of what a search has shown to them.
import { AppError } from '../domain/errors.ts'
import type { FeedbackKind } from '../domain/relevance.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database } from '../store/database.ts'
import { putFeedback } from '../store/judgements.ts'
import { findRecordedQuery } from '../store/recorded-queries.ts'
import type { QueryLog } from './query-log.ts'

export interface SearchFeedback {
  search_id: string
  document_id: string
  kind: FeedbackKind
}

/** Of an own search, and of a document that it has shown; all else is SEARCH_NOT_FOUND. */
export async function judge(
  { db, queryLog }: { db: Database; queryLog: Pick<QueryLog, 'flush'> },
  { user_id }: Subject,
  { search_id, document_id, kind }: SearchFeedback,
): Promise<void> {
  await queryLog.flush()
  const search = await findRecordedQuery(db, user_id, search_id)
  if (search === undefined || !search.document_ids.includes(document_id)) throw new AppError('SEARCH_NOT_FOUND')
  await putFeedback(db, search, document_id, kind)
}
