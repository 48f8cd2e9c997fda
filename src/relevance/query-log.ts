// Buffers searches in memory and writes them in batches, so that no search waits for the write. A crash loses the last
// moment of searches.
import type { Logger } from '../domain/logger.ts'
import type { RecordedQuery } from '../domain/search/relevance.ts'
import { createBatchWriter } from '../flow/batch-writer.ts'

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
  const { add, flush } = createBatchWriter<RecordedQuery>({
    write,
    delayMs: DELAY_MS,
    maxPending: MAX_PENDING,
    onDropped: (count) => logger.warn({ queries: count }, 'queries dropped from the query log'),
    onError: (error) => logger.error({ err: error }, 'query log write failed'),
  })
  return { record: add, flush }
}
