import { type Access, documentAccessTokens, mayRead } from '../domain/access.ts'
import type { Queryable } from '../store/database/database.ts'
import { type DocumentSummary, findDocuments } from '../store/documents/documents.ts'

/** A statement has a limited number of parameters. */
const BATCH = 500

/** The documents that `access` may read, by id. */
export async function findReadableDocuments(
  db: Queryable,
  ids: readonly string[],
  access: Access,
): Promise<Map<string, DocumentSummary>> {
  const readable = new Map<string, DocumentSummary>()
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const it of await findDocuments(db, ids.slice(at, at + BATCH))) {
      if (mayRead(access, documentAccessTokens(it.external_access, it.cc_pair_ids))) readable.set(it.id, it)
    }
  }
  return readable
}
