// Counts in the background how many people opened which documents, for the ranking.
import type { Logger } from '../domain/logger.ts'
import { CLICK_DAYS, MIN_PEOPLE } from '../domain/search/popularity.ts'
import { minQueryPeople } from '../domain/settings.ts'
import { type BackgroundLoop, createLoop, logErrors } from '../flow/background-loop.ts'
import type { Database } from '../store/database/database.ts'
import { refreshClickCounts } from '../store/popularity/click-counts.ts'
import { getSettings } from '../store/settings/settings.ts'
import { daysBefore } from '../wire/date-time.ts'

interface ClickCounterDeps {
  db: Database
  logger: Logger
  now: () => number
}

/** An hour hides at which time a person opened a document. */
const INTERVAL_MS = 3_600_000
const RETRY_MS = 60_000

export const createClickCounter = ({ db, logger, now }: ClickCounterDeps): BackgroundLoop =>
  createLoop(
    async () => {
      const settings = await getSettings(db)
      const days = Math.min(CLICK_DAYS, settings.recorded_query_retention_days)
      const minPeople = Math.max(MIN_PEOPLE, minQueryPeople(settings))
      await refreshClickCounts(db, { from: daysBefore(now(), days), minPeople })
      return INTERVAL_MS
    },
    { retryMs: RETRY_MS, onError: logErrors(logger, 'clicks not counted') },
  )
