// The texts of a limit: to whom it applies, and what it allows.
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { formatCount } from '../../parts/text.tsx'

export const SCOPE_LABELS = {
  global: 'All callers together',
  user: 'Each person',
  user_group: 'A group',
  person: 'A person',
  key: 'A key',
} satisfies Record<UsageLimit['applies_to'], string>

export const SCOPE_NOTES = {
  global: 'All people and keys share the limit.',
  user: 'Each person with all their keys, and each key that acts for nobody.',
  user_group: 'Everyone in the group shares the limit.',
  person: 'The person with all their keys and sessions.',
  key: 'The key with its tokens and sessions.',
} satisfies Record<UsageLimit['applies_to'], string>

export const targetText = ({ applies_to, target_id, target_name }: UsageLimit): string =>
  target_id === null ? SCOPE_LABELS[applies_to] : (target_name ?? `Key ${target_id}`)

export function amountText({ requests_per_minute, token_budget, period_hours }: UsageLimit): string {
  if (token_budget === null) return `${counted(requests_per_minute ?? 0, 'request')} per minute`
  const hours = period_hours ?? 1
  return `${counted(token_budget * 1_000, 'token')} per ${hours === 1 ? 'hour' : `${formatCount(hours)} hours`}`
}

/** Two limits of one group have different names. */
export const limitName = (limit: UsageLimit): string => `${targetText(limit)}, ${amountText(limit)}`

const counted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
