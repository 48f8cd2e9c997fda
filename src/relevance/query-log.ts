// What is looked for comes as fast as people type: it is kept in memory for a moment and written down together, so that
// no answer waits for it. What was asked in the last moment before a crash is lost.
import type { Logger } from '../domain/logger.ts'
import type { RecordedQuery } from '../domain/relevance.ts'

export interface QueryLog {
  /** Never fails and never waits. */
  note(query: RecordedQuery): void
  /** Writes down what was noted before; never fails, for whoever searched has their answer. */
  flush(): Promise<void>
}

export interface QueryLogNeeds {
  write: (queries: readonly RecordedQuery[]) => Promise<void>
  logger: Logger
}

const DELAY_MS = 500
/** In one moment; those beyond it are not written down: searching goes first. */
const MAX_NOTED = 5_000

export function openQueryLog({ write, logger }: QueryLogNeeds): QueryLog {
  let noted: RecordedQuery[] = []
  let left = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = noted
    noted = []
    if (left > 0) logger.warn({ queries: left }, 'too many queries at once: these are not written down')
    left = 0
    if (batch.length > 0) {
      writing = writing
        .then(() => write(batch))
        .catch((error: unknown) => logger.error({ err: error }, 'queries were not written down'))
    }
    return writing
  }
  return {
    note(query) {
      if (noted.length < MAX_NOTED) noted.push(query)
      else left += 1
      timer ??= setTimeout(flush, DELAY_MS).unref()
    },
    flush,
  }
}
