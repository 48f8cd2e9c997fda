// So many requests at once and a second to one host, whoever asks: all runs of this process share the turns.
import PQueue from 'p-queue'

export interface GateSettings {
  /** Requests to one host that are under way together. */
  parallel: number
  /** Requests to one host that begin within a second; 0 for no bound. */
  perSecond: number
}

export interface HostGates {
  /** Does the work when it is its turn. Rejects at the signal. */
  pass<T>(host: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** The host wants to be left alone until then. */
  hold(host: string, until: number): void
  /** When the host may be asked again, if it does not want to be asked now. */
  heldUntil(host: string): number | null
}

/** More hosts than this are not remembered: a crawl stays on one. */
const MAX_HOSTS = 1_000

export function openHostGates({ parallel, perSecond }: GateSettings, now: () => number): HostGates {
  const queues = new Map<string, PQueue>()
  const held = new Map<string, number>()
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
  const heldUntil = (host: string): number | null => {
    const until = held.get(host)
    if (until !== undefined && until > now()) return until
    held.delete(host)
    return null
  }
  return {
    pass: (host, work, signal) => queueOf(host).add(work, { signal }),
    hold: (host, until) => void held.set(host, Math.max(until, held.get(host) ?? 0)),
    heldUntil,
  }
}
