// Which keys the secrets of the record are sealed with, and from older keys to the newest, a few at a time.
import { sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { KeyRing } from './key-ring.ts'
import { placeIn, SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import type { SecretBox } from './secret-box.ts'

interface Needs {
  db: Database
  ring: Pick<KeyRing, 'newest'>
  box: SecretBox
  /** Between writing and COMMIT. */
  failpoint: (name: string) => void
}

/** A transaction of this size holds up other writers for about a millisecond. */
const BATCH = 25

/** How many secrets there are, by the kid of their key. What is not sealed at all counts under its first letters. */
export async function countByKid(db: Queries): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const column of SEALED_COLUMNS) {
    const { rows } = await sql<{ kid: string; count: number }>`
      select ${kidOf(column)} as kid, count(*) as count from ${sql.table(column.table)}
      where ${isSealed(column)} group by ${kidOf(column)}`.execute(db)
    for (const { kid, count } of rows) counts.set(kid, (counts.get(kid) ?? 0) + count)
  }
  return counts
}

/**
 * Seals whatever is not sealed with the newest key anew, and answers how many secrets could not be opened: those stay as
 * they are. What others write meanwhile stands: a batch reads and writes in one transaction, and transactions take turns.
 */
export async function resealAll(needs: Needs, signal: AbortSignal): Promise<number> {
  let unreadable = 0
  for (const column of SEALED_COLUMNS) {
    for (let after: number | undefined = -1; after !== undefined && !signal.aborted; ) {
      const batch: Batch = await resealBatch(needs, column, after)
      unreadable += batch.unreadable
      after = batch.last
    }
  }
  return unreadable
}

interface Batch {
  /** Where the next one begins. */
  last: number | undefined
  unreadable: number
}

const resealBatch = ({ db, ring, box, failpoint }: Needs, column: SealedColumn, after: number): Promise<Batch> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: number; sealed: string }>`
      select id, ${sql.ref(column.column)} as sealed from ${sql.table(column.table)}
      where ${isSealed(column)} and ${kidOf(column)} <> ${ring.newest().kid} and id > ${after}
      order by id limit ${BATCH}`.execute(trx)
    let unreadable = 0
    for (const { id, sealed } of rows) {
      const plain = opened(box, sealed, placeIn(column, id))
      if (plain === undefined) unreadable++
      else {
        await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${box.seal(plain, placeIn(column, id))}
          where id = ${id}`.execute(trx)
      }
    }
    failpoint('resealing')
    return { last: rows.at(-1)?.id, unreadable }
  })

function opened(box: SecretBox, sealed: string, place: Parameters<SecretBox['open']>[1]): string | undefined {
  try {
    return box.open(sealed, place)
  } catch {
    return undefined
  }
}

/** The empty credential and tools without headers hold nothing. */
export const isSealed = ({ column }: SealedColumn) => sql`${sql.ref(column)} like 'v1.%'`
export const kidOf = ({ column }: SealedColumn) => sql`substr(${sql.ref(column)}, 4, 8)`
