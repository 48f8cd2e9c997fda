// The tables of what pulls from sources, for the query builder.
import type { Generated } from 'kysely'

type Flag = 0 | 1
type Json = string
type Millis = number

export interface CcPairScheduleRow {
  cc_pair_id: number
  holder: string | null
  lease_until: Millis | null
  fence: number
  last_started: Millis | null
  failures: number
  not_before: Millis | null
  wait_reason: string | null
  wait_until: Millis | null
  polled_until: Millis | null
  prune_wanted: Flag
  prune_state: string | null
  prune_started: Millis | null
  prune_error: string | null
  prune_removed: number | null
  last_pruned: Millis | null
  source_count: number | null
  counted_at: Millis | null
  access_freq: number | null
  access_synced: Millis | null
  access_started: Millis | null
  access_failures: Generated<number>
  access_not_before: Millis | null
  access_error: string | null
  access_closed: Generated<Flag>
}

export interface IndexAttemptRow {
  id: Generated<number>
  cc_pair_id: number
  status: string
  from_beginning: Flag
  targets: Json | null
  poll_range_start: Millis | null
  poll_range_end: Millis | null
  checkpoint: Json | null
  new_docs: number
  total_docs: number
  removed_docs: number
  skipped_docs: number
  error_count: number
  error_msg: string | null
  trace: string | null
  time_created: Millis
  time_started: Millis | null
  time_updated: Millis
  time_finished: Millis | null
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
  is_resolved: Flag
  time_created: Millis
}

interface PruneCandidateRow {
  cc_pair_id: number
  key: string
  document_id: string
  seq: number
}

export interface PullingTables {
  cc_pair_schedule: CcPairScheduleRow
  index_attempt: IndexAttemptRow
  index_attempt_error: IndexAttemptErrorRow
  source_note: { cc_pair_id: number; key: string; value: string }
  prune_candidate: PruneCandidateRow
  source_group_member: { cc_pair_id: number; group_id: string; email: string }
}
