// How many tokens a key, and all keys together, may still use today.
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import { findApiKeyOf } from '../store/api-keys.ts'
import type { Database } from '../store/database.ts'
import { getSettings } from '../store/settings.ts'
import { addUsage, countTokens, dayOf, nextDay, type Tokens } from '../store/token-usage.ts'

export interface Budget {
  /** Why nothing may be used any more, in a sentence for the person; null while something may. */
  spent(subject: Pick<Subject, 'user_id'>): Promise<string | null>
  /** The same, and these count as used until they are released: many at once do not each find the same rest. */
  reserve(subject: Pick<Subject, 'user_id'>, tokens: number): Promise<string | { release(): void }>
  /** Never rejects: an answer that is there is given, counted or not. */
  count(subject: Pick<Subject, 'user_id'>, model: string, tokens: Tokens): Promise<void>
}

export function openBudget({ db, logger, now }: { db: Database; logger: Logger; now: () => number }): Budget {
  const reserved = new Map<string, number>()
  const change = (userId: string, tokens: number) => {
    const left = (reserved.get(userId) ?? 0) + tokens
    if (left > 0) reserved.set(userId, left)
    else reserved.delete(userId)
  }
  const spent: Budget['spent'] = async ({ user_id }) => {
    const limit = (await findApiKeyOf(db, user_id))?.daily_token_limit ?? null
    const limitOfAll = (await getSettings(db)).daily_token_limit
    if (limit === null && limitOfAll === null) return null
    const { own, all } = await countTokens(db, user_id, dayOf(now()))
    const underWay = [...reserved.values()].reduce((sum, it) => sum + it, 0)
    if (limit !== null && own + (reserved.get(user_id) ?? 0) >= limit) {
      return `The ${limit} tokens that this key may use in a day are spent. ${renewal(now())}`
    }
    return limitOfAll !== null && all + underWay >= limitOfAll
      ? `The ${limitOfAll} tokens that this service may use in a day are spent. ${renewal(now())}`
      : null
  }
  let turn: Promise<unknown> = Promise.resolve()
  return {
    spent,
    reserve(subject, tokens) {
      const { user_id } = subject
      // One after the other, or all would look before the first one takes.
      const reserving = turn.then(async () => {
        const reason = await spent(subject)
        if (reason !== null) return reason
        change(user_id, tokens)
        return { release: () => change(user_id, -tokens) }
      })
      turn = reserving.catch(() => {})
      return reserving
    },
    async count({ user_id }, model, tokens) {
      await addUsage(db, { user_id, model, ...tokens }, now()).catch((error: unknown) =>
        logger.error({ err: error, user_id, model, ...tokens }, 'tokens were not counted'),
      )
    },
  }
}

const renewal = (now: number) => `They begin anew on ${dayOf(nextDay(now))} at 00:00 UTC.`
