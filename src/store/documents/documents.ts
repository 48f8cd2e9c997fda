// Documents of the record, one row each, and the stream of their changes.

import type { Selectable } from 'kysely'
import type { ExternalAccess } from '../../domain/access.ts'
import type { DocumentOwner, DocumentSection } from '../../domain/document.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { DocumentRow } from '../database/tables.ts'

/** A change of a document as the indexer reads it. */
export interface DocumentChange {
  id: string
  seq: number
  /** The index holds neither deleted nor hidden or quarantined documents. */
  isDeleted: boolean
  title: string | null
  semantic_identifier: string
  source: string
  link: string | null
  updated_at: number
  metadata: Record<string, string | string[]>
  primary_owners: DocumentOwner[]
  secondary_owners: DocumentOwner[]
  external_access: ExternalAccess | null
  cc_pair_ids: number[]
  body_bytes: number
  sections: DocumentSection[]
  /** Sequence number of the version that the receipt describes, if any, and how often that version was tried. */
  receipt_seq: number | null
  attempts: number
  /** Id of the request that brought this version. */
  request_id: string | null
}

/**
 * Returns the next changes after `position`, in order: at most `maxCount` and, except for the first, at most
 * `maxBytes`.
 */
export async function listChanges(
  db: Queryable,
  position: number,
  maxCount: number,
  maxBytes: number,
): Promise<DocumentChange[]> {
  const sizes = await db
    .selectFrom('document')
    .select(['seq', 'body_bytes'])
    .where('seq', '>', position)
    .orderBy('seq')
    .limit(maxCount)
    .execute()
  const [first, ...others] = sizes
  if (first === undefined) return []
  const rows = await selectChanges(db)
    .where('seq', '>', position)
    .where('seq', '<=', lastSeqWithin(first, others, maxBytes))
    .orderBy('seq')
    .execute()
  return toChanges(db, rows)
}

type ChangeSize = Pick<Selectable<DocumentRow>, 'seq' | 'body_bytes'>

function lastSeqWithin(first: ChangeSize, others: readonly ChangeSize[], maxBytes: number): number {
  let last = first.seq
  let bytes = first.body_bytes
  for (const { seq, body_bytes } of others) {
    bytes += body_bytes
    if (bytes > maxBytes) break
    last = seq
  }
  return last
}

/** Lists failed changes whose retry is due. */
export async function listDueRetries(db: Queryable, now: number, limit: number): Promise<DocumentChange[]> {
  const rows = await selectChanges(db)
    .where('seq', 'in', db.selectFrom('receipt').select('receipt.seq').where('retry_at', '<=', now).limit(limit))
    .execute()
  return toChanges(db, rows)
}

/** The current version of one document, deleted or not. */
export async function findChange(db: Queryable, id: string): Promise<DocumentChange | undefined> {
  const [change] = await toChanges(db, await selectChanges(db).where('id', '=', id).execute())
  return change
}

const selectChanges = (db: Queryable) =>
  db
    .selectFrom('document')
    .select([
      'id',
      'seq',
      'title',
      'semantic_identifier',
      'source',
      'link',
      'doc_updated_at',
      'accepted_at',
      'deleted_at',
      'hidden_at',
      'quarantined_at',
      'metadata',
      'primary_owners',
      'secondary_owners',
      'external_access',
      'body_bytes',
      'sections',
      'request_id',
    ])
    .select((it) => [
      it
        .selectFrom('receipt')
        .select('receipt.seq')
        .whereRef('receipt.document_id', '=', 'document.id')
        .as('receipt_seq'),
      it.selectFrom('receipt').select('attempts').whereRef('receipt.document_id', '=', 'document.id').as('attempts'),
    ])

type ChangeRow = Awaited<ReturnType<ReturnType<typeof selectChanges>['execute']>>[number]

async function toChanges(db: Queryable, rows: ChangeRow[]): Promise<DocumentChange[]> {
  const pairs = await mapPairIds(
    db,
    rows.map((it) => it.id),
  )
  return rows.map((row) => ({
    id: row.id,
    seq: row.seq,
    isDeleted: row.deleted_at !== null || row.hidden_at !== null || row.quarantined_at !== null,
    title: row.title,
    semantic_identifier: row.semantic_identifier,
    source: row.source,
    link: row.link,
    updated_at: row.doc_updated_at ?? row.accepted_at,
    metadata: JSON.parse(row.metadata),
    primary_owners: JSON.parse(row.primary_owners),
    secondary_owners: JSON.parse(row.secondary_owners),
    external_access: row.external_access === null ? null : JSON.parse(row.external_access),
    cc_pair_ids: pairs.get(row.id) ?? [],
    body_bytes: row.body_bytes,
    sections: JSON.parse(row.sections),
    receipt_seq: row.receipt_seq,
    attempts: row.receipt_seq === row.seq ? (row.attempts ?? 0) : 0,
    request_id: row.request_id,
  }))
}

async function mapPairIds(db: Queryable, ids: readonly string[]): Promise<Map<string, number[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document_cc_pair')
    .select(['document_id', 'cc_pair_id'])
    .where('document_id', 'in', ids)
    .orderBy('cc_pair_id')
    .execute()
  const grouped = Map.groupBy(rows, (it) => it.document_id)
  return new Map([...grouped].map(([id, links]) => [id, links.map((it) => it.cc_pair_id)]))
}

/** Fields of a document for search results and access checks. */
export interface DocumentSummary {
  id: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  /** `doc_updated_at`, or when the document was accepted. */
  updated_at: number
  /** Null if the source does not tell when the document changed. */
  doc_updated_at: number | null
  metadata: Record<string, string | string[]>
  primary_owners: DocumentOwner[]
  secondary_owners: DocumentOwner[]
  external_access: ExternalAccess | null
  cc_pair_ids: number[]
}

/** Returns those of the documents that are neither deleted nor hidden or quarantined, in no particular order. */
export async function findDocuments(db: Queryable, ids: readonly string[]): Promise<DocumentSummary[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('document')
    .select([
      'id',
      'semantic_identifier',
      'title',
      'source',
      'link',
      'doc_updated_at',
      'accepted_at',
      'metadata',
      'primary_owners',
      'secondary_owners',
      'external_access',
    ])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null)
    .where('quarantined_at', 'is', null)
    .execute()
  const pairs = await mapPairIds(db, ids)
  return rows.map(({ accepted_at, ...row }) => ({
    ...row,
    updated_at: row.doc_updated_at ?? accepted_at,
    metadata: JSON.parse(row.metadata),
    primary_owners: JSON.parse(row.primary_owners),
    secondary_owners: JSON.parse(row.secondary_owners),
    external_access: row.external_access === null ? null : JSON.parse(row.external_access),
    cc_pair_ids: pairs.get(row.id) ?? [],
  }))
}

/** Counts all changes and those up to a position. */
export async function countChanges(db: Queryable, position: number): Promise<{ done: number; total: number }> {
  const count = db.selectFrom('document').select((it) => it.fn.countAll<number>().as('count'))
  const all = await count.executeTakeFirstOrThrow()
  const done = await count.where('seq', '<=', position).executeTakeFirstOrThrow()
  return { done: done.count, total: all.count }
}

/** The newest sequence number in use. */
export async function lastChangeSeq(db: Queryable): Promise<number> {
  const { value } = await db
    .selectFrom('sequence')
    .select('value')
    .where('name', '=', 'change')
    .executeTakeFirstOrThrow()
  return value
}

export interface IndexBacklog {
  documents: number
  bytes: number
}

/**
 * Counts the changes after `position`. It runs in a transaction because it may read a million rows, and reads outside
 * of one would block the event loop.
 */
export const countIndexBacklog = (db: Database, position: number): Promise<IndexBacklog> =>
  db.transaction().execute((trx) =>
    trx
      .selectFrom('document')
      .select((it) => [
        it.fn.countAll<number>().as('documents'),
        it.fn.coalesce(it.fn.sum<number>('body_bytes'), it.lit(0)).as('bytes'),
      ])
      .where('seq', '>', position)
      .executeTakeFirstOrThrow(),
  )
