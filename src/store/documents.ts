// The record of documents: one row each, and their place in the stream of changes.
import { createHash } from 'node:crypto'
import type { ExternalAccess } from '../domain/access.ts'
import type { DocumentContent, Owner, Section } from '../domain/document.ts'
import { AppError } from '../domain/errors.ts'
import type { Database, ItemResult, Queries, Row, Statement } from './database.ts'
import { warningsOfContent } from './screen.ts'

export interface Acceptance {
  document_id: string
  already_existed: boolean
  /** Where the newest version stands in the stream of changes. */
  seq: number
  /** How much content waits to be indexed because of this, or undefined when nothing changed. */
  addedBytes: number | undefined
}

/** The cc-pairs whose documents somebody may write: whoever manages connectors may write all. */
export type WritablePairs = 'all' | readonly number[]

export const isWritable = (writable: WritablePairs, ccPairId: number): boolean =>
  writable === 'all' || writable.includes(ccPairId)

export interface NewDocument {
  content: DocumentContent
  ccPairId: number
  /** The request that brought it; null when it was none. */
  requestId: string | null
  /**
   * A connector read it, while it held that lease of the pair: whoever lost it writes nothing. It takes no place of one
   * that was pushed: that is somebody's edited copy.
   */
  pulled?: { fence: number }
}

/**
 * Writes a version of each document and its sequence number. A version equal to the stored one changes nothing, unless
 * it puts the document into one more cc-pair. Items fail alone: a cc-pair that is unknown, being deleted or not writable
 * is CC_PAIR_NOT_FOUND, a document that also belongs to a pair which is not writable is DOCUMENT_NOT_WRITABLE.
 */
export const acceptDocuments = async (
  db: Database,
  writable: WritablePairs,
  documents: readonly NewDocument[],
  now: number,
): Promise<(Acceptance | Error)[]> => (await acceptTogether(db, writable, documents, { now, also: [] })).accepted

/** As `acceptDocuments`, with one more item in the same transaction: what it came to is told too. */
export async function acceptTogether(
  db: Database,
  writable: WritablePairs,
  documents: readonly NewDocument[],
  { now, also }: { now: number; also: readonly Statement[] },
): Promise<{ accepted: (Acceptance | Error)[]; also: ItemResult }> {
  const items = documents.map((it) => acceptStatements(writable, it, now))
  const results = await db.commit([...items.map((it) => it.statements), also])
  const accepted = results.slice(0, -1).map((result, at) => {
    if (!result.ok) return result.error
    const { content, ccPairId } = documents[at]!
    const [, [before], , [written]] = result.rows as [Row[], Row[], Row[], Row[]]
    if (before!.pair === null) return new AppError('CC_PAIR_NOT_FOUND', { id: ccPairId })
    if (before!.is_foreign !== null) return new AppError('DOCUMENT_NOT_WRITABLE')
    return {
      document_id: content.id,
      already_existed: before!.seq !== null,
      seq: Number(written?.seq ?? before!.seq),
      addedBytes: written === undefined ? undefined : items[at]!.bytes,
    }
  })
  return { accepted, also: results.at(-1)! }
}

const BEFORE = (isWritable: string, foreign: string) => `select
  (select 1 from cc_pair where id = ?2 and ${isWritable}) as pair,
  (${foreign}) as is_foreign,
  (select seq from document where id = ?1 and deleted_at is null) as seq`
/** Comes first: where many write at once, it makes them take turns, so that what an item reads stays true to its end. */
const NEXT = `update sequence set value = value + 1 where name = 'change'`
const LINK = (target: string) => `insert into document_cc_pair (document_id, cc_pair_id, seq)
  select ?1, id, (select value from sequence where name = 'change') ${target}
  on conflict (document_id, cc_pair_id) do nothing`
const UNLESS_PUSHED =
  'and not exists (select 1 from document where id = ?1 and from_ingestion_api = 1 and deleted_at is null)'
const WHILE_HELD = (fence: string) =>
  `and exists (select 1 from cc_pair_schedule as held where held.cc_pair_id = ?2 and held.fence = ${fence})`
/** Nothing is written when the stored version is the same, lives, was not given up, and gains no cc-pair. */
const UPSERT = (target: string) => `insert into document (
    id, seq, version, content_hash, semantic_identifier, title, source, link, doc_updated_at, metadata,
    primary_owners, secondary_owners, external_access, from_ingestion_api, accepted_at, body_bytes, sections,
    request_id, changed_at, warnings, hidden_characters)
  select ?1, (select value from sequence where name = 'change'), 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?19, ?13, ?14, ?15,
    ?16, ?13, ?17, ?18
  ${target}
  on conflict (id) do update set
    seq = excluded.seq, version = document.version + 1, content_hash = excluded.content_hash,
    semantic_identifier = excluded.semantic_identifier, title = excluded.title, source = excluded.source,
    link = excluded.link, doc_updated_at = excluded.doc_updated_at, metadata = excluded.metadata,
    primary_owners = excluded.primary_owners, secondary_owners = excluded.secondary_owners,
    external_access = excluded.external_access, from_ingestion_api = excluded.from_ingestion_api, accepted_at = excluded.accepted_at,
    body_bytes = excluded.body_bytes, sections = excluded.sections, deleted_at = null,
    request_id = excluded.request_id, changed_at = excluded.changed_at,
    warnings = excluded.warnings, hidden_characters = excluded.hidden_characters
  where (excluded.from_ingestion_api >= document.from_ingestion_api or document.deleted_at is not null)
    and (document.content_hash <> excluded.content_hash or document.deleted_at is not null
      or excluded.from_ingestion_api > document.from_ingestion_api
      or exists (select 1 from document_cc_pair as link
        where link.document_id = document.id and link.cc_pair_id = ?2 and link.seq = excluded.seq)
      or exists (select 1 from receipt
        where receipt.document_id = document.id and receipt.seq = document.seq and receipt.error is not null))
  returning seq`

/** The statements of an acceptance. The ids in them are numbers of ours, so they may stand in the text. */
function acceptance(writable: WritablePairs) {
  // An empty list is no SQL; no pair has the number -1.
  const ids = writable === 'all' ? '' : [-1, ...writable].map(Number).join()
  const isWritable = `cc_pair.status <> 'DELETING'${writable === 'all' ? '' : ` and cc_pair.id in (${ids})`}`
  const foreign =
    writable === 'all'
      ? 'select 1 where 1 = 0'
      : `select 1 from document_cc_pair as owner
          where owner.document_id = ?1 and owner.cc_pair_id not in (${ids}) limit 1`
  const target = `from cc_pair where cc_pair.id = ?2 and ${isWritable} and not exists (${foreign})`
  return {
    before: BEFORE(isWritable, foreign),
    link: LINK(target),
    upsert: UPSERT(target),
    pulledLink: LINK(`${target} ${WHILE_HELD('?3')} ${UNLESS_PUSHED}`),
    pulledUpsert: UPSERT(`${target} ${WHILE_HELD('?20')}`),
  }
}
const acceptanceOfAll = acceptance('all')

function acceptStatements(
  writable: WritablePairs,
  { content, ccPairId, requestId, pulled }: NewDocument,
  now: number,
): { statements: Statement[]; bytes: number } {
  const texts = writable === 'all' ? acceptanceOfAll : acceptance(writable)
  const { id, semantic_identifier, title, source, link, doc_updated_at } = content
  const body = JSON.stringify(content.sections)
  const fields = [
    semantic_identifier,
    title,
    source,
    link,
    doc_updated_at,
    JSON.stringify(content.metadata),
    JSON.stringify(content.primary_owners),
    JSON.stringify(content.secondary_owners),
    content.external_access === null ? null : JSON.stringify(content.external_access),
  ]
  const hash = createHash('sha256').update(JSON.stringify(fields)).update(body).digest('base64url')
  const pair = [id, ccPairId]
  const seen = [warningsOfContent(content), content.hidden_characters]
  const row = [...pair, hash, ...fields, now, body.length, body, requestId, ...seen]
  const writing =
    pulled === undefined
      ? [
          { sql: texts.link, parameters: pair },
          { sql: texts.upsert, parameters: [...row, 1] },
        ]
      : [
          { sql: texts.pulledLink, parameters: [...pair, pulled.fence] },
          { sql: texts.pulledUpsert, parameters: [...row, 0, pulled.fence] },
        ]
  const statements = [{ sql: NEXT, parameters: [] }, { sql: texts.before, parameters: pair }, ...writing]
  return { statements, bytes: body.length }
}

/** A change of a document, as the follower reads it. */
export interface Change {
  id: string
  seq: number
  isDeleted: boolean
  title: string | null
  semantic_identifier: string
  source: string
  link: string | null
  updated_at: number
  metadata: Record<string, string | string[]>
  primary_owners: Owner[]
  secondary_owners: Owner[]
  external_access: ExternalAccess | null
  cc_pair_ids: number[]
  body_bytes: number
  sections: Section[]
  /** The sequence number that the receipt is about, if there is one, and how often that version was tried. */
  receipt_seq: number | null
  attempts: number
  /** The request that brought this version. */
  request_id: string | null
}

/** The next changes after `position`, in order: at most `maxCount`, and no more than fit into `maxBytes` (but one). */
export async function listChanges(
  db: Queries,
  position: number,
  maxCount: number,
  maxBytes: number,
): Promise<Change[]> {
  const sizes = await db
    .selectFrom('document')
    .select(['seq', 'body_bytes'])
    .where('seq', '>', position)
    .orderBy('seq')
    .limit(maxCount)
    .execute()
  if (sizes.length === 0) return []
  const rows = await selectChanges(db)
    .where('seq', '>', position)
    .where('seq', '<=', lastThatFits(sizes, maxBytes))
    .orderBy('seq')
    .execute()
  return toChanges(db, rows)
}

function lastThatFits(sizes: readonly { seq: number; body_bytes: number }[], maxBytes: number): number {
  let last = sizes[0]!.seq
  let bytes = 0
  for (const { seq, body_bytes } of sizes) {
    bytes += body_bytes
    if (bytes > maxBytes) break
    last = seq
  }
  return last
}

/** Changes that failed before and whose time has come again. */
export async function listRetries(db: Queries, now: number, limit: number): Promise<Change[]> {
  const rows = await selectChanges(db)
    .where('seq', 'in', db.selectFrom('receipt').select('receipt.seq').where('retry_at', '<=', now).limit(limit))
    .execute()
  return toChanges(db, rows)
}

const selectChanges = (db: Queries) =>
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

async function toChanges(db: Queries, rows: ChangeRow[]): Promise<Change[]> {
  const pairs = await pairsOf(
    db,
    rows.map((it) => it.id),
  )
  return rows.map((row) => ({
    id: row.id,
    seq: row.seq,
    isDeleted: row.deleted_at !== null,
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

async function pairsOf(db: Queries, ids: readonly string[]): Promise<Map<string, number[]>> {
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

/** What a search result shows of a document, and who may see it. */
export interface DocumentSummary {
  id: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  updated_at: number
  metadata: Record<string, string | string[]>
  primary_owners: Owner[]
  secondary_owners: Owner[]
  external_access: ExternalAccess | null
  cc_pair_ids: number[]
}

/** The living ones among these documents, in no order. */
export async function findDocuments(db: Queries, ids: readonly string[]): Promise<DocumentSummary[]> {
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
    .execute()
  const pairs = await pairsOf(db, ids)
  return rows.map(({ doc_updated_at, accepted_at, ...row }) => ({
    ...row,
    updated_at: doc_updated_at ?? accepted_at,
    metadata: JSON.parse(row.metadata),
    primary_owners: JSON.parse(row.primary_owners),
    secondary_owners: JSON.parse(row.secondary_owners),
    external_access: row.external_access === null ? null : JSON.parse(row.external_access),
    cc_pair_ids: pairs.get(row.id) ?? [],
  }))
}

/** How many changes there are in all, and how many up to a position. */
export async function countChanges(db: Queries, position: number): Promise<{ done: number; total: number }> {
  const count = db.selectFrom('document').select((it) => it.fn.countAll<number>().as('count'))
  const all = await count.executeTakeFirstOrThrow()
  const done = await count.where('seq', '<=', position).executeTakeFirstOrThrow()
  return { done: done.count, total: all.count }
}

/** The newest sequence number given out so far. */
export async function lastSequence(db: Queries): Promise<number> {
  const { value } = await db
    .selectFrom('sequence')
    .select('value')
    .where('name', '=', 'change')
    .executeTakeFirstOrThrow()
  return value
}

export interface Backlog {
  documents: number
  bytes: number
}

/**
 * What stands after `position`. In a transaction, because it may read a million rows, and only what is asked elsewhere
 * is read in the event loop.
 */
export const countBacklog = (db: Database, position: number): Promise<Backlog> =>
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
