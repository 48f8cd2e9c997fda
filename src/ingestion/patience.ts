// How long a run waits for its source: as long as something comes from there, or is to come at a time that it has told.
import { SourceError } from '../connectors/connector.ts'

export interface PatienceNeeds {
  now: () => number
  /** A source from which nothing comes for so long has none. */
  silenceMs: number
  /** Resolves after so long; rejects at the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

export interface Patience {
  /** Aborts with the run, and when the patience is at its end. */
  signal: AbortSignal
  /** Something has come; or nothing is to come before `until`. */
  renew(until?: number): void
  /** What the source gives. Rejects when nothing comes, even where whoever reads it hears no signal. */
  of<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void>
}

export function openPatience({ now, silenceMs, sleep }: PatienceNeeds, run: AbortSignal): Patience {
  const abort = new AbortController()
  let renewed = now()
  const renew = (until = now()) => {
    renewed = Math.max(renewed, until)
  }
  const end = async (signal: AbortSignal): Promise<never> => {
    for (let left = silenceMs; left > 0; left = renewed + silenceMs - now()) await sleep(left, signal)
    const message = `Nothing came from the source for ${Math.round(silenceMs / 60_000)} minutes: no document and no answer.`
    abort.abort(new SourceError('unavailable', message))
    throw abort.signal.reason
  }
  const next = async <T>(items: AsyncGenerator<T, void>) => {
    // Only what is waited for is late: before, somebody else may have worked on what came.
    renew()
    const come = new AbortController()
    try {
      return await Promise.race([items.next(), end(come.signal)])
    } finally {
      come.abort()
      renew()
    }
  }
  return {
    signal: AbortSignal.any([run, abort.signal]),
    renew,
    async *of(items) {
      try {
        for (let it = await next(items); it.done !== true; it = await next(items)) yield it.value
      } finally {
        // One that hangs would not end either.
        if (!abort.signal.aborted) await items.return()
      }
    },
  }
}
