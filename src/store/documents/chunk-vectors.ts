// Stores the vectors of an embedding model next to the index, so that they need not be computed again.
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable } from '../database/database.ts'

export interface StoredVector {
  hash: string
  document_id: string
  vector: string
  /** Stands for the text that the model got. */
  text_hash: string
}

/** Maps hashes to vectors; missing ones are left out. */
export async function findVectors(
  db: Queryable,
  model: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('chunk_vector')
    .select(['hash', 'vector'])
    .where('hash', 'in', hashes)
    .where('model', '=', model)
    .execute()
  return new Map(rows.map((it) => [it.hash, it.vector]))
}

/** Maps text hashes to the vector of any chunk with that text; missing ones are left out. */
export async function findVectorsOfTexts(
  db: Queryable,
  model: string,
  textHashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (textHashes.length === 0) return new Map()
  // The index has all columns of this query, so a text of thousands of chunks costs little.
  const chunks = await db
    .selectFrom('chunk_vector')
    .select(({ fn }) => ['text_hash', fn.min('hash').as('hash')])
    .where('text_hash', 'in', textHashes)
    .where('model', '=', model)
    .groupBy('text_hash')
    .execute()
  const vectors = await findVectors(
    db,
    model,
    chunks.map((it) => it.hash),
  )
  return new Map(
    chunks.flatMap(({ text_hash, hash }) => {
      const vector = vectors.get(hash)
      return text_hash === null || vector === undefined ? [] : [[text_hash, vector]]
    }),
  )
}

/** Inserts only for existing documents: content of a deleted document must not reappear in this form. */
const INSERT_VECTOR = `insert into chunk_vector (hash, model, document_id, vector, text_hash)
  select ?1, ?2, id, ?4, ?5 from document where id = ?3 and deleted_at is null
  on conflict (hash, model) do nothing`

export async function insertVectors(db: Database, model: string, vectors: readonly StoredVector[]): Promise<void> {
  if (vectors.length === 0) return
  const statements = vectors.map((it) => ({
    sql: INSERT_VECTOR,
    parameters: [it.hash, model, it.document_id, it.vector, it.text_hash],
  }))
  await commitStatements(db, statements)
}

/** Returns any vector of the model, to learn its dimension. */
export async function findAnyVector(db: Queryable, model: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chunk_vector')
    .select('vector')
    .where('model', '=', model)
    .limit(1)
    .executeTakeFirst()
  return row?.vector
}

export async function countVectors(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('chunk_vector')
    .select((it) => it.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Counts the vectors of one model, including those of texts that no document contains any more. */
export async function countVectorsOfModel(db: Queryable, model: string): Promise<number> {
  const row = await db
    .selectFrom('chunk_vector')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('model', '=', model)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/**
 * Deletes vectors of these documents that have other hashes or come from another model. Returns how many there were.
 */
export async function deleteStaleVectors(
  db: Database,
  { model, documents, hashes }: { model: string; documents: readonly string[]; hashes: readonly string[] },
): Promise<number> {
  const rows = await db
    .selectFrom('chunk_vector')
    .select(['hash', 'model'])
    .where('document_id', 'in', documents)
    .execute()
  const kept = new Set(hashes)
  const others = rows.filter((it) => it.model !== model || !kept.has(it.hash))
  if (others.length === 0) return 0
  await commitStatements(
    db,
    others.map((it) => ({
      sql: 'delete from chunk_vector where hash = ?1 and model = ?2',
      parameters: [it.hash, it.model],
    })),
  )
  return others.length
}
