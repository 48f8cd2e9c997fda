// Documents that the last complete listing of a source named and the pair did not have.
import type { Database, Queryable } from '../../database/database.ts'
import { digestOfKey, type OffsetPage } from '../index-attempts.ts'

const WRITE_BATCH = 200
/** The maximum recorded for a pair. */
const MAX_MISSING = 10_000

/** Those of the ids that no living document of the pair has. */
export async function filterMissing(db: Queryable, cc_pair_id: number, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('document_cc_pair as link')
    .innerJoin('document', 'document.id', 'link.document_id')
    .select('document.id')
    .where('link.cc_pair_id', '=', cc_pair_id)
    .where('document.id', 'in', ['', ...ids])
    .where('deleted_at', 'is', null)
    .execute()
  const present = new Set(rows.map((it) => it.id))
  return ids.filter((it) => !present.has(it))
}

/** Replaces the former ids. Keeps 10,000 of them. */
export async function replaceMissingDocuments(db: Database, cc_pair_id: number, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('missing_document').where('cc_pair_id', '=', cc_pair_id).execute()
  const kept = ids.slice(0, MAX_MISSING)
  for (let at = 0; at < kept.length; at += WRITE_BATCH) {
    const rows = kept
      .slice(at, at + WRITE_BATCH)
      .map((document_id) => ({ cc_pair_id, key: digestOfKey(document_id), document_id }))
    await db
      .insertInto('missing_document')
      .values(rows)
      .onConflict((it) => it.doNothing())
      .execute()
  }
}

export interface MissingDocument {
  document_id: string
  /** Why the run that met it skipped it, or null. */
  skip_reason: string | null
  /** Why it could not be read, or null. */
  failure_message: string | null
  /** Whether it is in the trash: 1 or 0. */
  is_in_trash: number
}

/** Documents that the last listing named and the pair still does not have, in order of their ids. */
export async function listMissingDocuments(
  db: Queryable,
  cc_pair_id: number,
  { limit, offset }: OffsetPage,
): Promise<{ missing: MissingDocument[]; total: number }> {
  const own = db
    .selectFrom('missing_document')
    .leftJoin('document', 'document.id', 'missing_document.document_id')
    .where('missing_document.cc_pair_id', '=', cc_pair_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document_cc_pair as link')
            .innerJoin('document as living', 'living.id', 'link.document_id')
            .select('link.seq')
            .where('link.cc_pair_id', '=', cc_pair_id)
            .whereRef('link.document_id', '=', 'missing_document.document_id')
            .where('living.deleted_at', 'is', null),
        ),
      ),
    )
  const missing = await own
    .leftJoin('skipped_document as skipped', (join) =>
      join
        .onRef('skipped.cc_pair_id', '=', 'missing_document.cc_pair_id')
        .onRef('skipped.key', '=', 'missing_document.key'),
    )
    .select(({ selectFrom, eb }) => [
      'missing_document.document_id',
      'skipped.reason as skip_reason',
      selectFrom('index_attempt_error')
        .select('failure_message')
        .where('index_attempt_error.cc_pair_id', '=', cc_pair_id)
        .where('is_resolved', '=', 0)
        .whereRef('index_attempt_error.document_id', '=', 'missing_document.document_id')
        .orderBy('index_attempt_error.id', 'desc')
        .limit(1)
        .as('failure_message'),
      eb.case().when('document.deleted_at', 'is not', null).then(1).else(0).end().as('is_in_trash'),
    ])
    .orderBy('missing_document.document_id')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await own.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { missing, total }
}
