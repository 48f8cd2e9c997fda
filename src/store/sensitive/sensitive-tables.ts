// Row types of the tables of sensitive content.
import type { SensitiveKind } from '../../domain/sensitive/kinds.ts'
import type { EpochMillis, JsonText, SqlFlag } from '../database/column-types.ts'

/** Columns of `document`. */
export interface WithheldColumns {
  /** When it was hidden; null if it is not. */
  hidden_at: EpochMillis | null
  /** Names the text that was searched for sensitive content; empty if it has none, null if it was not searched. */
  sensitive_text: string | null
  /** When it came into quarantine; null if it is not there. */
  quarantined_at: EpochMillis | null
}

export interface SensitiveTables {
  sensitive_document: {
    document_id: string
    text_hash: string
    found_at: EpochMillis
    released_text: string | null
    released_at: EpochMillis | null
  }
  sensitive_finding: {
    document_id: string
    kind: SensitiveKind
    text_hash: string
    is_secret: SqlFlag
    count: number
    places: JsonText
    dismissed_count: number | null
    dismissed_at: EpochMillis | null
  }
}
