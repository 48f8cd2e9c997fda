// Raises new documents where time matters: if the query asks for something recent, and among mails, chats and tickets.
import type { RankingFacts } from '../../../store/popularity/ranking-facts.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import type { RankedDocument, ScorePart } from '../fuse.ts'

/** Sources of mails, chats and tickets, and of nothing else. */
const TIMELY_SOURCES: ReadonlySet<string> = new Set(
  'slack teams discord zulip discourse gmail imap jira ticket_tracker linear zendesk freshdesk asana clickup gong fireflies'.split(
    ' ',
  ),
)

/** A document of this age counts half as new. */
const HALF_NEW_DAYS_ASKED = 90
const HALF_NEW_DAYS_OF_SOURCE = 365
/** How much the time of a timely document counts beside that of any document that is asked for. */
const SOURCE_SHARE = 0.5

export interface FreshnessContext {
  weight: number
  isAskedFor: boolean
  facts: ReadonlyMap<string, RankingFacts>
  now: number
}

/** Nothing for a document without a time of its own. */
export function freshnessPart(
  { document_id, score }: RankedDocument,
  { weight, isAskedFor, facts, now }: FreshnessContext,
): ScorePart | undefined {
  const { source = '', own_time = null } = facts.get(document_id) ?? {}
  if (weight === 0 || own_time === null || !(isAskedFor || TIMELY_SOURCES.has(source))) return undefined
  const [share, days] = isAskedFor ? [1, HALF_NEW_DAYS_ASKED] : [SOURCE_SHARE, HALF_NEW_DAYS_OF_SOURCE]
  const newness = 1 / (1 + Math.max(0, now - own_time) / DAY_MS / days)
  return { name: 'freshness', value: score * weight * share * newness, from: newness }
}
