// Named sets of cc-pairs to which a search can be limited.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { type Curator, mayManage } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { DocumentSetRow } from '../database/tables.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'
import { listReadablePairs } from './cc-pairs.ts'
import { idsOfManaged, type ManagedIds } from './managed-pairs.ts'

export interface DocumentSet {
  id: number
  name: string
  description: string
  is_public: boolean
  users: string[]
  groups: string[]
  /** Changes with the set. */
  version: string
  cc_pairs: { id: number; name: string; source: string; access_type: string }[]
}

type SetViewer = Pick<Subject, 'user_id' | 'groups' | 'rights'>

export interface NewDocumentSet extends Omit<DocumentSet, 'id' | 'version' | 'cc_pairs'> {
  cc_pair_ids: readonly number[]
}
/** A null name leaves the stored name unchanged. */
export type DocumentSetChange = Omit<NewDocumentSet, 'name'> & { name: string | null; expectedVersion: string | null }

/**
 * DUPLICATE_RESOURCE: the name is taken. VALIDATION_ERROR: there is no pair. CC_PAIR_NOT_FOUND: a pair is unknown, or
 * closed to the subject. NOT_CURATED: the subject would not manage the set.
 */
export const insertDocumentSet = (db: Database, caller: Subject, set: NewDocumentSet, now: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    if (!managesSet(subject, set)) throw new AppError('NOT_CURATED')
    await checkSetName(trx, set.name, null)
    const { id } = await trx
      .insertInto('document_set')
      .values({ ...documentSetColumns(set), name: set.name, time_created: now, time_updated: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await insertPairsOfSet(trx, id, { wanted: set.cc_pair_ids, open: await listOpenPairs(trx, subject) })
    return id
  })

/**
 * Pairs of the set that are closed to the subject stay. Throws what `insertDocumentSet` throws, and
 * DOCUMENT_SET_NOT_FOUND: there is no such set, or the subject does not manage it. DOCUMENT_SET_CHANGED: it has another
 * version than the caller expects.
 */
export const updateDocumentSet = (
  db: Database,
  caller: Subject,
  id: number,
  change: DocumentSetChange,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    const stored = await getManagedSet(trx, subject, id)
    if (!managesSet(subject, change)) throw new AppError('NOT_CURATED')
    if (change.expectedVersion !== null) await claimSetVersion(trx, stored, change.expectedVersion)
    const name = change.name ?? stored.name
    await checkSetName(trx, name, id)
    await trx
      .updateTable('document_set')
      .set({ ...documentSetColumns(change), name, time_updated: Math.max(now, stored.time_updated + 2) })
      .where('id', '=', id)
      .execute()
    const open = await listOpenPairs(trx, subject)
    await trx
      .deleteFrom('document_set_cc_pair')
      .where('document_set_id', '=', id)
      .$if(open !== 'all', (it) => it.where('cc_pair_id', 'in', idsOfManaged(open)))
      .execute()
    await insertPairsOfSet(trx, id, { wanted: change.cc_pair_ids, open })
  })

/** Locks the row. The time of a change tells the versions apart, so it never repeats. */
async function claimSetVersion(
  trx: Queryable,
  { id, time_updated }: Selectable<DocumentSetRow>,
  expectedVersion: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('document_set')
    .set({ time_updated: time_updated + 1 })
    .where('id', '=', id)
    .where('time_updated', '=', time_updated)
    .executeTakeFirst()
  if (numUpdatedRows === 0n || String(time_updated) !== expectedVersion) {
    throw new AppError('DOCUMENT_SET_CHANGED', { id })
  }
}

/** DOCUMENT_SET_NOT_FOUND: there is no such set, or the subject does not manage it. */
export const deleteDocumentSet = (db: Database, caller: Subject, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getManagedSet(trx, await withCurrentGroups(trx, caller), id)
    await trx.deleteFrom('document_set_cc_pair').where('document_set_id', '=', id).execute()
    await trx.deleteFrom('persona_document_set').where('document_set_id', '=', id).execute()
    await trx.deleteFrom('document_set').where('id', '=', id).execute()
  })

/** Lists the sets in which the subject may search. Managers of connectors see all. */
export async function listDocumentSets(
  db: Queryable,
  subject: Subject,
  { after, limit }: KeysetPage,
): Promise<DocumentSet[]> {
  const rows = await db.selectFrom('document_set').selectAll().where('id', '>', after).orderBy('id').execute()
  return addPairsOfSets(db, rows.filter((it) => isVisibleSet(it, subject)).slice(0, limit))
}

/** Lists the sets that the subject may change and delete. */
export async function listManagedSets(
  db: Queryable,
  subject: Subject,
  { after, limit }: KeysetPage,
): Promise<DocumentSet[]> {
  const rows = await db.selectFrom('document_set').selectAll().where('id', '>', after).orderBy('id').execute()
  const managed = rows.filter((it) =>
    managesSet(subject, { is_public: it.is_public === 1, groups: JSON.parse(it.groups) }),
  )
  return addPairsOfSets(db, managed.slice(0, limit))
}

/** Maps each persona to the sets that it searches, for any caller. */
export async function listSetsOfPersonas(
  db: Queryable,
  personaIds: readonly number[],
): Promise<ReadonlyMap<number, DocumentSet[]>> {
  const links = await db
    .selectFrom('persona_document_set')
    .selectAll()
    .where('persona_id', 'in', personaIds)
    .orderBy('document_set_id')
    .execute()
  const ids = [...new Set(links.map((it) => it.document_set_id))]
  const rows = ids.length === 0 ? [] : await db.selectFrom('document_set').selectAll().where('id', 'in', ids).execute()
  const byId = new Map((await addPairsOfSets(db, rows)).map((it) => [it.id, it]))
  const ofPersona = Map.groupBy(links, (it) => it.persona_id)
  return new Map([...ofPersona].map(([id, group]) => [id, group.flatMap((it) => byId.get(it.document_set_id) ?? [])]))
}

async function addPairsOfSets(db: Queryable, rows: readonly Selectable<DocumentSetRow>[]): Promise<DocumentSet[]> {
  if (rows.length === 0) return []
  const links = await db
    .selectFrom('document_set_cc_pair as link')
    .innerJoin('cc_pair', 'cc_pair.id', 'link.cc_pair_id')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['document_set_id', 'cc_pair.id', 'cc_pair.name', 'source', 'cc_pair.access_type'])
    .orderBy('cc_pair.id')
    .execute()
  const pairs = Map.groupBy(links, (it) => it.document_set_id)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    is_public: row.is_public === 1,
    users: JSON.parse(row.users),
    groups: JSON.parse(row.groups),
    version: String(row.time_updated),
    cc_pairs: (pairs.get(row.id) ?? []).map(({ document_set_id: _, ...pair }) => pair),
  }))
}

/** Lists the pairs of the sets with these names. Unknown sets and sets closed to the subject contribute none. */
export async function listPairsOfSets(db: Queryable, subject: SetViewer, names: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('document_set')
    .innerJoin('document_set_cc_pair', 'document_set_id', 'document_set.id')
    .selectAll()
    .where('name', 'in', names)
    .execute()
  return [...new Set(rows.filter((it) => isVisibleSet(it, subject)).map((it) => it.cc_pair_id))]
}

/** Lists the sets that contain one of the pairs, and whether the subject may search in them. */
export async function listSetsOfPairs(
  db: Queryable,
  subject: SetViewer,
  pairs: readonly number[],
): Promise<{ name: string; isVisible: boolean }[]> {
  const ids = db
    .selectFrom('document_set_cc_pair')
    .select('document_set_id')
    .where('cc_pair_id', 'in', [-1, ...pairs])
  const rows = await db.selectFrom('document_set').selectAll().where('id', 'in', ids).orderBy('name').execute()
  return rows.map((it) => ({ name: it.name, isVisible: isVisibleSet(it, subject) }))
}

/** Lists the pairs of the sets with these ids for any caller. Use it only to narrow what a subject may find anyway. */
export async function listPairsOfSetIds(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const links = db.selectFrom('document_set_cc_pair').select('cc_pair_id').distinct()
  const rows = await links.where('document_set_id', 'in', ids).execute()
  return rows.map((it) => it.cc_pair_id)
}

/** For rules that apply to every caller. */
export async function listPairsOfSet(db: Queryable, name: string): Promise<number[]> {
  const rows = await db
    .selectFrom('document_set')
    .innerJoin('document_set_cc_pair', 'document_set_id', 'document_set.id')
    .select('cc_pair_id')
    .where('name', '=', name)
    .execute()
  return rows.map((it) => it.cc_pair_id)
}

function isVisibleSet(
  row: Pick<Selectable<DocumentSetRow>, 'is_public' | 'users' | 'groups'>,
  subject: SetViewer,
): boolean {
  if (row.is_public === 1 || subject.rights.has('connectors')) return true
  const users: string[] = JSON.parse(row.users)
  const groups: string[] = JSON.parse(row.groups)
  return users.includes(subject.user_id) || groups.some((it) => subject.groups.includes(it))
}

const documentSetColumns = ({
  description,
  is_public,
  users,
  groups,
}: Omit<NewDocumentSet, 'name' | 'cc_pair_ids'>) => ({
  description,
  is_public: is_public ? (1 as const) : (0 as const),
  users: JSON.stringify(users),
  groups: JSON.stringify(groups),
})

/** Tells whether the subject may change and delete the set. */
export const managesSet = (
  subject: Curator,
  { is_public, groups }: Pick<DocumentSet, 'is_public' | 'groups'>,
): boolean => mayManage(subject, { kind: 'document_set', isPrivate: !is_public, groups })

/** The pairs that the subject may put into a set. */
const listOpenPairs = async (trx: Queryable, { rights, groups }: Subject): Promise<ManagedIds> =>
  rights.has('connectors') ? 'all' : listReadablePairs(trx, groups)

async function getManagedSet(db: Queryable, subject: Subject, id: number): Promise<Selectable<DocumentSetRow>> {
  const row = await db.selectFrom('document_set').selectAll().where('id', '=', id).executeTakeFirst()
  const isManaged =
    row !== undefined && managesSet(subject, { is_public: row.is_public === 1, groups: JSON.parse(row.groups) })
  if (!isManaged) throw new AppError('DOCUMENT_SET_NOT_FOUND', { id })
  return row
}

async function checkSetName(db: Queryable, name: string, own: number | null): Promise<void> {
  const holder = await db.selectFrom('document_set').select('id').where('name', '=', name).executeTakeFirst()
  if (holder !== undefined && holder.id !== own)
    throw new AppError('DUPLICATE_RESOURCE', { kind: 'A document set', name })
}

async function insertPairsOfSet(
  db: Queryable,
  document_set_id: number,
  { wanted: ids, open }: { wanted: readonly number[]; open: ManagedIds },
): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) {
    throw new AppError('VALIDATION_ERROR', { reason: 'A document set needs at least one connector-credential pair.' })
  }
  const rows = await db
    .selectFrom('cc_pair')
    .select('id')
    .where('id', 'in', wanted)
    .where('status', '<>', 'DELETING')
    .$if(open !== 'all', (it) => it.where('id', 'in', idsOfManaged(open)))
    .execute()
  const missing = wanted.find((id) => !rows.some((it) => it.id === id))
  if (missing !== undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id: missing })
  const links = wanted.map((cc_pair_id) => ({ document_set_id, cc_pair_id }))
  await db.insertInto('document_set_cc_pair').values(links).execute()
}
