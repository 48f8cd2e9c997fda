// Counts refused requests and writes them in batches, because a hostile page can cause many at once.

import type { CountedEgressRefusal, EgressRefusal } from '../../domain/egress-refusal.ts'
import type { Logger } from '../../domain/logger.ts'
import { createBatchWriter } from '../../flow/batch-writer.ts'

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
  const { add, flush } = createBatchWriter<CountedEgressRefusal>({
    write,
    delayMs: DELAY_MS,
    maxPending: MAX_PENDING,
    merging: { keyOf: refusalKey, merge: mergeRefusals },
    onError: (error) => logger.error({ err: error }, 'egress refusals not saved'),
  })
  return {
    record(refusal) {
      const time = now()
      add({ ...refusal, count: 1, first_time: time, last_time: time })
    },
    flush,
  }
}

const refusalKey = ({ host, port, rule, profile, asker }: EgressRefusal): string =>
  JSON.stringify([host, port, rule, profile, asker.kind, asker.id])

const mergeRefusals = (pending: CountedEgressRefusal, { last_time }: CountedEgressRefusal): CountedEgressRefusal => ({
  ...pending,
  count: pending.count + 1,
  last_time,
})
