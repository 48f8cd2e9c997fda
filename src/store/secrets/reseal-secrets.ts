// Tells which keys sealed the secrets of the record, and reseals them with the newest key in small batches.
import { sql } from 'kysely'
import type { Database, Queryable } from '../database/database.ts'
import type { KeyRing } from './key-ring.ts'
import { SEALED_COLUMNS, type SealedColumn, secretLocation } from './sealed-columns.ts'
import type { SecretBox } from './secret-box.ts'

interface ResealDeps {
  db: Database
  ring: Pick<KeyRing, 'newest'>
  box: SecretBox
  /** Called between write and COMMIT. */
  failpoint: (name: string) => void
}

/** A transaction of this size delays other writers by about a millisecond. */
const RESEAL_BATCH = 25

/** Counts secrets by the id of their key. Unsealed values count under their first letters. */
export async function countSecretsByKid(db: Queryable): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const column of SEALED_COLUMNS) {
    const { rows } = await sql<{ kid: string; count: number }>`
      select ${kidExpression(column)} as kid, count(*) as count from ${sql.table(column.table)}
      where ${sealedCondition(column)} group by ${kidExpression(column)}`.execute(db)
    for (const { kid, count } of rows) counts.set(kid, (counts.get(kid) ?? 0) + count)
  }
  return counts
}

/**
 * Reseals every secret that is not sealed with the newest key. Returns how many could not be opened; those stay
 * unchanged. Concurrent writes are safe: a batch reads and writes in one transaction, and transactions run one at a
 * time.
 */
export async function resealSecrets(deps: ResealDeps, signal: AbortSignal): Promise<number> {
  let unreadable = 0
  for (const column of SEALED_COLUMNS) {
    for (let after: number | undefined = -1; after !== undefined && !signal.aborted; ) {
      const batch: ResealBatch = await resealBatch(deps, column, after)
      unreadable += batch.unreadable
      after = batch.last
    }
  }
  return unreadable
}

interface ResealBatch {
  /** Where the next batch begins. */
  last: number | undefined
  unreadable: number
}

const resealBatch = (
  { db, ring, box, failpoint }: ResealDeps,
  column: SealedColumn,
  after: number,
): Promise<ResealBatch> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: number; sealed: string }>`
      select id, ${sql.ref(column.column)} as sealed from ${sql.table(column.table)}
      where ${sealedCondition(column)} and ${kidExpression(column)} <> ${ring.newest().kid} and id > ${after}
      order by id limit ${RESEAL_BATCH}`.execute(trx)
    let unreadable = 0
    for (const { id, sealed } of rows) {
      const plain = tryOpenSecret(box, sealed, secretLocation(column, id))
      if (plain === undefined) unreadable++
      else {
        await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${box.seal(plain, secretLocation(column, id))}
          where id = ${id}`.execute(trx)
      }
    }
    failpoint('resealing')
    return { last: rows.at(-1)?.id, unreadable }
  })

function tryOpenSecret(box: SecretBox, sealed: string, place: Parameters<SecretBox['open']>[1]): string | undefined {
  try {
    return box.open(sealed, place)
  } catch {
    return undefined
  }
}

/** The empty credential and tools without headers contain no secret. */
export const sealedCondition = ({ column }: SealedColumn) => sql`${sql.ref(column)} like 'v1.%'`
export const kidExpression = ({ column }: SealedColumn) => sql`substr(${sql.ref(column)}, 4, 8)`
