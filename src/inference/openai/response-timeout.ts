// Limits the time a model may take: to its first token, between tokens, and in total. The time that the reader takes
// does not count.

export interface ResponseTimeoutLimits {
  firstMs: number
  idleMs: number
}

export type TimeoutPhase = 'first' | 'idle' | 'total' | 'closing'

export interface ResponseTimeout {
  /** Aborted when a limit expires or the caller aborts. */
  controller: AbortController
  /** The limit that expired. */
  expiredPhase(): TimeoutPhase | null
  /** Output arrived. */
  onOutput(): void
  /** The answer is complete: only the usage may follow. */
  onFinish(): void
  isFinishing(): boolean
  /** Stops the clock while the reader works; `resume` when waiting for the next chunk. */
  pause(): void
  resume(): void
  /** Clears the timers and aborts the request. */
  dispose(): void
}

/** The limit for a complete response. */
const TOTAL_MS = 15 * 60_000
/** Some servers keep the connection open after the end. */
const FINISH_MS = 2_000

export function startResponseTimeout({ firstMs, idleMs }: ResponseTimeoutLimits, caller: AbortSignal): ResponseTimeout {
  const controller = new AbortController()
  let late: TimeoutPhase | null = null
  const expire = (which: TimeoutPhase) => {
    late ??= which
    controller.abort()
  }
  const abort = () => controller.abort()
  caller.addEventListener('abort', abort, { once: true })
  const total = setTimeout(expire, TOTAL_MS, 'total')
  let phase: { which: TimeoutPhase; leftMs: number } = { which: 'first', leftMs: firstMs }
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
    timer ??= setTimeout(expire, phase.leftMs, phase.which)
  }
  resume()
  return {
    controller,
    expiredPhase: () => late,
    onOutput() {
      if (phase.which !== 'closing') phase = { which: 'idle', leftMs: idleMs }
    },
    onFinish() {
      if (phase.which !== 'closing') phase = { which: 'closing', leftMs: Math.min(FINISH_MS, idleMs) }
    },
    isFinishing: () => phase.which === 'closing',
    pause,
    resume,
    dispose() {
      clearTimeout(total)
      pause()
      caller.removeEventListener('abort', abort)
      controller.abort()
    },
  }
}
