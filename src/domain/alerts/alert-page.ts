// The page where a person can act on an alert.
import type { AlertCondition } from './alert.ts'

/** A path of this service. */
export function alertPage({ kind, cc_pair_id }: Pick<AlertCondition, 'kind' | 'cc_pair_id'>): string {
  if (kind === 'unmatched_people') return '/admin/access'
  if (cc_pair_id !== null) return `/admin/connector/${cc_pair_id}`
  return PAGES[kind] ?? '/admin/overview'
}

const PAGES: Partial<Record<AlertCondition['kind'], string>> = {
  removal_held: '/admin/scim',
  certificate_expiring: '/admin/sign-in',
  certificate_expired: '/admin/sign-in',
  model_failing: '/admin/models',
  embedding_failing: '/admin/embedding',
}
