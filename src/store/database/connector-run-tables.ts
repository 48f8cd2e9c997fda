// Row types of schedules and runs of connectors, for the query builder.
import type { Generated } from 'kysely'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface CcPairScheduleRow {
  cc_pair_id: number
  holder: string | null
  lease_until: EpochMillis | null
  fence: number
  last_started: EpochMillis | null
  failures: number
  not_before: EpochMillis | null
  wait_reason: string | null
  wait_until: EpochMillis | null
  polled_until: EpochMillis | null
  prune_wanted: SqlFlag
  prune_state: string | null
  prune_started: EpochMillis | null
  prune_error: string | null
  prune_removed: number | null
  last_pruned: EpochMillis | null
  source_count: number | null
  counted_at: EpochMillis | null
  access_freq: number | null
  access_synced: EpochMillis | null
  access_started: EpochMillis | null
  access_failures: Generated<number>
  access_not_before: EpochMillis | null
  access_error: string | null
  access_closed: Generated<SqlFlag>
  listed_at: Generated<EpochMillis | null>
  missing_count: Generated<number | null>
  failure_kind: Generated<string | null>
}

export interface IndexAttemptRow {
  id: Generated<number>
  cc_pair_id: number
  status: string
  from_beginning: SqlFlag
  targets: JsonText | null
  poll_range_start: EpochMillis | null
  poll_range_end: EpochMillis | null
  checkpoint: JsonText | null
  new_docs: number
  total_docs: number
  removed_docs: number
  skipped_docs: number
  docs_without_text: Generated<number>
  changed_docs: Generated<number>
  unchanged_docs: Generated<number>
  error_count: number
  error_msg: string | null
  trace: string | null
  time_created: EpochMillis
  time_started: EpochMillis | null
  time_updated: EpochMillis
  time_finished: EpochMillis | null
}

export interface IndexAttemptErrorRow {
  id: Generated<number>
  cc_pair_id: number
  index_attempt_id: number
  document_id: string | null
  document_link: string | null
  entity_id: string | null
  stage: string
  failure_message: string
  is_resolved: SqlFlag
  time_created: EpochMillis
}

export interface SkippedDocumentRow {
  cc_pair_id: number
  key: string
  document_id: string
  document_link: string | null
  reason: string
  index_attempt_id: number
  time_created: EpochMillis
}

export interface AttemptLogLineRow {
  cc_pair_id: number
  index_attempt_id: number
  line: number
  time: EpochMillis
  level: string
  text: string
}

interface PruneCandidateRow {
  cc_pair_id: number
  key: string
  document_id: string
  seq: number
}

export interface ConnectorRunTables {
  cc_pair_schedule: CcPairScheduleRow
  index_attempt: IndexAttemptRow
  index_attempt_error: IndexAttemptErrorRow
  skipped_document: SkippedDocumentRow
  source_note: { cc_pair_id: number; key: string; value: string }
  given_name: { digest: string; cc_pair_id: number }
  attempt_log_line: AttemptLogLineRow
  prune_candidate: PruneCandidateRow
  missing_document: { cc_pair_id: number; key: string; document_id: string }
  source_group_member: { cc_pair_id: number; group_id: string; email: string }
}
