// Conditions of people and credentials: removals that wait, what expires, and what is refused.
import { X509Certificate } from 'node:crypto'
import { type AlertCondition, conditionOf } from '../../domain/alerts/alert.ts'
import {
  countHeldRemovals,
  listEndingKeys,
  listRefusingMcpServers,
  listSamlCertificates,
} from '../../store/alerts/conditions.ts'
import type { Queryable } from '../../store/database/database.ts'

const DAY_MS = 86_400_000
/** An end is announced this long before. */
const ANNOUNCED_MS = 14 * DAY_MS
/** A key that was used within this time is in use; the end of another one matters to nobody. */
const IN_USE_MS = 30 * DAY_MS

export async function readPeopleConditions(db: Queryable, now: number): Promise<AlertCondition[]> {
  const held = await countHeldRemovals(db)
  return [
    ...(held.count > 0 ? [conditionOf('removal_held', held)] : []),
    ...(await readKeys(db, now)),
    ...(await readCertificates(db, now)),
    ...(await listRefusingMcpServers(db)).map(({ id, name }) =>
      conditionOf('mcp_credential_refused', { object_id: String(id), name }),
    ),
  ]
}

async function readKeys(db: Queryable, now: number): Promise<AlertCondition[]> {
  const range = { usedSince: now - IN_USE_MS, from: now - IN_USE_MS, until: now + ANNOUNCED_MS }
  return (await listEndingKeys(db, range)).map(({ id, name, expires_at }) =>
    conditionOf((expires_at ?? 0) > now ? 'key_expiring' : 'key_expired', {
      ...{ object_id: String(id), name, due_at: expires_at },
    }),
  )
}

async function readCertificates(db: Queryable, now: number): Promise<AlertCondition[]> {
  return (await listSamlCertificates(db)).flatMap(({ id, name, certificates }) => {
    const ends = certificates.map(endOf).filter((it) => it !== null)
    // While a provider changes its key there are two, and the one that lasts longer counts.
    const due_at = Math.max(...ends)
    if (ends.length === 0 || due_at > now + ANNOUNCED_MS) return []
    const kind = due_at > now ? 'certificate_expiring' : 'certificate_expired'
    return [conditionOf(kind, { object_id: String(id), name, due_at })]
  })
}

/** Null if it cannot be read. */
function endOf(certificate: string): number | null {
  try {
    return new X509Certificate(certificate).validToDate.getTime()
  } catch {
    return null
  }
}
