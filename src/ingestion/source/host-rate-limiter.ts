// Limits concurrent requests and requests per second to each host, across all runs of this process.
import { setTimeout as delay } from 'node:timers/promises'
import { createSemaphore, type Semaphore } from '../../flow/semaphore.ts'

export interface HostRateLimits {
  /** The maximum number of concurrent requests to one host. */
  parallel: number
  /** The maximum number of requests per second to one host; 0 for no limit. */
  perSecond: number
}

export interface HostRateLimiter {
  /** Runs the work when the limits allow. Rejects at the signal. */
  run<T>(host: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Records that the host asked to wait. */
  pauseUntil(host: string, until: number): void
  /** The time until which the host asked to wait; null if it did not. */
  pausedUntil(host: string): number | null
}

/** The number of hosts to remember; a crawl stays on one. */
const MAX_HOSTS = 1_000

interface HostQueue {
  semaphore: Semaphore
  /** Resolves when the next request may start. */
  waitForTurn(signal: AbortSignal): Promise<void>
}

export function createHostRateLimiter({ parallel, perSecond }: HostRateLimits, now: () => number): HostRateLimiter {
  const queues = new Map<string, HostQueue>()
  const pauses = new Map<string, number>()
  const queueOf = (host: string): HostQueue => {
    const waitForTurn = perSecond > 0 ? createTurns(perSecond) : async () => {}
    const queue = queues.get(host) ?? { semaphore: createSemaphore(parallel), waitForTurn }
    queues.delete(host)
    queues.set(host, queue)
    for (const [name, { semaphore }] of queues) {
      if (queues.size <= MAX_HOSTS) break
      if (semaphore.isIdle() && name !== host) queues.delete(name)
    }
    return queue
  }
  const pausedUntil = (host: string): number | null => {
    const until = pauses.get(host)
    if (until !== undefined && until > now()) return until
    pauses.delete(host)
    return null
  }
  return {
    run(host, work, signal) {
      const { semaphore, waitForTurn } = queueOf(host)
      return semaphore.run(() => waitForTurn(signal).then(work), signal)
    },
    pauseUntil: (host, until) => void pauses.set(host, Math.max(until, pauses.get(host) ?? 0)),
    pausedUntil,
  }
}

/** Gives turns in call order, and never more than `perSecond` within any second. */
function createTurns(perSecond: number): HostQueue['waitForTurn'] {
  const recentTurns: number[] = []
  return async (signal) => {
    const time = performance.now()
    const free = recentTurns.length < perSecond ? time : recentTurns.shift()! + 1_000
    recentTurns.push(Math.max(time, free))
    if (free > time) await delay(Math.ceil(free - time), undefined, { signal })
  }
}
