// How many documents of a pair link to each other.
import type { Database } from '../database/database.ts'

const WRITE_BATCH = 500

/** Replaces the counts of the pair by these, and writes only what differs. */
export async function replaceLinkCounts(
  db: Database,
  cc_pair_id: number,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const known = await db
    .selectFrom('linked_document')
    .select(['document_id', 'links'])
    .where('cc_pair_id', '=', cc_pair_id)
    .execute()
  const kept = new Map(known.map((it) => [it.document_id, it.links]))
  const gone = [...kept.keys()].filter((id) => kept.get(id) !== counts.get(id))
  const added = [...counts].filter(([id, links]) => kept.get(id) !== links)
  for (let at = 0; at < gone.length; at += WRITE_BATCH) {
    await db
      .deleteFrom('linked_document')
      .where('cc_pair_id', '=', cc_pair_id)
      .where('document_id', 'in', gone.slice(at, at + WRITE_BATCH))
      .execute()
  }
  for (let at = 0; at < added.length; at += WRITE_BATCH) {
    const rows = added.slice(at, at + WRITE_BATCH)
    await db
      .insertInto('linked_document')
      .values(rows.map(([document_id, links]) => ({ document_id, cc_pair_id, links })))
      .execute()
  }
}
