// Keeps the signatures of documents and the groups of near duplicates, in the order of the changes of the record.
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'

export interface ChangedDocument {
  id: string
  seq: number
  title: string
  /** Null if nobody can find the document: it is deleted, hidden or in quarantine. */
  sections: { text: string }[] | null
}

/** Lists the documents of the next changes, at least one if there are any. */
export async function listUncomparedDocuments(
  db: Queryable,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<ChangedDocument[]> {
  const position = await getComparedPosition(db)
  const changed = db.selectFrom('document').where('seq', '>', position).orderBy('seq')
  const sizes = await changed.select(['seq', 'body_bytes']).limit(limit).execute()
  let bytes = 0
  let last: number | undefined
  for (const it of sizes) {
    bytes += it.body_bytes
    if (last !== undefined && bytes > maxBytes) break
    last = it.seq
  }
  if (last === undefined) return []
  const rows = await changed
    .select(['id', 'seq', 'title', 'semantic_identifier', 'sections', 'deleted_at', 'hidden_at', 'quarantined_at'])
    .where('seq', '<=', last)
    .execute()
  return rows.map(({ id, seq, title, semantic_identifier, sections, ...withheld }) => ({
    id,
    seq,
    title: title ?? semantic_identifier,
    sections: Object.values(withheld).every((it) => it === null) ? JSON.parse(sections) : null,
  }))
}

async function getComparedPosition(db: Queryable): Promise<number> {
  const row = await db.selectFrom('sequence').select('value').where('name', '=', 'compared').executeTakeFirstOrThrow()
  return row.value
}

/** The number of documents whose last change has not been compared yet. */
export async function countUncompared(db: Queryable): Promise<number> {
  const { count } = await db
    .selectFrom('document')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('seq', '>', await getComparedPosition(db))
    .executeTakeFirstOrThrow()
  return count
}

export interface StoredSignature {
  document_id: string
  signature: string
  group_id: number | null
}

/** Returns the stored signatures of these documents; documents without one are left out. */
export const findSignatures = async (db: Queryable, ids: readonly string[]): Promise<StoredSignature[]> =>
  ids.length === 0 ? [] : db.selectFrom('document_signature').selectAll().where('document_id', 'in', ids).execute()

/** Like `findSignatures`, but only for documents that have near duplicates. */
export const findGroupedSignatures = async (db: Queryable, ids: readonly string[]): Promise<StoredSignature[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('document_signature')
        .selectAll()
        .where('document_id', 'in', ids)
        .where('group_id', 'is not', null)
        .execute()

/** Returns those of the bands that several documents have. */
export async function findSharedBands(db: Queryable, bands: readonly number[]): Promise<ReadonlySet<number>> {
  if (bands.length === 0) return new Set()
  const rows = await db
    .selectFrom('signature_band')
    .select('band')
    .where('band', 'in', bands)
    .groupBy('band')
    .having((it) => it.fn.countAll(), '>', 1)
    .execute()
  return new Set(rows.map((it) => it.band))
}

/** Thousands of equal documents share their bands. Some of them are enough to find their group. */
const MAX_CANDIDATES = 200

/** Returns other documents with one of these bands. */
export async function findCandidates(db: Queryable, id: string, bands: readonly number[]): Promise<StoredSignature[]> {
  const sharing = db
    .selectFrom('signature_band')
    .select('document_id')
    .distinct()
    .where('band', 'in', bands)
    .where('document_id', '<>', id)
    .limit(MAX_CANDIDATES)
  const ids = (await sharing.execute()).map((it) => it.document_id)
  return findSignatures(db, ids)
}

/** The new signature of a document; null removes it. `formerBands` are those of the stored one. */
export interface SignatureChange {
  id: string
  signature: string | null
  bands: readonly number[]
  formerBands: readonly number[]
}

/** The documents leave their groups. */
export async function writeSignatures(db: Database, changes: readonly SignatureChange[]): Promise<void> {
  if (changes.length > 0) await commitStatements(db, changes.flatMap(signatureStatements))
}

function signatureStatements({ id, signature, bands, formerBands }: SignatureChange): SqlStatement[] {
  const removed = formerBands.map((band) => ({
    sql: 'delete from signature_band where band = ?1 and document_id = ?2',
    parameters: [band, id],
  }))
  if (formerBands.length > 0)
    removed.push({ sql: 'delete from document_signature where document_id = ?1', parameters: [id] })
  if (signature === null) return removed
  // One statement for all bands: a statement for each takes most of the time of a comparison.
  const distinct = [...new Set(bands)]
  const rows = distinct.map((_, at) => `(cast(?${at + 2} as bigint), ?1)`).join()
  return [
    ...removed,
    { sql: 'insert into document_signature (document_id, signature) values (?1, ?2)', parameters: [id, signature] },
    { sql: `insert into signature_band (band, document_id) values ${rows}`, parameters: [id, ...distinct] },
  ]
}

/** Makes one group of these documents and of the groups in which some of them are. */
export function groupStatements(
  { ids, formerGroups }: { ids: readonly string[]; formerGroups: readonly number[] },
  groupId: number,
): SqlStatement[] {
  const set = 'update document_signature set group_id = cast(?1 as bigint)'
  return [
    ...formerGroups.map((it) => ({ sql: `${set} where group_id = cast(?2 as bigint)`, parameters: [groupId, it] })),
    ...ids.map((id) => ({ sql: `${set} where document_id = ?2`, parameters: [groupId, id] })),
  ]
}

/** Says that all changes up to this one are compared, together with what follows from them. */
export const commitComparison = (
  db: Database,
  position: number,
  statements: readonly SqlStatement[],
): Promise<unknown> =>
  commitStatements(db, [
    ...statements,
    { sql: `update sequence set value = ?1 where name = 'compared' and value < ?1`, parameters: [position] },
  ])

/** Removes signatures of documents that no longer exist. Without any, it writes nothing. */
export async function sweepSignatures(db: Database): Promise<void> {
  const gone = 'not exists (select 1 from document where document.id = document_id)'
  for (const table of ['document_signature', 'signature_band'] as const) {
    const found = await db
      .selectFrom(table)
      .select('document_id')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('document').select('document.id').whereRef('document.id', '=', `${table}.document_id`))),
      )
      .limit(1)
      .executeTakeFirst()
    if (found !== undefined) await commitStatements(db, [{ sql: `delete from ${table} where ${gone}`, parameters: [] }])
  }
}
