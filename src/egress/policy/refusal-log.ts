// Counts refused requests and writes them in batches, because a hostile page can cause many at once.

import type { CountedEgressRefusal, EgressRefusal } from '../../domain/egress-refusal.ts'
import type { Logger } from '../../domain/logger.ts'

export interface RefusalLog {
  record(refusal: EgressRefusal): void
  /** Writes the pending refusals. Never rejects: the caller of the refused request must not fail because of it. */
  flush(): Promise<void>
}

export interface RefusalLogSettings {
  write: (refusals: CountedEgressRefusal[]) => Promise<void>
  now: () => number
  logger: Logger
}

const DELAY_MS = 500
/** Distinct refusals per batch. Further ones are dropped. */
const MAX_PENDING = 200

export function createRefusalLog({ write, now, logger }: RefusalLogSettings): RefusalLog {
  let pending = new Map<string, CountedEgressRefusal>()
  let timer: NodeJS.Timeout | undefined
  let lastWrite = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = [...pending.values()]
    pending = new Map()
    if (batch.length > 0) {
      lastWrite = lastWrite
        .then(() => write(batch))
        .catch((error: unknown) => logger.error({ err: error }, 'egress refusals not saved'))
    }
    return lastWrite
  }
  return {
    record(refusal) {
      const key = JSON.stringify(refusal)
      const existing = pending.get(key)
      if (existing === undefined && pending.size >= MAX_PENDING) return
      const time = now()
      pending.set(key, {
        first_time: time,
        ...(existing ?? refusal),
        count: (existing?.count ?? 0) + 1,
        last_time: time,
      })
      timer ??= setTimeout(flush, DELAY_MS).unref()
    },
    flush,
  }
}
