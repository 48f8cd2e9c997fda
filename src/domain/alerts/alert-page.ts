// The page where a person can act on an alert.
import type { AlertCondition } from './alert.ts'

/** A path of this service. */
export function alertPage({
  kind,
  cc_pair_id,
  object_id,
}: Pick<AlertCondition, 'kind' | 'cc_pair_id' | 'object_id'>): string {
  if (kind === 'unmatched_people') return '/admin/access'
  if (cc_pair_id !== null) return `/admin/connector/${cc_pair_id}`
  if (kind === 'webhook_paused') return `/admin/webhooks/${object_id}`
  if (kind === 'mcp_credential_refused') return `/admin/mcp-servers/${object_id}`
  return PAGES[kind] ?? '/admin/overview'
}

const PAGES: Partial<Record<AlertCondition['kind'], string>> = {
  removal_held: '/admin/scim',
  key_expiring: '/admin/ingestion',
  key_expired: '/admin/ingestion',
  model_failing: '/admin/models',
  backup_old: '/admin/backup',
  certificate_expiring: '/admin/sign-in',
  certificate_expired: '/admin/sign-in',
  embedding_failing: '/admin/embedding',
}
