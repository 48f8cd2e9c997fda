// Pages of documents of which a caller may read only some.
import { setImmediate as turn } from 'node:timers/promises'
import type { Subject } from '../../domain/subject.ts'
import { filterReadable } from '../../identity/access.ts'
import type { Queryable } from '../../store/database/database.ts'

const SCAN_BATCH = 200

interface ReadablePage<Place> {
  after: Place | null
  limit: number
  signal: AbortSignal
}

/** Returns the first `limit` readable rows. `listAfter` lists rows in order, after a row. Other requests run between two batches. */
export async function collectReadable<Row extends Place & { id: string }, Place extends object>(
  db: Queryable,
  subject: Subject,
  { after, limit, signal }: ReadablePage<Place>,
  listAfter: (after: Place | null, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let last: Place | null = after; found.length < limit; ) {
    const rows = await listAfter(last, SCAN_BATCH)
    const readable = await filterReadable(
      db,
      subject,
      rows.map((it) => it.id),
    )
    found.push(...rows.filter((it) => readable.has(it.id)))
    last = rows[SCAN_BATCH - 1] ?? null
    if (last === null) break
    await turn()
    signal.throwIfAborted()
  }
  return found.slice(0, limit)
}
