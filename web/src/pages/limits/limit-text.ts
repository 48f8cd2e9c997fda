// The texts of a limit: to whom it applies, and what it allows.
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

/** In the order of the choice. */
export const SCOPES: readonly UsageLimit['applies_to'][] = ['global', 'user', 'user_group', 'person', 'key']

export function targetText({ applies_to, target_id, target_name }: UsageLimit): string {
  if (target_id === null) return textsOf('admin.limits')(`scopes.${applies_to}`)
  return target_name ?? textsOf('parts')('key_without_name', { id: String(target_id) })
}

export function amountText({ requests_per_minute, token_budget, period_hours }: UsageLimit): string {
  const t = textsOf('admin.limits')
  return token_budget === null
    ? t('requests_per_minute', { count: requests_per_minute ?? 0 })
    : t('tokens_per_hours', { tokens: token_budget * 1_000, hours: period_hours ?? 1 })
}

/** Two limits of one group have different names. */
export const limitName = (limit: UsageLimit): string =>
  textsOf('admin.limits')('name', { target: targetText(limit), amount: amountText(limit) })
