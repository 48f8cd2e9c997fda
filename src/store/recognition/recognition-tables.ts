// Row types of the tables of text recognition.
import type { Generated } from 'kysely'
import type { RecognitionState } from '../../domain/pictures/recognition.ts'
import type { EpochMillis, JsonText, SqlFlag } from '../database/column-types.ts'

export interface RecognitionRow {
  blob: string
  name: string
  state: Generated<RecognitionState>
  queued_at: EpochMillis
  finished_at: EpochMillis | null
  pages: Generated<JsonText>
  attempts: Generated<number>
  retry_at: Generated<EpochMillis>
  error: string | null
}

export interface RecognitionTables {
  recognition: RecognitionRow
  recognition_document: { document_id: string; blob: string; is_settled: SqlFlag }
}
