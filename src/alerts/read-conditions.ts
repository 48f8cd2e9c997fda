// Everything that needs an administrator at this moment.
import type { AlertCondition, AlertKind } from '../domain/alerts/alert.ts'
import type { Queryable } from '../store/database/database.ts'
import { readPeopleConditions } from './conditions/people-conditions.ts'
import { readServiceConditions, type ServiceProbes } from './conditions/service-conditions.ts'
import { readDocumentConditions, readSourceConditions } from './conditions/source-conditions.ts'

export interface ConditionReader {
  /** `open` holds the kinds of the open alerts. */
  read(open: ReadonlySet<AlertKind>): Promise<AlertCondition[]>
  /** The next call reads the counts of documents again. */
  invalidate(): void
}

const MIN_KEPT_MS = 10_000
/** The counts of documents take at most this share of the time. */
const MAX_SHARE = 0.02

export function createConditionReader({
  db,
  probes,
  now,
}: {
  db: Queryable
  probes: ServiceProbes
  now: () => number
}): ConditionReader {
  let documents: AlertCondition[] = []
  let keptUntil = 0
  const readDocuments = async () => {
    if (now() < keptUntil) return documents
    const started = now()
    documents = await readDocumentConditions(db)
    keptUntil = now() + Math.max(MIN_KEPT_MS, (now() - started) / MAX_SHARE)
    return documents
  }
  return {
    async read(open) {
      return [
        ...(await readServiceConditions(db, probes, { isOpen: (kind) => open.has(kind), now: now() })),
        ...(await readSourceConditions(db, now())),
        ...(await readPeopleConditions(db, now())),
        ...(await readDocuments()),
      ]
    },
    invalidate() {
      keptUntil = 0
    },
  }
}
