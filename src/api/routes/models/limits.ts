// Limits of requests and tokens. The paths under /admin/token-rate-limits have the shapes of the wire.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Queryable } from '../../../store/database/database.ts'
import {
  countTokensOfLimit,
  deleteLimit,
  getLimit,
  insertLimit,
  LIMIT_SCOPES,
  type LimitAmount,
  type LimitTarget,
  listLimits,
  MAX_PERIOD_HOURS,
  type StoredLimit,
  updateLimit,
} from '../../../store/models/usage-limits.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireBoolean,
  wireEnum,
  wireInteger,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const MAX_AMOUNT = 1_000_000_000
const amount = () => wireInteger({ min: 1, max: MAX_AMOUNT })
const amountFields = {
  requests_per_minute: nullish(amount()),
  token_budget: nullish(amount()).describe('In thousands of tokens, input and output together.'),
  period_hours: nullish(wireInteger({ min: 1, max: MAX_PERIOD_HOURS })).describe(
    'The hours in which the tokens of `token_budget` may be used. Default: 24.',
  ),
  enabled: nullish(wireBoolean()).describe('Default: true.'),
}
const UsageLimitUpdate = z.object(amountFields).meta({ id: 'UsageLimitUpdate' })
const UsageLimitCreate = z
  .object({
    applies_to: wireEnum(LIMIT_SCOPES).describe(
      '`global`: all callers together. `user`: each person and each key that acts for nobody. Otherwise one group, person or key.',
    ),
    target_id: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })).describe(
      'The id of the group, person or key.',
    ),
    ...amountFields,
  })
  .meta({ id: 'UsageLimitCreate' })

const UsageLimit = z
  .object({
    id: z.int(),
    applies_to: z.enum(LIMIT_SCOPES),
    target_id: z.string().nullable(),
    target_name: z.string().nullable(),
    requests_per_minute: z.int().nullable(),
    token_budget: z.int().nullable(),
    period_hours: z.int().nullable(),
    enabled: z.boolean(),
  })
  .meta({ id: 'UsageLimit' })
const UsageOfLimit = z
  .object({
    limit_id: z.int(),
    used: z
      .int()
      .describe('Requests of this minute, or tokens of the period. For `user`, those of the person or key with most.'),
    allowed: z.int(),
  })
  .meta({ id: 'UsageOfLimit' })

const usageLimit = (stored: StoredLimit): z.infer<typeof UsageLimit> => ({
  id: stored.id,
  applies_to: stored.applies_to,
  target_id: stored.person_id ?? stored.group_id?.toString() ?? stored.api_key_id?.toString() ?? null,
  target_name: stored.target_name,
  requests_per_minute: stored.requests_per_minute,
  token_budget: stored.token_budget,
  period_hours: stored.period_hours,
  enabled: stored.enabled === 1,
})

type SentAmount = z.infer<typeof UsageLimitUpdate>

const DEFAULT_HOURS = 24

function readAmount({ requests_per_minute, token_budget, period_hours, enabled }: SentAmount): LimitAmount {
  if ((requests_per_minute === null) === (token_budget === null)) {
    throw new AppError('INVALID_INPUT', { reason: 'Set either requests_per_minute or token_budget.' })
  }
  const hours = token_budget === null ? null : (period_hours ?? DEFAULT_HOURS)
  return { requests_per_minute, token_budget, period_hours: hours, enabled: enabled ?? true }
}

const NO_TARGET = { group_id: null, person_id: null, api_key_id: null }

function readTarget({ applies_to, target_id }: z.infer<typeof UsageLimitCreate>): LimitTarget {
  if (applies_to === 'global' || applies_to === 'user') {
    if (target_id !== null)
      throw new AppError('INVALID_INPUT', { reason: `A limit for "${applies_to}" has no target_id.` })
    return { ...NO_TARGET, applies_to }
  }
  if (target_id === null)
    throw new AppError('INVALID_INPUT', { reason: `A limit for "${applies_to}" needs a target_id.` })
  if (applies_to === 'person') return { ...NO_TARGET, applies_to, person_id: target_id }
  const id = /^\d{1,15}$/.test(target_id) ? Number(target_id) : null
  if (id === null) throw new AppError('INVALID_INPUT', { reason: 'The target_id of a group or key is a number.' })
  return applies_to === 'key'
    ? { ...NO_TARGET, applies_to, api_key_id: id }
    : { ...NO_TARGET, applies_to, group_id: id }
}

/** An administrator can change the limits even if these are used up. */
const limitDefaults = { access: 'admin', tag: 'Limits', ignoresLimits: true } as const
const LimitPath = z.object({ limit_id: wirePathInteger() })

const limitRoutesOfOurs = [
  route({
    ...limitDefaults,
    name: 'listLimits',
    method: 'GET',
    path: '/admin/limits',
    summary: 'List limits',
    reply: z.array(UsageLimit),
    services: ['db'],
    handle: async ({ services: { db } }) => (await listLimits(db)).map(usageLimit),
  }),
  route({
    ...limitDefaults,
    name: 'createLimit',
    method: 'POST',
    path: '/admin/limits',
    summary: 'Create limit',
    description:
      'Of requests per minute, or of tokens of language models. A request beyond a limit is answered 429; a chat beyond it quotes documents and says why.',
    audit: { action: 'limit.create', object: (_, { id }) => id },
    body: UsageLimitCreate,
    reply: UsageLimit,
    errors: ['INVALID_INPUT', 'USER_GROUP_NOT_FOUND', 'PERSON_NOT_FOUND', 'API_KEY_NOT_FOUND'],
    services: ['db', 'now', 'requestLimits'],
    handle: async ({ body, services: { db, now, requestLimits } }) => {
      const stored = await insertLimit(db, { ...readTarget(body), ...readAmount(body) }, now())
      await requestLimits.load()
      return usageLimit(stored)
    },
  }),
  route({
    ...limitDefaults,
    name: 'updateLimit',
    method: 'PUT',
    path: '/admin/limits/{limit_id}',
    summary: 'Replace the amount of a limit',
    audit: { action: 'limit.update', object: 'limit_id' },
    params: LimitPath,
    body: UsageLimitUpdate,
    reply: UsageLimit,
    errors: ['INVALID_INPUT', 'LIMIT_NOT_FOUND'],
    services: ['db', 'requestLimits'],
    handle: async ({ params, body, services: { db, requestLimits } }) => {
      const stored = await updateLimit(db, params.limit_id, readAmount(body))
      await requestLimits.load()
      return usageLimit(stored)
    },
  }),
  route({
    ...limitDefaults,
    name: 'deleteLimit',
    method: 'DELETE',
    path: '/admin/limits/{limit_id}',
    summary: 'Delete limit',
    audit: { action: 'limit.delete', object: 'limit_id' },
    params: LimitPath,
    reply: z.null(),
    errors: ['LIMIT_NOT_FOUND'],
    services: ['db', 'requestLimits'],
    handle: async ({ params, services: { db, requestLimits } }) => {
      await deleteLimit(db, params.limit_id)
      await requestLimits.load()
      return null
    },
  }),
  route({
    ...limitDefaults,
    name: 'getUsageOfLimits',
    method: 'GET',
    path: '/admin/limits/usage',
    summary: 'Get usage of limits',
    description: 'Requests are those that this process has answered.',
    reply: z.array(UsageOfLimit),
    services: ['db', 'now', 'requestLimits'],
    handle: async ({ services: { db, now, requestLimits } }) => {
      const usages: z.infer<typeof UsageOfLimit>[] = []
      for (const limit of await listLimits(db)) {
        const { id: limit_id, requests_per_minute, token_budget } = limit
        const used = token_budget === null ? requestLimits.used(limit) : await countTokensOfLimit(db, limit, now())
        usages.push({ limit_id, used, allowed: requests_per_minute ?? (token_budget ?? 0) * 1_000 })
      }
      return usages
    },
  }),
]

const TokenRateLimitArgs = z
  .object({
    enabled: wireBoolean(),
    token_budget: amount().describe('In thousands of tokens.'),
    period_hours: wireInteger({ min: 1, max: MAX_PERIOD_HOURS }),
  })
  .meta({ id: 'TokenRateLimitArgs' })
const TokenRateLimit = z
  .object({ token_id: z.int(), enabled: z.boolean(), token_budget: z.int(), period_hours: z.int() })
  .meta({ id: 'TokenRateLimit' })

const tokenRateLimit = ({ id, enabled, token_budget, period_hours }: StoredLimit): z.infer<typeof TokenRateLimit> => ({
  token_id: id,
  enabled: enabled === 1,
  token_budget: token_budget ?? 0,
  period_hours: period_hours ?? 0,
})

const tokenLimitsOf = async (db: Queryable, appliesTo: LimitTarget['applies_to']): Promise<StoredLimit[]> =>
  (await listLimits(db)).filter((it) => it.applies_to === appliesTo && it.token_budget !== null)

const amountOf = (args: z.infer<typeof TokenRateLimitArgs>): LimitAmount => ({ ...args, requests_per_minute: null })

const collectionRoutes = (
  [
    ['global', 'global', 'Global', 'of all callers together'],
    ['users', 'user', 'User', 'of each person'],
  ] as const
).flatMap(([path, applies_to, name, summary]) => [
  route({
    ...limitDefaults,
    name: `list${name}TokenLimits`,
    method: 'GET',
    path: `/admin/token-rate-limits/${path}`,
    summary: `List token limits ${summary}`,
    reply: z.array(TokenRateLimit),
    services: ['db'],
    handle: async ({ services: { db } }) => (await tokenLimitsOf(db, applies_to)).map(tokenRateLimit),
  }),
  route({
    ...limitDefaults,
    name: `create${name}TokenLimit`,
    method: 'POST',
    path: `/admin/token-rate-limits/${path}`,
    summary: `Create a token limit ${summary}`,
    audit: { action: 'limit.create', object: (_, { token_id }) => token_id },
    body: TokenRateLimitArgs,
    reply: TokenRateLimit,
    errors: ['INVALID_INPUT'],
    services: ['db', 'now'],
    handle: async ({ body, services: { db, now } }) =>
      tokenRateLimit(await insertLimit(db, { ...NO_TARGET, applies_to, ...amountOf(body) }, now())),
  }),
])

const GroupPath = z.object({ group_id: wirePathInteger() })
const TokenLimitPath = z.object({ token_rate_limit_id: wirePathInteger() })

async function getTokenLimit(db: Queryable, id: number): Promise<void> {
  if ((await getLimit(db, id)).token_budget === null) throw new AppError('LIMIT_NOT_FOUND', { id })
}

const tokenLimitRoutes = [
  ...collectionRoutes,
  route({
    ...limitDefaults,
    name: 'listGroupTokenLimits',
    method: 'GET',
    path: '/admin/token-rate-limits/user-groups',
    summary: 'List token limits of groups, by name',
    reply: z.record(z.string(), z.array(TokenRateLimit)),
    services: ['db'],
    handle: async ({ services: { db } }) => {
      const byName = Map.groupBy(await tokenLimitsOf(db, 'user_group'), (it) => it.target_name ?? '')
      return Object.fromEntries([...byName].map(([name, limits]) => [name, limits.map(tokenRateLimit)]))
    },
  }),
  route({
    ...limitDefaults,
    name: 'listTokenLimitsOfGroup',
    method: 'GET',
    path: '/admin/token-rate-limits/user-group/{group_id}',
    summary: 'List token limits of a group',
    description: 'Empty if nothing has the id.',
    params: GroupPath,
    reply: z.array(TokenRateLimit),
    services: ['db'],
    handle: async ({ params, services: { db } }) =>
      (await tokenLimitsOf(db, 'user_group')).filter((it) => it.group_id === params.group_id).map(tokenRateLimit),
  }),
  route({
    ...limitDefaults,
    name: 'createTokenLimitOfGroup',
    method: 'POST',
    path: '/admin/token-rate-limits/user-group/{group_id}',
    summary: 'Create a token limit that a group shares',
    audit: { action: 'limit.create', object: (_, { token_id }) => token_id },
    params: GroupPath,
    body: TokenRateLimitArgs,
    reply: TokenRateLimit,
    errors: ['INVALID_INPUT', 'USER_GROUP_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ params: { group_id }, body, services: { db, now } }) => {
      const target = { ...NO_TARGET, applies_to: 'user_group', group_id } as const
      return tokenRateLimit(await insertLimit(db, { ...target, ...amountOf(body) }, now()))
    },
  }),
  route({
    ...limitDefaults,
    name: 'updateTokenLimit',
    method: 'PUT',
    path: '/admin/token-rate-limits/rate-limit/{token_rate_limit_id}',
    summary: 'Update token limit',
    audit: { action: 'limit.update', object: 'token_rate_limit_id' },
    params: TokenLimitPath,
    body: TokenRateLimitArgs,
    reply: TokenRateLimit,
    errors: ['LIMIT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params: { token_rate_limit_id: id }, body, services: { db } }) => {
      await getTokenLimit(db, id)
      return tokenRateLimit(await updateLimit(db, id, amountOf(body)))
    },
  }),
  route({
    ...limitDefaults,
    name: 'deleteTokenLimit',
    method: 'DELETE',
    path: '/admin/token-rate-limits/rate-limit/{token_rate_limit_id}',
    summary: 'Delete token limit',
    audit: { action: 'limit.delete', object: 'token_rate_limit_id' },
    params: TokenLimitPath,
    reply: z.null(),
    errors: ['LIMIT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params: { token_rate_limit_id: id }, services: { db } }) => {
      await getTokenLimit(db, id)
      await deleteLimit(db, id)
      return null
    },
  }),
]

export const limitRoutes = [...limitRoutesOfOurs, ...tokenLimitRoutes]
