// The vectors that a model has made, kept beside the index so that they need not be made again.
import type { Database, Queries, Statement } from './database.ts'

export interface StoredVector {
  hash: string
  document_id: string
  vector: string
}

/** By hash; what is not there is left out. */
export async function findVectors(
  db: Queries,
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

/** Only documents that are there: what was deleted meanwhile must not come back in this form. */
const INSERT = `insert into chunk_vector (hash, model, document_id, vector)
  select ?1, ?2, id, ?4 from document where id = ?3 and deleted_at is null
  on conflict (hash, model) do nothing`

export async function insertVectors(db: Database, model: string, vectors: readonly StoredVector[]): Promise<void> {
  const statements = vectors.map((it) => ({
    sql: INSERT,
    parameters: [it.hash, model, it.document_id, it.vector],
  }))
  await written(db, statements)
}

/** Any vector of the model, which tells how long they are. */
export async function anyVector(db: Queries, model: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chunk_vector')
    .select('vector')
    .where('model', '=', model)
    .limit(1)
    .executeTakeFirst()
  return row?.vector
}

export async function countVectors(db: Queries): Promise<number> {
  const row = await db
    .selectFrom('chunk_vector')
    .select((it) => it.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Those of one model, also of texts that no document holds any more. */
export async function countVectorsOf(db: Queries, model: string): Promise<number> {
  const row = await db
    .selectFrom('chunk_vector')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('model', '=', model)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Takes away what these documents do not hold any more, and what another model has made. Answers how much there was. */
export async function deleteOtherVectors(
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
  await written(
    db,
    others.map((it) => ({
      sql: 'delete from chunk_vector where hash = ?1 and model = ?2',
      parameters: [it.hash, it.model],
    })),
  )
  return others.length
}

async function written(db: Database, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return
  const [result] = await db.commit([statements])
  if (!result!.ok) throw result!.error
}
