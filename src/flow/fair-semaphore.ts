// A semaphore that is fair between keys: it limits concurrent work, serves keys round-robin, and has a bounded queue.

export interface FairSemaphoreSettings {
  /** Permits in use at the same time. */
  permits: number
  /** Permits that one key may hold, so that no key can lock out the others. */
  permitsPerKey: number
  /** Under contention between keys, a key gets a second permit only after a waiter has queued this long. Default 0. */
  extraPermitDelayMs?: number
  /** Waiters of all keys together. */
  maxWaiting: number
  /** Waiters of one key. */
  maxWaitingPerKey: number
}

/** `overloaded`: the queue is full. `rate_limited`: this key has too many waiters. */
export type AcquireRejection = 'overloaded' | 'rate_limited'

export interface Permit {
  /** Absent if the permit is granted at once. Never rejects, and never resolves after `release`. */
  granted?: Promise<void>
  /** Returns the permit, or leaves the queue. Idempotent. */
  release(): void
}

export interface FairSemaphore {
  acquire(key: string): Permit | AcquireRejection
}

interface Waiter {
  grant(): void
  queuedAtMs: number
}

/** Requests of two keys within this time count as contention. */
const CONTENTION_MS = 1_000

export function createFairSemaphore(settings: FairSemaphoreSettings, now = () => performance.now()): FairSemaphore {
  const { permits, permitsPerKey, extraPermitDelayMs = 0, maxWaiting, maxWaitingPerKey } = settings
  /** Waiters by key. Keys are served in map order; a served key moves to the end. */
  const queues = new Map<string, Set<Waiter>>()
  const active = createKeyCounts()
  const contention = createContention(now)
  let waiting = 0

  const returnPermit = (key: string) => {
    active.remove(key)
    grantNext()
  }

  const canAcquire = (key: string, sinceMs: number) => {
    const own = active.of(key)
    if (active.total() >= permits || own >= permitsPerKey) return false
    return own === 0 || now() >= Math.min(contention.untilMs(), sinceMs + extraPermitDelayMs)
  }

  const grantNext = () => {
    for (const [key, queue] of queues) {
      const [next] = queue
      if (next === undefined || !canAcquire(key, next.queuedAtMs)) continue
      queues.delete(key)
      queue.delete(next)
      if (queue.size > 0) queues.set(key, queue)
      waiting--
      active.add(key)
      next.grant()
    }
  }

  const enqueue = (key: string, queue: Set<Waiter>): Permit => {
    let state: 'queued' | 'granted' | 'released' = 'queued'
    const { promise: granted, resolve } = Promise.withResolvers<void>()
    const grant = () => {
      state = 'granted'
      resolve()
    }
    const waiter: Waiter = { grant, queuedAtMs: now() }
    queues.set(key, queue.add(waiter))
    waiting++
    const release = () => {
      const before = state
      state = 'released'
      if (before === 'granted') returnPermit(key)
      if (before !== 'queued') return
      waiting--
      queue.delete(waiter)
      if (queue.size === 0) queues.delete(key)
    }
    return { granted, release }
  }

  return {
    acquire(key) {
      contention.note(key)
      if (canAcquire(key, now())) {
        active.add(key)
        let isReleased = false
        return {
          release() {
            if (!isReleased) returnPermit(key)
            isReleased = true
          },
        }
      }
      const queue = queues.get(key) ?? new Set()
      if (queue.size >= maxWaitingPerKey) return 'rate_limited'
      return waiting >= maxWaiting ? 'overloaded' : enqueue(key, queue)
    },
  }
}

/** How many permits are held, by key and in total. */
function createKeyCounts() {
  const byKey = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    of: (key: string) => byKey.get(key) ?? 0,
    add(key: string) {
      total++
      byKey.set(key, (byKey.get(key) ?? 0) + 1)
    },
    remove(key: string) {
      total--
      const rest = (byKey.get(key) ?? 0) - 1
      if (rest > 0) byKey.set(key, rest)
      else byKey.delete(key)
    },
  }
}

/** Until when the keys contend: for a while after a request of another key than the one before. */
function createContention(now: () => number) {
  let lastKey = ''
  let untilMs = 0
  return {
    untilMs: () => untilMs,
    note(key: string) {
      if (lastKey !== '' && key !== lastKey) untilMs = now() + CONTENTION_MS
      lastKey = key
    },
  }
}
