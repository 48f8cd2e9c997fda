// Row types of the tables of texts that models made of files.
import type { Generated } from 'kysely'
import type { ModelTextKind, ModelTextState } from '../../domain/made-texts/model-text.ts'
import type { EpochMillis, JsonText, SqlFlag } from '../database/column-types.ts'

export interface ModelTextRow {
  blob: string
  kind: ModelTextKind
  name: string
  state: Generated<ModelTextState>
  queued_at: EpochMillis
  finished_at: EpochMillis | null
  model: string | null
  content: JsonText | null
  attempts: Generated<number>
  retry_at: Generated<EpochMillis>
  error: string | null
}

export interface ModelTextTables {
  model_text: ModelTextRow
  model_text_document: { document_id: string; blob: string; kind: ModelTextKind; is_settled: SqlFlag }
  model_text_usage: { day: string; kind: ModelTextKind; amount: number }
  caption_settings: { id: number; is_on: SqlFlag; pictures_per_day: number; time_updated: EpochMillis }
  transcription_model: {
    id: number
    url: string
    model: string
    language: string | null
    minutes_per_day: number
    api_key: string | null
    time_updated: EpochMillis
  }
}
