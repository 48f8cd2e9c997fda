// Limits concurrent requests and requests per second to each host, across all runs of this process.
import PQueue from 'p-queue'

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

export function createHostRateLimiter({ parallel, perSecond }: HostRateLimits, now: () => number): HostRateLimiter {
  const queues = new Map<string, PQueue>()
  const pauses = new Map<string, number>()
  const rate = perSecond > 0 ? { interval: 1_000, intervalCap: perSecond, strict: true } : {}
  const queueOf = (host: string): PQueue => {
    const queue = queues.get(host) ?? new PQueue({ concurrency: parallel, ...rate })
    queues.delete(host)
    queues.set(host, queue)
    for (const [name, { size, pending }] of queues) {
      if (queues.size <= MAX_HOSTS) break
      if (size + pending === 0 && name !== host) queues.delete(name)
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
    run: (host, work, signal) => queueOf(host).add(work, { signal }),
    pauseUntil: (host, until) => void pauses.set(host, Math.max(until, pauses.get(host) ?? 0)),
    pausedUntil,
  }
}
