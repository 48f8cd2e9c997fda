// Refusals come as fast as a hostile page has links: they are counted here, and written down a moment later.
import type { Logger } from '../domain/logger.ts'
import type { CountedRefusal, Refusal } from '../domain/refusal.ts'

export interface Refusals {
  note(refusal: Refusal): void
  /** Writes down what was noted before; never fails, for whoever was refused has no part in it. */
  flush(): Promise<void>
}

export interface RefusalsSettings {
  write: (refusals: CountedRefusal[]) => Promise<void>
  now: () => number
  logger: Logger
}

const DELAY_MS = 500
/** Of different kinds, in one moment; those beyond it are not listed. */
const MAX_NOTED = 200

export function collectRefusals({ write, now, logger }: RefusalsSettings): Refusals {
  let noted = new Map<string, CountedRefusal>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = [...noted.values()]
    noted = new Map()
    if (batch.length > 0) {
      writing = writing
        .then(() => write(batch))
        .catch((error: unknown) => logger.error({ err: error }, 'refused addresses were not written down'))
    }
    return writing
  }
  return {
    note(refusal) {
      const key = JSON.stringify(refusal)
      const known = noted.get(key)
      if (known === undefined && noted.size >= MAX_NOTED) return
      const time = now()
      noted.set(key, { first_time: time, ...(known ?? refusal), count: (known?.count ?? 0) + 1, last_time: time })
      timer ??= setTimeout(flush, DELAY_MS).unref()
    },
    flush,
  }
}
