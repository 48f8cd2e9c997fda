// Row types of the tables of text recognition.
import type { Generated } from 'kysely'
import type { RecognitionState } from '../../domain/pictures/recognition.ts'
import type { EpochMillis, JsonText, SqlFlag } from '../database/column-types.ts'
import type { ModelTextTables } from '../made-texts/model-text-tables.ts'

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

/** With the tables of texts that models make of files. */
export interface RecognitionTables extends ModelTextTables {
  recognition: RecognitionRow
  recognition_document: { document_id: string; blob: string; is_settled: SqlFlag }
}
