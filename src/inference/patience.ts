// How long a model may keep somebody waiting: for its first word, between two, and in all. The time that the reader takes
// for itself does not count.

export interface Limits {
  firstMs: number
  idleMs: number
}

export type Lateness = 'first' | 'idle' | 'total' | 'closing'

export interface Patience {
  /** Aborted when one of the limits is over, or the caller has gone. */
  stop: AbortController
  /** Which limit it was. */
  late(): Lateness | null
  /** Something came. */
  heard(): void
  /** All was said: what is still to come is only the count. */
  closing(): void
  isClosing(): boolean
  /** Somebody reads what came; `resume` when the next piece is waited for. */
  pause(): void
  resume(): void
  /** Nobody waits any more; what is under way ends. */
  end(): void
}

/** An answer that takes longer is none that somebody waits for. */
const TOTAL_MS = 15 * 60_000
/** Some servers keep the connection and say nothing more. */
const CLOSING_MS = 2_000

export function openPatience({ firstMs, idleMs }: Limits, caller: AbortSignal): Patience {
  const stop = new AbortController()
  let late: Lateness | null = null
  const fire = (which: Lateness) => {
    late ??= which
    stop.abort()
  }
  const leave = () => stop.abort()
  caller.addEventListener('abort', leave, { once: true })
  const total = setTimeout(fire, TOTAL_MS, 'total')
  let phase: { which: Lateness; leftMs: number } = { which: 'first', leftMs: firstMs }
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined
  const pause = () => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    phase = { ...phase, leftMs: Math.max(0, phase.leftMs - (performance.now() - since)) }
  }
  const resume = () => {
    since = performance.now()
    timer ??= setTimeout(fire, phase.leftMs, phase.which)
  }
  resume()
  return {
    stop,
    late: () => late,
    heard() {
      if (phase.which !== 'closing') phase = { which: 'idle', leftMs: idleMs }
    },
    closing() {
      if (phase.which !== 'closing') phase = { which: 'closing', leftMs: Math.min(CLOSING_MS, idleMs) }
    },
    isClosing: () => phase.which === 'closing',
    pause,
    resume,
    end() {
      clearTimeout(total)
      pause()
      caller.removeEventListener('abort', leave)
      stop.abort()
    },
  }
}
