// Sets of cc-pairs under a name that a search can be narrowed to.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import type { Database, Queries } from './database.ts'
import type { DocumentSetRow } from './tables.ts'

export interface DocumentSet {
  id: number
  name: string
  description: string
  is_public: boolean
  users: string[]
  groups: string[]
  cc_pairs: { id: number; name: string; source: string; access_type: string }[]
}

type Seeker = Pick<Subject, 'user_id' | 'groups' | 'rights'>

export interface NewDocumentSet extends Omit<DocumentSet, 'id' | 'cc_pairs'> {
  cc_pair_ids: readonly number[]
}
/** A name that is null stays as it is. */
export type DocumentSetChange = Omit<NewDocumentSet, 'name'> & { name: string | null }

/** A name that is taken is DUPLICATE_RESOURCE, no pair at all VALIDATION_ERROR, an unknown pair CC_PAIR_NOT_FOUND. */
export const insertDocumentSet = (db: Database, set: NewDocumentSet, now: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await checkName(trx, set.name, null)
    const { id } = await trx
      .insertInto('document_set')
      .values({ ...columnsOf(set), name: set.name, time_created: now, time_updated: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await linkPairs(trx, id, set.cc_pair_ids)
    return id
  })

/** Refuses what `insertDocumentSet` refuses, and DOCUMENT_SET_NOT_FOUND. */
export const updateDocumentSet = (db: Database, id: number, change: DocumentSetChange, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = await getRow(trx, id)
    const name = change.name ?? stored.name
    await checkName(trx, name, id)
    await trx
      .updateTable('document_set')
      .set({ ...columnsOf(change), name, time_updated: now })
      .where('id', '=', id)
      .execute()
    await trx.deleteFrom('document_set_cc_pair').where('document_set_id', '=', id).execute()
    await linkPairs(trx, id, change.cc_pair_ids)
  })

export const deleteDocumentSet = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getRow(trx, id)
    await trx.deleteFrom('document_set_cc_pair').where('document_set_id', '=', id).execute()
    await trx.deleteFrom('persona_document_set').where('document_set_id', '=', id).execute()
    await trx.deleteFrom('document_set').where('id', '=', id).execute()
  })

/** Those that the subject may search in; who manages connectors sees all. */
export async function listDocumentSets(db: Queries, subject: Subject, { after, limit }: Page): Promise<DocumentSet[]> {
  const rows = await db.selectFrom('document_set').selectAll().where('id', '>', after).orderBy('id').execute()
  const visible = rows.filter((it) => isVisible(it, subject)).slice(0, limit)
  if (visible.length === 0) return []
  const links = await db
    .selectFrom('document_set_cc_pair as link')
    .innerJoin('cc_pair', 'cc_pair.id', 'link.cc_pair_id')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['document_set_id', 'cc_pair.id', 'cc_pair.name', 'source', 'cc_pair.access_type'])
    .orderBy('cc_pair.id')
    .execute()
  const pairs = Map.groupBy(links, (it) => it.document_set_id)
  return visible.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    is_public: row.is_public === 1,
    users: JSON.parse(row.users),
    groups: JSON.parse(row.groups),
    cc_pairs: (pairs.get(row.id) ?? []).map(({ document_set_id: _, ...pair }) => pair),
  }))
}

/** The pairs of the sets of these names. A set that does not exist, or is closed to the subject, holds none. */
export async function listPairsOfSets(db: Queries, subject: Seeker, names: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('document_set')
    .innerJoin('document_set_cc_pair', 'document_set_id', 'document_set.id')
    .selectAll()
    .where('name', 'in', names)
    .execute()
  return [...new Set(rows.filter((it) => isVisible(it, subject)).map((it) => it.cc_pair_id))]
}

/** The pairs of the sets of these ids, whoever asks: to narrow what somebody may find anyway. */
export async function listPairsOfSetIds(db: Queries, ids: readonly number[]): Promise<number[]> {
  const links = db.selectFrom('document_set_cc_pair').select('cc_pair_id').distinct()
  const rows = await links.where('document_set_id', 'in', ids).execute()
  return rows.map((it) => it.cc_pair_id)
}

/** For what holds whoever asks. */
export async function listPairsOfSet(db: Queries, name: string): Promise<number[]> {
  const rows = await db
    .selectFrom('document_set')
    .innerJoin('document_set_cc_pair', 'document_set_id', 'document_set.id')
    .select('cc_pair_id')
    .where('name', '=', name)
    .execute()
  return rows.map((it) => it.cc_pair_id)
}

function isVisible(row: Pick<Selectable<DocumentSetRow>, 'is_public' | 'users' | 'groups'>, subject: Seeker): boolean {
  if (row.is_public === 1 || subject.rights.has('connectors')) return true
  const users: string[] = JSON.parse(row.users)
  const groups: string[] = JSON.parse(row.groups)
  return users.includes(subject.user_id) || groups.some((it) => subject.groups.includes(it))
}

const columnsOf = ({ description, is_public, users, groups }: Omit<NewDocumentSet, 'name'>) => ({
  description,
  is_public: is_public ? (1 as const) : (0 as const),
  users: JSON.stringify(users),
  groups: JSON.stringify(groups),
})

async function getRow(db: Queries, id: number): Promise<Selectable<DocumentSetRow>> {
  const row = await db.selectFrom('document_set').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('DOCUMENT_SET_NOT_FOUND', { id })
  return row
}

async function checkName(db: Queries, name: string, own: number | null): Promise<void> {
  const holder = await db.selectFrom('document_set').select('id').where('name', '=', name).executeTakeFirst()
  if (holder !== undefined && holder.id !== own)
    throw new AppError('DUPLICATE_RESOURCE', { kind: 'A document set', name })
}

async function linkPairs(db: Queries, document_set_id: number, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) {
    throw new AppError('VALIDATION_ERROR', { reason: 'A document set needs at least one connector-credential pair.' })
  }
  const rows = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('id', 'in', wanted)
    .where('status', '<>', 'DELETING')
    .execute()
  const missing = wanted.find((id) => !rows.some((it) => it.id === id))
  if (missing !== undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id: missing })
  const links = wanted.map((cc_pair_id) => ({ document_set_id, cc_pair_id }))
  await db.insertInto('document_set_cc_pair').values(links).execute()
}
