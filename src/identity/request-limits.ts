// Limits of requests per minute. The counts are in the memory of this process; the limits are in the record.
import type { Subject } from '../domain/subject.ts'
import { createLruCache } from '../flow/lru-cache.ts'
import type { Database } from '../store/database/database.ts'
import { appliesTo, listLimits, type StoredLimit } from '../store/models/usage-limits.ts'

/** The rest of the limit that is nearest to its end. */
export interface RequestAllowance {
  limit: number
  remaining: number
  /** Until requests count from zero again. */
  resetSeconds: number
  /** The request itself is one too many. It was not counted. */
  isExceeded: boolean
}

type LimitedSubject = Pick<Subject, 'user_id' | 'api_key_id' | 'person_id' | 'groups'>

export interface RequestLimits {
  /** Counts one request. Null if no limit applies. */
  count(subject: LimitedSubject): RequestAllowance | null
  /** Requests of the current minute. For `user` they are those of the person or key that sent most. */
  used(limit: StoredLimit): number
  /** Reads the limits again: after each change, and every minute for changes by other processes. */
  load(): Promise<void>
}

const MINUTE_MS = 60_000
const MAX_COUNTED = 50_000

interface RequestCount {
  startedAt: number
  requests: number
}

interface LimitCount {
  limit: StoredLimit
  max: number
  key: string
  count: RequestCount
}

export function openRequestLimits({ db, now }: { db: Database; now: () => number }): RequestLimits {
  let limits: readonly StoredLimit[] = []
  const counts = createLruCache<string, RequestCount>(MAX_COUNTED)
  /** The subject with the most requests, for each limit of every person. */
  const most = new Map<number, string>()
  const currentCount = (key: string): RequestCount => {
    const count = counts.get(key)
    return count === undefined || now() - count.startedAt >= MINUTE_MS ? { startedAt: now(), requests: 0 } : count
  }
  const countsOf = (subject: LimitedSubject): LimitCount[] =>
    limits.flatMap((limit) => {
      if (limit.requests_per_minute === null || !appliesTo(limit, subject)) return []
      const key = keyOf(limit, subject.user_id)
      return [{ limit, max: limit.requests_per_minute, key, count: currentCount(key) }]
    })
  const add = ({ limit, key, count }: LimitCount) => {
    count.requests++
    counts.set(key, count)
    const leader = most.get(limit.id)
    if (leader === undefined || currentCount(leader).requests < count.requests) most.set(limit.id, key)
  }
  return {
    count(subject) {
      if (limits.length === 0) return null
      const applied = countsOf(subject)
      const binding = findBinding(applied)
      if (binding === undefined) return null
      const { max: limit, count } = binding
      const isExceeded = count.requests >= limit
      if (!isExceeded) for (const it of applied) add(it)
      const resetSeconds = Math.max(1, Math.ceil((count.startedAt + MINUTE_MS - now()) / 1_000))
      return { limit, remaining: Math.max(0, limit - count.requests), resetSeconds, isExceeded }
    },
    used: (limit) => {
      const key = limit.applies_to === 'user' ? most.get(limit.id) : keyOf(limit, '')
      return key === undefined ? 0 : currentCount(key).requests
    },
    async load() {
      limits = (await listLimits(db)).filter((it) => it.enabled === 1 && it.requests_per_minute !== null)
      for (const id of most.keys()) if (!limits.some((it) => it.id === id)) most.delete(id)
    },
  }
}

/** A limit of every person counts each of them. */
const keyOf = ({ id, applies_to }: StoredLimit, userId: string): string =>
  applies_to === 'user' ? `${id} ${userId}` : String(id)

/** Of several limited groups, the one with most requests left counts. Of everything else, the one with fewest. */
function findBinding(applied: readonly LimitCount[]): LimitCount | undefined {
  const left = ({ max, count }: LimitCount) => max - count.requests
  const leastOf = (items: readonly LimitCount[]) => items.toSorted((a, b) => left(a) - left(b))[0]
  const groups = Map.groupBy(applied.filter(isOfGroup), (it) => it.limit.group_id)
  const bestGroup = [...groups.values()].flatMap((it) => leastOf(it) ?? []).toSorted((a, b) => left(b) - left(a))[0]
  const others = applied.filter((it) => !isOfGroup(it))
  return leastOf(bestGroup === undefined ? others : [bestGroup, ...others])
}

const isOfGroup = ({ limit }: LimitCount): boolean => limit.applies_to === 'user_group'
