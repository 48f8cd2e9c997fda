// How many tokens a key, and all keys together, may still use today.

import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Database } from '../../store/database/database.ts'
import { findApiKeyByUserId } from '../../store/identity/api-keys.ts'
import {
  addTokenUsage,
  countTokens,
  startOfNextUtcDay,
  type TokenCounts,
  utcDay,
} from '../../store/models/token-usage.ts'
import { findUsedUpLimit, type TokenSubject } from '../../store/models/usage-limits.ts'
import { getSettings } from '../../store/settings/settings.ts'

export interface ExhaustedBudget {
  /** A sentence for the user. */
  reason: string
  tokens: number
  resetSeconds: number
}

export interface TokenBudget {
  /** Null while tokens are left. */
  findExhausted(subject: TokenSubject): Promise<ExhaustedBudget | null>
  /**
   * Returns the reason, or reserves the tokens until they are released, so that concurrent requests do not spend
   * the same remainder.
   */
  reserve(subject: TokenSubject, tokens: number): Promise<string | { release(): void }>
  /** Never rejects: an answer is delivered even if its usage cannot be recorded. */
  recordUsage(subject: TokenSubject, model: string, tokens: TokenCounts): Promise<void>
}

export function createTokenBudget({
  db,
  logger,
  meter,
  now,
}: {
  db: Database
  logger: Logger
  meter: Pick<Meter, 'countTokens'>
  now: () => number
}): TokenBudget {
  const reserved = new Map<string, number>()
  const adjustReserved = (userId: string, tokens: number) => {
    const left = (reserved.get(userId) ?? 0) + tokens
    if (left > 0) reserved.set(userId, left)
    else reserved.delete(userId)
  }
  const findExhausted: TokenBudget['findExhausted'] = async (subject) => {
    const { usage_id } = subject
    const usedUp = await findUsedUpLimit(db, subject, now())
    if (usedUp !== undefined)
      return { reason: usedUpText(usedUp), tokens: usedUp.tokens, resetSeconds: secondsUntil(usedUp.resetAt) }
    const limit = (await findApiKeyByUserId(db, usage_id))?.daily_token_limit ?? null
    const limitOfAll = (await getSettings(db)).daily_token_limit
    if (limit === null && limitOfAll === null) return null
    const { own, all } = await countTokens(db, usage_id, utcDay(now()))
    const reservedByAll = [...reserved.values()].reduce((sum, it) => sum + it, 0)
    if (limit !== null && own + (reserved.get(usage_id) ?? 0) >= limit) return dailyLimit(limit, 'key')
    return limitOfAll !== null && all + reservedByAll >= limitOfAll ? dailyLimit(limitOfAll, 'service') : null
  }
  const secondsUntil = (at: number) => Math.max(1, Math.ceil((at - now()) / 1_000))
  const dailyLimit = (tokens: number, owner: 'key' | 'service'): ExhaustedBudget => ({
    reason: `The ${tokens} tokens per day of this ${owner} are used up. ${renewalText(now())}`,
    tokens,
    resetSeconds: secondsUntil(startOfNextUtcDay(now())),
  })
  const runExclusive = createMutex()
  return {
    findExhausted,
    reserve(subject, tokens) {
      const { usage_id } = subject
      // Serialised: otherwise concurrent requests would all check before the first one reserves.
      return runExclusive(async () => {
        const exhausted = await findExhausted(subject)
        if (exhausted !== null) return exhausted.reason
        adjustReserved(usage_id, tokens)
        return { release: () => adjustReserved(usage_id, -tokens) }
      })
    },
    async recordUsage({ usage_id: user_id }, model, tokens) {
      meter.countTokens({ input: tokens.input_tokens, output: tokens.output_tokens })
      await addTokenUsage(db, { user_id, model, ...tokens }, now()).catch((error: unknown) =>
        logger.error({ err: error, user_id, model, ...tokens }, 'token usage not recorded'),
      )
    },
  }
}

const usedUpText = ({ limit, hours, tokens }: NonNullable<Awaited<ReturnType<typeof findUsedUpLimit>>>) =>
  `The ${tokens} tokens in ${hours} hours ${OWNERS[limit.applies_to]} are used up. An administrator can change the limit.`

const OWNERS = {
  global: 'of this service',
  user: 'of each person',
  user_group: 'of your group',
  person: 'that you may use',
  key: 'of this key',
}

const renewalText = (now: number) => `The limit resets on ${utcDay(startOfNextUtcDay(now))} at 00:00 UTC.`
