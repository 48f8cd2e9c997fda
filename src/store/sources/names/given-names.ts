// Names that the documents of a pair give each other, such as the texts of links.
import { type Access, ccPairToken } from '../../../domain/access.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { digestOfKey } from '../index-attempts.ts'

const READ_BATCH = 200
const WRITE_BATCH = 500

/** The notes that a connector keeps of its documents, a few at a time. */
export async function* listSourceNotes(db: Queryable, cc_pair_id: number): AsyncGenerator<string, void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('source_note')
      .select(['key', 'value'])
      .where('cc_pair_id', '=', cc_pair_id)
      .where('key', '>', after)
      .orderBy('key')
      .limit(READ_BATCH)
      .execute()
    yield* rows.map((it) => it.value)
    const last = rows.at(-1)
    if (last === undefined || rows.length < READ_BATCH) return
    after = last.key
  }
}

/** `key` is that of the name, as `nameKey` makes it. */
export const givenNameDigest = ({ document_id, key }: { document_id: string; key: string }): string =>
  digestOfKey(`${key}\n${document_id}`)

/** Replaces the names of the pair by these, and writes only what differs. */
export async function replaceGivenNames(db: Database, cc_pair_id: number, digests: ReadonlySet<string>): Promise<void> {
  const own = db.selectFrom('given_name').where('cc_pair_id', '=', cc_pair_id)
  const known = new Set((await own.select('digest').execute()).map((it) => it.digest))
  for (const batch of batches([...known.difference(digests)])) {
    await db.deleteFrom('given_name').where('cc_pair_id', '=', cc_pair_id).where('digest', 'in', batch).execute()
  }
  for (const batch of batches([...digests.difference(known)])) {
    const values = batch.map((digest) => ({ cc_pair_id, digest }))
    await db
      .insertInto('given_name')
      .values(values)
      .onConflict((it) => it.doNothing())
      .execute()
  }
}

const batches = (all: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(all.length / WRITE_BATCH) }, (_, at) =>
    all.slice(at * WRITE_BATCH, (at + 1) * WRITE_BATCH),
  )

/** Those of the documents that have the name. Names count only if the reader may read the pair that gives them. */
export async function findNamedDocuments(
  db: Queryable,
  access: Access,
  { key, ids }: { key: string; ids: readonly string[] },
): Promise<Set<string>> {
  if (key === '' || ids.length === 0) return new Set()
  const documents = new Map(ids.map((document_id) => [givenNameDigest({ document_id, key }), document_id]))
  const rows = await db
    .selectFrom('given_name')
    .selectAll()
    .where('digest', 'in', [...documents.keys()])
    .execute()
  const readable = rows.filter((it) => access.includes(ccPairToken(it.cc_pair_id)))
  return new Set(readable.flatMap((it) => documents.get(it.digest) ?? []))
}
