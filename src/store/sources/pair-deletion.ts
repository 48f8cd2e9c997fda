// Deletes a cc-pair: closes it at once, removes its documents in batches, and deletes its row last.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'
import { DEFAULT_CC_PAIR } from './cc-pairs.ts'
import { getManagedPair, managesPair } from './managed-pairs.ts'

/**
 * Closes the pair: it accepts no documents and gives access to none. Repeating a call is harmless. CONNECTOR_NOT_FOUND:
 * there is no such pair, or the subject does not manage it.
 */
export const beginPairDeletion = (
  db: Database,
  caller: Subject,
  { connector_id, credential_id }: { connector_id: number; credential_id: number },
  requestId: string,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    const pair = await trx
      .selectFrom('cc_pair')
      .select(['id', 'access_type', 'groups'])
      .where('connector_id', '=', connector_id)
      .where('credential_id', '=', credential_id)
      .executeTakeFirst()
    if (pair === undefined || !managesPair(subject, pair)) {
      throw new AppError('CONNECTOR_NOT_FOUND', { id: `with ID ${connector_id} and credential ID ${credential_id}` })
    }
    if (pair.id === DEFAULT_CC_PAIR) throw new AppError('CONNECTOR_BUILT_IN')
    await trx
      .updateTable('cc_pair')
      .set({ status: 'DELETING', closed_by: requestId })
      .where('id', '=', pair.id)
      .execute()
  })

export interface DeletionEffect {
  /** Documents that move to the trash. */
  documents: number
  /** Passages of these documents in the index. */
  chunks: number
  /** Documents that stay, because another pair has them too. */
  shared: number
  /** Whether the connector has no other pair. */
  deletesConnector: boolean
  /** Other pairs with the same credential. The credential itself stays. */
  otherPairsOfCredential: number
}

/** Finds what a deletion of the pair would remove. CC_PAIR_NOT_FOUND: the subject manages no such pair. */
export async function findDeletionEffect(db: Queryable, subject: Subject, id: number): Promise<DeletionEffect> {
  const { connector_id, credential_id } = await getManagedPair(db, subject, id)
  const own = db
    .selectFrom('document_cc_pair as link')
    .innerJoin('document', 'document.id', 'link.document_id')
    .where('link.cc_pair_id', '=', id)
    .where('document.deleted_at', 'is', null)
  const { all } = await own.select((it) => it.fn.countAll<number>().as('all')).executeTakeFirstOrThrow()
  const { documents, chunks } = await own
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document_cc_pair as other')
            .select('other.seq')
            .whereRef('other.document_id', '=', 'link.document_id')
            .where('other.cc_pair_id', '<>', id),
        ),
      ),
    )
    .select(({ fn }) => [fn.countAll<number>().as('documents'), fn.sum<number | null>('chunk_count').as('chunks')])
    .executeTakeFirstOrThrow()
  return {
    documents,
    chunks: chunks ?? 0,
    shared: all - documents,
    deletesConnector: connector_id !== 0 && (await countOtherPairs(db, 'connector_id', connector_id)) === 0,
    otherPairsOfCredential: await countOtherPairs(db, 'credential_id', credential_id),
  }
}

async function countOtherPairs(db: Queryable, column: 'connector_id' | 'credential_id', id: number): Promise<number> {
  const { count } = await db
    .selectFrom('cc_pair')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .executeTakeFirstOrThrow()
  return count - 1
}

export async function findDeletingPair(db: Queryable): Promise<number | undefined> {
  const row = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('status', '=', 'DELETING')
    .orderBy('id')
    .executeTakeFirst()
  return row?.id
}

/**
 * Removes up to `limit` documents from the pair; those in no other pair go to the trash. Returns their number and the
 * newest sequence number. Each document is handled atomically, so an interrupted caller simply calls again.
 */
export async function unlinkDocuments(
  db: Database,
  pair: number,
  { limit, now }: { limit: number; now: number },
): Promise<{ count: number; seq: number }> {
  const links = await db
    .selectFrom('document_cc_pair')
    .select('document_id')
    .where('cc_pair_id', '=', pair)
    .limit(limit)
    .execute()
  if (links.length === 0) return { count: 0, seq: 0 }
  const results = await db.commit(links.map((it) => unlinkStatements(it.document_id, pair, now)))
  let seq = 0
  for (const result of results) {
    if (!result.ok) throw result.error
    seq = Math.max(seq, Number(result.rows[2]?.[0]?.seq ?? 0))
  }
  return { count: links.length, seq }
}

const unlinkStatements = (documentId: string, pair: number, now: number): SqlStatement[] => [
  { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
  { sql: 'delete from document_cc_pair where document_id = ?1 and cc_pair_id = ?2', parameters: [documentId, pair] },
  {
    sql: `update document set version = version + 1, seq = (select value from sequence where name = 'change'),
        changed_at = ?2, request_id = (select closed_by from cc_pair where id = ?3),
        deleted_at = case when exists (select 1 from document_cc_pair where document_id = ?1) then deleted_at else ?2 end,
        deletion_cause = 'pair', trashed_pairs = ?4, deleted_by = null, held_from_prune = 0
      where id = ?1 and deleted_at is null returning seq`,
    parameters: [documentId, now, pair, String(pair)],
  },
]

/**
 * Deletes the row of a pair without documents, its links to document sets, and its connector or an abandoned credential
 * if no other pair uses them. Does nothing while a document is left.
 */
export const deletePair = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const link = await trx.selectFrom('document_cc_pair').select('seq').where('cc_pair_id', '=', id).executeTakeFirst()
    if (link !== undefined) return
    await trx.deleteFrom('document_set_cc_pair').where('cc_pair_id', '=', id).execute()
    await deleteRunState(trx, id)
    const { connector_id, credential_id } = await trx
      .deleteFrom('cc_pair')
      .where('id', '=', id)
      .returning(['connector_id', 'credential_id'])
      .executeTakeFirstOrThrow()
    const { deleting } = await trx
      .selectFrom('credential')
      .select('deleting')
      .where('id', '=', credential_id)
      .executeTakeFirstOrThrow()
    if (deleting === 0) await deleteConnectorIfUnused(trx, connector_id)
    if (deleting === 1 && !(await hasPairs(trx, 'credential_id', credential_id))) {
      await trx.deleteFrom('credential').where('id', '=', credential_id).execute()
    }
  })

async function deleteRunState(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('source_group_member').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('prune_candidate').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('missing_document').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('attempt_log_line').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('linked_document').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('given_name').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('source_note').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('skipped_document').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('index_attempt_error').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('index_attempt').where('cc_pair_id', '=', id).execute()
  await db.deleteFrom('cc_pair_schedule').where('cc_pair_id', '=', id).execute()
}

/** Connector 0 is built in. */
async function deleteConnectorIfUnused(db: Queryable, id: number): Promise<void> {
  if (id === 0 || (await hasPairs(db, 'connector_id', id))) return
  await db.deleteFrom('connector').where('id', '=', id).execute()
}

async function hasPairs(db: Queryable, column: 'connector_id' | 'credential_id', id: number): Promise<boolean> {
  return (await db.selectFrom('cc_pair').select('id').where(column, '=', id).executeTakeFirst()) !== undefined
}

/** Deletes abandoned credentials that have no pair. */
export async function deleteAbandonedCredentials(db: Database): Promise<void> {
  const used = db.selectFrom('cc_pair').select('credential_id')
  const rows = await db
    .selectFrom('credential')
    .select('id')
    .where('deleting', '=', 1)
    .where('id', 'not in', used)
    .execute()
  for (const { id } of rows) await db.deleteFrom('credential').where('id', '=', id).execute()
}
