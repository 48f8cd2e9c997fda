// Decides which documents a subject may see, overwrite, delete and retry.
import { setImmediate as turn } from 'node:timers/promises'
import { type Access, documentAccessTokens, type ExternalAccess, mayRead } from '../../domain/access.ts'
import type { Queryable } from '../database/database.ts'

/** The cc-pairs whose documents the subject may write. Managers of connectors may write all. */
export type WritablePairs = 'all' | readonly number[]

/**
 * 'all' covers every document. Otherwise the scope covers documents in `pairs` that `owner` pushed or that `access` may
 * read.
 */
export type DocumentScope = 'all' | { owner: string; pairs: readonly number[]; access: Access }

export const isWritablePair = (writable: WritablePairs, ccPairId: number): boolean =>
  writable === 'all' || writable.includes(ccPairId)

export const writablePairsOf = (scope: DocumentScope): WritablePairs => (scope === 'all' ? 'all' : scope.pairs)

/** The fields of a document that decide about access. */
export interface OwnedDocument {
  pushed_by: string | null
  external_access: ExternalAccess | null
  cc_pair_ids: readonly number[]
  is_hidden: boolean
  is_quarantined: boolean
}

/** One readable cc-pair suffices, as in a search. Nobody reads a hidden or quarantined document, but its owner sees its state. */
export const maySeeDocument = (scope: DocumentScope, document: OwnedDocument): boolean =>
  scope === 'all' ||
  (document.cc_pair_ids.some((it) => scope.pairs.includes(it)) &&
    (document.is_hidden || document.is_quarantined
      ? document.pushed_by === scope.owner
      : isOwnOrReadable(scope, document)))

/** All cc-pairs must be writable, because a write changes the document in each of them. */
export const mayChangeDocument = (scope: DocumentScope, document: OwnedDocument): boolean =>
  scope === 'all' || (document.cc_pair_ids.every((it) => scope.pairs.includes(it)) && isOwnOrReadable(scope, document))

const isOwnOrReadable = (
  { owner, access }: Exclude<DocumentScope, 'all'>,
  { pushed_by, external_access, cc_pair_ids }: OwnedDocument,
): boolean => pushed_by === owner || mayRead(access, documentAccessTokens(external_access, cc_pair_ids))

/** Scanning a row costs one row of reading and no text. */
const SCAN_BATCH = 1_000

interface ScannedRow {
  id: string
  external_access: string | null
}

/**
 * Returns the first `limit` documents of the scope. `pageAfter` reads documents of the scope's cc-pairs in order. Other
 * requests run between two pages.
 */
export async function collectInScope<T extends ScannedRow>(
  db: Queryable,
  scope: DocumentScope,
  { limit, signal }: { limit: number; signal?: AbortSignal | undefined },
  pageAfter: (last: T | undefined, limit: number) => Promise<T[]>,
): Promise<T[]> {
  if (scope === 'all') return pageAfter(undefined, limit)
  const found: T[] = []
  for (let last: T | undefined; found.length < limit; ) {
    const page = await pageAfter(last, SCAN_BATCH)
    for (const it of await filterByScope(db, scope, page)) found.push(it)
    if (page.length < SCAN_BATCH) break
    last = page.at(-1)
    await turn()
    signal?.throwIfAborted()
  }
  return found.slice(0, limit)
}

/** Removes documents outside of the scope. All rows belong to cc-pairs of the scope. */
export async function filterByScope<T extends ScannedRow>(
  db: Queryable,
  scope: DocumentScope,
  rows: readonly T[],
): Promise<T[]> {
  if (scope === 'all') return [...rows]
  const unreadable = rows.filter((it) => !isReadableAccess(scope.access, it.external_access)).map((it) => it.id)
  if (unreadable.length === 0) return [...rows]
  const own = await db
    .selectFrom('document')
    .select('id')
    .where('id', 'in', unreadable)
    .where('pushed_by', '=', scope.owner)
    .execute()
  const foreign = new Set(unreadable)
  for (const { id } of own) foreign.delete(id)
  return rows.filter((it) => !foreign.has(it.id))
}

/** A document without its own access list is as open as its cc-pairs. */
const isReadableAccess = (access: Access, text: string | null): boolean =>
  text === null || mayRead(access, documentAccessTokens(JSON.parse(text), []))

const ID_BATCH = 500

/** Returns the stored `external_access` of those of the documents that have one which the scope may read. */
export async function mapReadableAccess(
  db: Queryable,
  { access }: Exclude<DocumentScope, 'all'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const readable = new Map<string, string>()
  for (let at = 0; at < ids.length; at += ID_BATCH) {
    const rows = await db
      .selectFrom('document')
      .select(['id', 'external_access'])
      .where('id', 'in', ids.slice(at, at + ID_BATCH))
      .where('external_access', 'is not', null)
      .where('deleted_at', 'is', null)
      .execute()
    for (const { id, external_access } of rows) {
      if (external_access !== null && isReadableAccess(access, external_access)) readable.set(id, external_access)
    }
  }
  return readable
}
