// The documents of a pair that its source does not have any more: named, and on a person's word or at once taken away.
import { AppError } from '../domain/errors.ts'
import type { Database, Queries, Statement } from './database.ts'
import { digestOf } from './index-attempts.ts'

export interface Candidate {
  document_id: string
  seq: number
}

const PAGE = 5_000
const INSERTED_TOGETHER = 200

/** What a connector read into the pair, and no client pushed. */
export async function listPulled(db: Queries, cc_pair_id: number): Promise<Map<string, number>> {
  const pulled = new Map<string, number>()
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('document_cc_pair as link')
      .innerJoin('document', 'document.id', 'link.document_id')
      .select(['document.id', 'document.seq'])
      .where('link.cc_pair_id', '=', cc_pair_id)
      .where('from_ingestion_api', '=', 0)
      .where('deleted_at', 'is', null)
      .where('document.id', '>', after)
      .orderBy('document.id')
      .limit(PAGE)
      .execute()
    for (const { id, seq } of rows) pulled.set(id, seq)
    if (rows.length < PAGE) return pulled
    after = rows.at(-1)!.id
  }
}

/** They take the place of those that were named before. */
export async function replaceCandidates(
  db: Database,
  cc_pair_id: number,
  candidates: readonly Candidate[],
): Promise<void> {
  await db.deleteFrom('prune_candidate').where('cc_pair_id', '=', cc_pair_id).execute()
  for (let at = 0; at < candidates.length; at += INSERTED_TOGETHER) {
    const rows = candidates
      .slice(at, at + INSERTED_TOGETHER)
      .map((it) => ({ ...it, cc_pair_id, key: digestOf(it.document_id) }))
    await db.insertInto('prune_candidate').values(rows).execute()
  }
}

/** Those that were named, with the version that was meant. */
export async function listNamed(db: Queries, cc_pair_id: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('prune_candidate')
    .select(['document_id', 'seq'])
    .where('cc_pair_id', '=', cc_pair_id)
    .execute()
  return new Map(rows.map((it) => [it.document_id, it.seq]))
}

export interface NamedCandidate {
  document_id: string
  semantic_identifier: string
  link: string | null
}

/** Those that are still there, in the order of their digests, which is none. */
export async function listCandidates(
  db: Queries,
  cc_pair_id: number,
  limit: number,
): Promise<{ candidates: NamedCandidate[]; total: number }> {
  const living = db
    .selectFrom('prune_candidate')
    .innerJoin('document', 'document.id', 'prune_candidate.document_id')
    .where('prune_candidate.cc_pair_id', '=', cc_pair_id)
    .where('deleted_at', 'is', null)
  const candidates = await living
    .select(['document_id', 'semantic_identifier', 'link'])
    .orderBy('prune_candidate.key')
    .limit(limit)
    .execute()
  const { total } = await living.select((it) => it.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { candidates, total }
}

/**
 * Takes up to `limit` of them out of the pair, and those that belong to no other into the trash. One that has changed
 * since it was named stays. Answers how many were looked at, how many went, and the newest sequence number.
 */
export async function removeCandidates(
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
  const results = await db.commit(rows.map((it) => removal({ ...it, cc_pair_id, now, requestId })))
  let [removed, seq] = [0, 0]
  for (const result of results) {
    if (!result.ok) throw result.error
    const written = Number(result.rows[2]?.[0]?.seq ?? 0)
    if (written > 0) removed += 1
    seq = Math.max(seq, written)
  }
  return { looked: rows.length, removed, seq }
}

const AS_NAMED = `exists (select 1 from document where id = ?1 and seq = ?3 and from_ingestion_api = 0
  and deleted_at is null)`

function removal(it: Candidate & { key: string; cc_pair_id: number; now: number; requestId: string }): Statement[] {
  return [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    {
      sql: `delete from document_cc_pair where document_id = ?1 and cc_pair_id = ?2 and ${AS_NAMED}`,
      parameters: [it.document_id, it.cc_pair_id, it.seq],
    },
    {
      sql: `update document set version = version + 1, seq = (select value from sequence where name = 'change'),
          changed_at = ?3, request_id = ?4,
          deleted_at = case when exists (select 1 from document_cc_pair where document_id = ?1) then deleted_at else ?3 end
        where id = ?1 and seq = ?2 and from_ingestion_api = 0 and deleted_at is null returning seq`,
      parameters: [it.document_id, it.seq, it.now, it.requestId],
    },
    {
      sql: 'delete from prune_candidate where cc_pair_id = ?1 and key = ?2',
      parameters: [it.cc_pair_id, it.key],
    },
  ]
}

/** A pruning at once. One that waits or runs already is PRUNE_UNDERWAY. */
export const requestPrune = (db: Database, cc_pair_id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { prune_wanted, prune_state } = await getPruneState(trx, cc_pair_id)
    if (prune_wanted === 1) throw new AppError('PRUNE_UNDERWAY')
    await setPruneState(trx, cc_pair_id, { prune_wanted: 1, prune_state: prune_state === 'held' ? null : prune_state })
  })

/** A pruning at once of all pairs of a connector. */
export async function pruneConnector(db: Queries, connector_id: number): Promise<void> {
  await db
    .updateTable('cc_pair_schedule')
    .set({ prune_wanted: 1, prune_state: null })
    .where('cc_pair_id', 'in', db.selectFrom('cc_pair').select('id').where('connector_id', '=', connector_id))
    .execute()
}

/** A person's word on what was held back: it goes, or it stays. Nothing held back is PRUNE_NOT_HELD. */
export const decidePrune = (db: Database, cc_pair_id: number, isConfirmed: boolean): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { prune_state } = await getPruneState(trx, cc_pair_id)
    if (prune_state !== 'held') throw new AppError('PRUNE_NOT_HELD')
    await setPruneState(
      trx,
      cc_pair_id,
      isConfirmed ? { prune_wanted: 1, prune_state: 'confirmed' } : { prune_wanted: 0, prune_state: null },
    )
    if (!isConfirmed) await trx.deleteFrom('prune_candidate').where('cc_pair_id', '=', cc_pair_id).execute()
  })

const setPruneState = (db: Queries, id: number, change: { prune_wanted: 0 | 1; prune_state: string | null }) =>
  db.updateTable('cc_pair_schedule').set(change).where('cc_pair_id', '=', id).execute()

async function getPruneState(db: Queries, id: number) {
  const row = await db
    .selectFrom('cc_pair_schedule')
    .select(['prune_wanted', 'prune_state'])
    .where('cc_pair_id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('NOTHING_PULLS', { id })
  return row
}
