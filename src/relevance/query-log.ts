// Buffers searches in memory and writes them in batches, so that no search waits for the write. A crash loses the last
// moment of searches.
import type { Logger } from '../domain/logger.ts'
import type { RecordedQuery } from '../domain/search/relevance.ts'

export interface QueryLog {
  /** Records a query. Never fails and never waits. */
  record(query: RecordedQuery): void
  /** Writes all buffered queries. Never rejects, because a failure must not affect a search. */
  flush(): Promise<void>
}

export interface QueryLogDeps {
  write: (queries: readonly RecordedQuery[]) => Promise<void>
  logger: Logger
}

const DELAY_MS = 500
/** The maximum buffered between two writes; queries beyond it are dropped. */
const MAX_PENDING = 5_000

export function openQueryLog({ write, logger }: QueryLogDeps): QueryLog {
  let pending: RecordedQuery[] = []
  let droppedCount = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = []
    if (droppedCount > 0) logger.warn({ queries: droppedCount }, 'queries dropped from the query log')
    droppedCount = 0
    if (batch.length > 0) {
      writing = writing
        .then(() => write(batch))
        .catch((error: unknown) => logger.error({ err: error }, 'query log write failed'))
    }
    return writing
  }
  return {
    record(query) {
      if (pending.length < MAX_PENDING) pending.push(query)
      else droppedCount += 1
      timer ??= setTimeout(flush, DELAY_MS).unref()
    },
    flush,
  }
}
