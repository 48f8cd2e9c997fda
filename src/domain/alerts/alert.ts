// Alerts: conditions that need an administrator.

export const ALERT_KINDS = [
  /** The runs of a pair fail. */
  'source_failing',
  /** The source refuses the credential of a pair. */
  'credential_refused',
  /** The permissions of a source cannot be read. */
  'permissions_failing',
  /** A pair has been paused for long. */
  'source_paused',
  /** Deletions wait for a person to confirm them. */
  'prune_held',
  /** Documents of a pair could not be read or indexed. */
  'documents_failed',
  /** Members of groups of a source have no account here. */
  'unmatched_people',
  /** The directory wants to remove too many people. */
  'removal_held',
  /** An API key that is in use expires. */
  'key_expiring',
  'key_expired',
  /** An MCP server refuses the credentials that everybody shares, or the sign-in at it has ended. */
  'mcp_credential_refused',
  /** The certificate of a sign-in provider expires. */
  'certificate_expiring',
  'certificate_expired',
  /** A language model does not answer. */
  'model_failing',
  /** The embedding model does not answer. */
  'embedding_failing',
  'disk_nearly_full',
  /** There is so little space that documents and files are refused. */
  'disk_full',
  /** The record is incomplete, replaced or damaged. */
  'record_damaged',
  /** Backups are made here, and the newest one is old. */
  'backup_old',
  /** A webhook was paused, because its deliveries failed. */
  'webhook_paused',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const ALERT_EVENTS = ['alert.opened', 'alert.closed'] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]

/** A condition that holds now. `kind` and `object_id` identify it. */
export interface AlertCondition {
  kind: AlertKind
  /** The id of what it is about; empty if it is about the whole service. */
  object_id: string
  /** The pair, if it is about one. Those who manage it may see the alert. */
  cc_pair_id: number | null
  /** The name of what it is about. */
  name: string | null
  /** A sentence that says why. */
  reason: string | null
  /** How many documents, people or removals. */
  count: number | null
  /** The next retry of a run; the end of a key or a certificate. */
  due_at: number | null
  /** Since when it holds; null if that is not known, and then since it was seen. */
  since: number | null
  /** Whether only this process can see it, such as the space on its disk. */
  isLocal: boolean
}

/** A condition that says no more than its kind. */
export const conditionOf = (kind: AlertKind, facts: Partial<Omit<AlertCondition, 'kind'>> = {}): AlertCondition => ({
  ...{ kind, object_id: '', cc_pair_id: null, name: null, reason: null, count: null },
  ...{ due_at: null, since: null, isLocal: false },
  ...facts,
})
