// Row types of owners, verifications and clicks of documents.
import type { Generated } from 'kysely'
import type { Thumb } from '../../domain/search/relevance.ts'
import type { EpochMillis, SqlFlag } from '../database/column-types.ts'

/** Columns of `document`. */
export interface TextColumns {
  /** When title or text changed last; null if they never did. */
  text_changed_at: Generated<EpochMillis | null>
}

interface SearchFeedbackRow {
  id: Generated<number>
  search_id: string
  user_id: string
  query_key: string
  document_id: string
  clicked: SqlFlag
  thumb: Thumb | null
  asked_at: EpochMillis
}

export interface FreshnessTables {
  search_feedback: SearchFeedbackRow
  document_owner: {
    document_id: string
    /** See `emailKeyOf`. */
    email_key: string
    is_primary: SqlFlag
  }
  document_verification: {
    document_id: string
    /** See `Subject.user_id`; null if that person was deleted. */
    verified_by: string | null
    verified_at: EpochMillis
    verified_until: EpochMillis
  }
}
