// Documents of a pair that its source no longer has. They are listed, and deleted at once or after a person confirms.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { type DocumentScope, filterByScope } from '../documents/scope.ts'
import { digestOfKey } from './index-attempts.ts'
import { getManagedPair } from './managed-pairs.ts'

export interface PruneCandidate {
  document_id: string
  seq: number
}

const LIST_BATCH = 5_000
const WRITE_BATCH = 200

/** Lists documents that a connector read into the pair, except pushed ones and those restored from the trash. */
export async function listPulledDocuments(db: Queryable, cc_pair_id: number): Promise<Map<string, number>> {
  const pulled = new Map<string, number>()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { id: string; seq: number }[] = await db
      .selectFrom('document_cc_pair as link')
      .innerJoin('document', 'document.id', 'link.document_id')
      .select(['document.id', 'document.seq'])
      .where('link.cc_pair_id', '=', cc_pair_id)
      .where('from_ingestion_api', '=', 0)
      .where('held_from_prune', '=', 0)
      .where('deleted_at', 'is', null)
      .where('document.id', '>', after)
      .orderBy('document.id')
      .limit(LIST_BATCH)
      .execute()
    for (const { id, seq } of rows) pulled.set(id, seq)
    // Only a full batch has a row at this place: then there may be more.
    after = rows[LIST_BATCH - 1]?.id
  }
  return pulled
}

/** Lists documents of the pair that were restored from the trash and that no listing of the source has named since. */
export async function listPruneProtected(db: Queryable, cc_pair_id: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('document_cc_pair as link')
    .innerJoin('document', 'document.id', 'link.document_id')
    .select('document.id')
    .where('link.cc_pair_id', '=', cc_pair_id)
    .where('held_from_prune', '=', 1)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.map((it) => it.id))
}

/** The source has them again, so pruning applies to them again. */
export async function endPruneProtection(db: Database, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += WRITE_BATCH) {
    await db
      .updateTable('document')
      .set({ held_from_prune: 0 })
      .where('id', 'in', ids.slice(at, at + WRITE_BATCH))
      .execute()
  }
}

/** Replaces the former candidates. */
export async function replacePruneCandidates(
  db: Database,
  cc_pair_id: number,
  candidates: readonly PruneCandidate[],
): Promise<void> {
  await db.deleteFrom('prune_candidate').where('cc_pair_id', '=', cc_pair_id).execute()
  for (let at = 0; at < candidates.length; at += WRITE_BATCH) {
    const rows = candidates
      .slice(at, at + WRITE_BATCH)
      .map((it) => ({ ...it, cc_pair_id, key: digestOfKey(it.document_id) }))
    await db.insertInto('prune_candidate').values(rows).execute()
  }
}

/** Counts the living candidates of each pair. */
export async function countPruneCandidates(db: Queryable): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('prune_candidate')
    .innerJoin('document', 'document.id', 'prune_candidate.document_id')
    .select((it) => ['prune_candidate.cc_pair_id', it.fn.countAll<number>().as('count')])
    .where('deleted_at', 'is', null)
    .groupBy('prune_candidate.cc_pair_id')
    .execute()
  return new Map(rows.map((it) => [it.cc_pair_id, it.count]))
}

/** Maps the candidates to the versions that were meant. */
export async function listCandidateVersions(db: Queryable, cc_pair_id: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('prune_candidate')
    .select(['document_id', 'seq'])
    .where('cc_pair_id', '=', cc_pair_id)
    .execute()
  return new Map(rows.map((it) => [it.document_id, it.seq]))
}

export interface PruneCandidateListing {
  document_id: string
  semantic_identifier: string
  link: string | null
}

/**
 * Lists candidates that still exist, ordered by digest, which means nothing. Those outside of the scope are counted and
 * not shown.
 */
export async function listPruneCandidates(
  db: Queryable,
  scope: DocumentScope,
  cc_pair_id: number,
  limit: number,
): Promise<{ candidates: PruneCandidateListing[]; total: number }> {
  const living = db
    .selectFrom('prune_candidate')
    .innerJoin('document', 'document.id', 'prune_candidate.document_id')
    .where('prune_candidate.cc_pair_id', '=', cc_pair_id)
    .where('deleted_at', 'is', null)
  const rows = await living
    .select(['document.id', 'semantic_identifier', 'link', 'external_access'])
    .orderBy('prune_candidate.key')
    .limit(limit)
    .execute()
  const shown = await filterByScope(db, scope, rows)
  const candidates = shown.map(({ id, semantic_identifier, link }) => ({ document_id: id, semantic_identifier, link }))
  const { total } = await living.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { candidates, total }
}

/**
 * Removes up to `limit` candidates from the pair; those in no other pair go to the trash. A document that has changed
 * since stays. Returns how many were examined and removed, and the newest sequence number.
 */
export async function removePruneCandidates(
  db: Database,
  cc_pair_id: number,
  { limit, now, requestId }: { limit: number; now: number; requestId: string },
): Promise<{ looked: number; removed: number; seq: number }> {
  const rows = await db
    .selectFrom('prune_candidate')
    .select(['document_id', 'key', 'seq'])
    .where('cc_pair_id', '=', cc_pair_id)
    .limit(limit)
    .execute()
  if (rows.length === 0) return { looked: 0, removed: 0, seq: 0 }
  const results = await db.commit(rows.map((it) => removeCandidateStatements({ ...it, cc_pair_id, now, requestId })))
  let [removed, seq] = [0, 0]
  for (const result of results) {
    if (!result.ok) throw result.error
    const written = Number(result.rows[2]?.[0]?.seq ?? 0)
    if (written > 0) removed += 1
    seq = Math.max(seq, written)
  }
  return { looked: rows.length, removed, seq }
}

const IS_CANDIDATE_VERSION = `exists (select 1 from document where id = ?1 and seq = ?3 and from_ingestion_api = 0
  and deleted_at is null)`

function removeCandidateStatements(
  it: PruneCandidate & { key: string; cc_pair_id: number; now: number; requestId: string },
): SqlStatement[] {
  return [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    {
      sql: `delete from document_cc_pair where document_id = ?1 and cc_pair_id = ?2 and ${IS_CANDIDATE_VERSION}`,
      parameters: [it.document_id, it.cc_pair_id, it.seq],
    },
    {
      sql: `update document set version = version + 1, seq = (select value from sequence where name = 'change'),
          changed_at = ?3, request_id = ?4,
          deleted_at = case when exists (select 1 from document_cc_pair where document_id = ?1) then deleted_at else ?3 end,
          deletion_cause = 'prune', trashed_pairs = ?5, deleted_by = null
        where id = ?1 and seq = ?2 and from_ingestion_api = 0 and deleted_at is null returning seq`,
      parameters: [it.document_id, it.seq, it.now, it.requestId, String(it.cc_pair_id)],
    },
    {
      sql: 'delete from prune_candidate where cc_pair_id = ?1 and key = ?2',
      parameters: [it.cc_pair_id, it.key],
    },
  ]
}

/**
 * Requests a prune at once; a dry run only lists what it would delete, which is then held. CC_PAIR_NOT_FOUND,
 * CC_PAIR_DELETING. PRUNE_UNDERWAY: one is waiting or running.
 */
export const requestPrune = (
  db: Database,
  subject: Subject,
  cc_pair_id: number,
  { isDryRun }: { isDryRun: boolean },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getPrunablePair(trx, subject, cc_pair_id)
    const { prune_wanted } = await getPruneState(trx, cc_pair_id)
    if (prune_wanted === 1) throw new AppError('PRUNE_UNDERWAY')
    await setPruneState(trx, cc_pair_id, { prune_wanted: 1, prune_state: isDryRun ? 'dry_run' : null })
  })

/** Requests a prune of all pairs of a connector. */
export async function requestPruneOfConnector(db: Queryable, connector_id: number): Promise<void> {
  await db
    .updateTable('cc_pair_schedule')
    .set({ prune_wanted: 1, prune_state: null })
    .where('cc_pair_id', 'in', db.selectFrom('cc_pair').select('id').where('connector_id', '=', connector_id))
    .execute()
}

/** Confirms or rejects a prune that was held back. CC_PAIR_NOT_FOUND, CC_PAIR_DELETING. PRUNE_NOT_HELD: none was held back. */
export const decidePrune = (db: Database, subject: Subject, cc_pair_id: number, isConfirmed: boolean): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getPrunablePair(trx, subject, cc_pair_id)
    const { prune_state } = await getPruneState(trx, cc_pair_id)
    if (prune_state !== 'held') throw new AppError('PRUNE_NOT_HELD')
    await setPruneState(
      trx,
      cc_pair_id,
      isConfirmed ? { prune_wanted: 1, prune_state: 'confirmed' } : { prune_wanted: 0, prune_state: null },
    )
    if (!isConfirmed) await trx.deleteFrom('prune_candidate').where('cc_pair_id', '=', cc_pair_id).execute()
  })

async function getPrunablePair(trx: Queryable, subject: Subject, id: number): Promise<void> {
  const { status } = await getManagedPair(trx, subject, id)
  if (status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id })
}

const setPruneState = (db: Queryable, id: number, change: { prune_wanted: 0 | 1; prune_state: string | null }) =>
  db.updateTable('cc_pair_schedule').set(change).where('cc_pair_id', '=', id).execute()

async function getPruneState(db: Queryable, id: number) {
  const row = await db
    .selectFrom('cc_pair_schedule')
    .select(['prune_wanted', 'prune_state'])
    .where('cc_pair_id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('NOTHING_PULLS', { id })
  return row
}
