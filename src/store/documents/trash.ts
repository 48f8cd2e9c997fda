// The trash holds deleted documents until they are purged.
import { sql } from 'kysely'
import { emailKeyOf } from '../../domain/subject.ts'
import type { DeletionCause } from '../../domain/trash.ts'
import { likePart, lowerAscii } from '../../domain/values/like-part.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'

interface DocumentDeletion {
  now: number
  requestId: string | null
  /** The version to delete; absent for any version. */
  seq?: number
  /** The owner who requested it, see `Subject.user_id`. */
  deletedBy?: string | null
}

/** The cc-pairs of a document, before its links are deleted. */
const SELECT_PAIR_IDS = `(select string_agg(cast(cc_pair_id as text), ',') from document_cc_pair where document_id = ?1)`

/**
 * Moves the document to the trash; with `seq`, only that version. Returns the sequence number of the change, or null
 * when there was nothing to delete.
 */
export async function deleteDocument(
  db: Database,
  id: string,
  { now, requestId, seq, deletedBy = null }: DocumentDeletion,
): Promise<number | null> {
  const [, written] = await commitStatements(db, [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    {
      sql: `update document set deleted_at = ?2, version = version + 1, changed_at = ?2, request_id = ?3,
            deleted_by = ?4, deletion_cause = 'request', trashed_pairs = ${SELECT_PAIR_IDS}, held_from_prune = 0,
            seq = (select value from sequence where name = 'change')
          where id = ?1 and deleted_at is null${seq === undefined ? '' : ' and seq = ?5'} returning seq`,
      parameters: [id, now, requestId, deletedBy, ...(seq === undefined ? [] : [seq])],
    },
    {
      sql: `delete from document_cc_pair where document_id = ?1
          and exists (select 1 from document where id = ?1 and deleted_at is not null)`,
      parameters: [id],
    },
  ])
  const seqOfChange = written?.[0]?.seq
  return seqOfChange === undefined ? null : Number(seqOfChange)
}

/** 'all', or the documents that the owner pushed or deleted. */
export type TrashScope = 'all' | { owner: string }

export interface TrashedDocument {
  document_id: string
  seq: number
  semantic_identifier: string
  link: string | null
  source: string
  from_ingestion_api: boolean
  deleted_at: number
  /** The id of the person or key that requested it. */
  deleted_by: string | null
  /** The address of the person. */
  deleter_email: string | null
  pushed_by: string | null
  /** Null: it was deleted before causes were recorded. */
  deletion_cause: DeletionCause | null
  request_id: string | null
  /** The cc-pairs to which it belonged, as far as known. */
  cc_pair_ids: number[]
  body_bytes: number
}

export interface TrashFilter {
  source: string | null
  /** A part of the title; ASCII letters match in either case. */
  title: string | null
  /** An address, or the id of a person or key. */
  deleted_by: string | null
  /** Deleted at or after this time. */
  from: number | null
  /** Deleted before this time. */
  until: number | null
}

/** Returns the most recently deleted first. */
export async function listTrashedDocuments(
  db: Queryable,
  scope: TrashScope,
  { source, title, deleted_by, from, until }: TrashFilter,
  { after, limit }: { after: { deleted_at: number; seq: number } | null; limit: number },
): Promise<TrashedDocument[]> {
  const rows = await selectTrashed(db, scope)
    .$if(source !== null, (it) => it.where('source', '=', source ?? ''))
    .$if(title !== null, (it) =>
      it.where(sql<boolean>`lower(semantic_identifier) like ${likePart(lowerAscii(title ?? ''))} escape '\\'`),
    )
    .$if(deleted_by !== null, (it) =>
      it.where(({ eb, or, selectFrom }) => {
        const person = selectFrom('person')
          .select('id')
          .where('email_key', '=', emailKeyOf(deleted_by ?? ''))
        return or([eb('deleted_by', '=', deleted_by), eb('deleted_by', 'in', person)])
      }),
    )
    .$if(from !== null, (it) => it.where('deleted_at', '>=', from ?? 0))
    .$if(until !== null, (it) => it.where('deleted_at', '<', until ?? 0))
    .$if(after !== null, (it) =>
      it
        .where('deleted_at', '<=', after?.deleted_at ?? 0)
        .where((of) => of.or([of('deleted_at', '<', after?.deleted_at ?? 0), of('seq', '<', after?.seq ?? 0)])),
    )
    .orderBy('deleted_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toTrashedDocument)
}

/** Returns those of the documents that are in the trash, in no particular order. */
export async function findTrashedDocuments(
  db: Queryable,
  scope: TrashScope,
  ids: readonly string[],
): Promise<Map<string, TrashedDocument>> {
  const rows = ids.length === 0 ? [] : await selectTrashed(db, scope).where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [it.id, toTrashedDocument(it)]))
}

/** An expired document stays in the table until the index has dropped it, but nobody sees it. */
const selectTrashed = (db: Queryable, scope: TrashScope) =>
  db
    .selectFrom('document')
    .select(['id', 'seq', 'semantic_identifier', 'link', 'source', 'from_ingestion_api', 'deleted_at', 'deleted_by'])
    .select(['pushed_by', 'deletion_cause', 'request_id', 'trashed_pairs', 'body_bytes'])
    .select((it) =>
      it.selectFrom('person').select('email_key').whereRef('person.id', '=', 'document.deleted_by').as('deleter_email'),
    )
    .where('deleted_at', '>', EXPIRED_DELETION)
    .$if(scope !== 'all', (it) =>
      it.where((of) => {
        const owner = scope === 'all' ? '' : scope.owner
        return of.or([of('pushed_by', '=', owner), of('deleted_by', '=', owner)])
      }),
    )

type TrashedRow = Awaited<ReturnType<ReturnType<typeof selectTrashed>['execute']>>[number]

const toTrashedDocument = ({ id, trashed_pairs, ...row }: TrashedRow): TrashedDocument => ({
  ...row,
  document_id: id,
  from_ingestion_api: row.from_ingestion_api === 1,
  deleted_at: row.deleted_at ?? EXPIRED_DELETION,
  cc_pair_ids: trashed_pairs === null ? [] : trashed_pairs.split(',').map(Number),
})

/** Deletion time of documents to purge: every retention setting treats them as expired. */
const EXPIRED_DELETION = 0

/**
 * Restores versions from the trash into these cc-pairs; what a connector had read is protected from pruning. Returns
 * the sequence number of each change, or null when the version is no longer in the trash or none of the pairs exists.
 */
export async function restoreTrashedDocuments(
  db: Database,
  documents: readonly { id: string; seq: number; cc_pair_ids: readonly number[] }[],
  { now, requestId }: { now: number; requestId: string },
): Promise<(number | null)[]> {
  const results = await db.commit(documents.map((it) => restoreStatements(it, now, requestId)))
  return results.map((result) => {
    if (!result.ok) throw result.error
    const seq = result.rows[2]?.[0]?.seq
    return seq === undefined ? null : Number(seq)
  })
}

function restoreStatements(
  { id, seq, cc_pair_ids }: { id: string; seq: number; cc_pair_ids: readonly number[] },
  now: number,
  requestId: string,
): SqlStatement[] {
  // The ids are integers of our own, so they may be part of the text; no pair has the id -1.
  const pairs = [-1, ...cc_pair_ids].map(Number).join()
  return [
    { sql: `update sequence set value = value + 1 where name = 'change'`, parameters: [] },
    {
      sql: `insert into document_cc_pair (document_id, cc_pair_id, seq)
        select ?1, id, (select value from sequence where name = 'change') from cc_pair
        where id in (${pairs}) and status <> 'DELETING'
          and exists (select 1 from document where id = ?1 and seq = ?2 and deleted_at > ${EXPIRED_DELETION})
        on conflict (document_id, cc_pair_id) do nothing`,
      parameters: [id, seq],
    },
    {
      sql: `update document set deleted_at = null, deleted_by = null, deletion_cause = null, trashed_pairs = null,
          held_from_prune = 1 - from_ingestion_api, version = version + 1, changed_at = ?3, request_id = ?4,
          seq = (select value from sequence where name = 'change')
        where id = ?1 and seq = ?2 and deleted_at > ${EXPIRED_DELETION}
          and exists (select 1 from document_cc_pair where document_id = ?1)
        returning seq`,
      parameters: [id, seq, now, requestId],
    },
  ]
}

/** Expires documents in the trash: some or all. `pushedBy` limits this to documents of that owner. Returns how many. */
export async function expireTrashedDocuments(
  db: Database,
  ids: readonly string[] | 'all',
  pushedBy: string | null,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('document')
    .set({ deleted_at: EXPIRED_DELETION })
    .where('deleted_at', '>', EXPIRED_DELETION)
    .$if(ids !== 'all', (it) => it.where('id', 'in', ids === 'all' ? [] : [...ids]))
    .$if(pushedBy !== null, (it) => it.where('pushed_by', '=', pushedBy ?? ''))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Deletes documents that were trashed before `before` from the record, once the index has dropped them. */
export async function purgeTrashedDocuments(db: Database, before: number, position: number): Promise<number> {
  const expired = db.selectFrom('document').select('id').where('deleted_at', '<', before).where('seq', '<=', position)
  await db.deleteFrom('receipt').where('document_id', 'in', expired).execute()
  await db.deleteFrom('chunk_vector').where('document_id', 'in', expired).execute()
  await db.deleteFrom('recognition_document').where('document_id', 'in', expired).execute()
  await db.deleteFrom('model_text_document').where('document_id', 'in', expired).execute()
  await db.deleteFrom('sensitive_finding').where('document_id', 'in', expired).execute()
  await db.deleteFrom('document_owner').where('document_id', 'in', expired).execute()
  await db.deleteFrom('document_verification').where('document_id', 'in', expired).execute()
  await db.deleteFrom('sensitive_document').where('document_id', 'in', expired).execute()
  const { numDeletedRows } = await db.deleteFrom('document').where('id', 'in', expired).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
