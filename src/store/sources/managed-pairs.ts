// Cc-pairs and connectors that a subject manages. Those of others are missing for it.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { type Curator, type GroupAccess, mayManage } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import type { CcPairRow, ConnectorRow } from '../database/tables.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'

export type ManagedIds = 'all' | readonly number[]
type AccessColumns = Pick<CcPairRow, 'access_type' | 'groups'>

/** SQL has no empty list; nothing has the id -1. */
export const idsOfManaged = (managed: ManagedIds): number[] => (managed === 'all' ? [-1] : [-1, ...managed])

const accessOfPair = ({ access_type, groups }: AccessColumns): GroupAccess => ({
  isPrivate: access_type === 'private',
  groups: JSON.parse(groups),
})

/** In a transaction, call it with the subject of `withCurrentGroups`. */
export const managesPair = (subject: Curator, pair: AccessColumns): boolean =>
  mayManage(subject, { kind: 'cc_pair', ...accessOfPair(pair) })

/** CC_PAIR_NOT_FOUND: there is no such pair, or the subject does not manage it. */
export async function getManagedPair(db: Queryable, subject: Subject, id: number): Promise<Selectable<CcPairRow>> {
  const pair = await db.selectFrom('cc_pair').selectAll().where('id', '=', id).executeTakeFirst()
  const isManaged = pair !== undefined && managesPair(await withCurrentGroups(db, subject), pair)
  if (!isManaged) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  return pair
}

/** The pairs that the subject manages. Every condition of a list names them, so that pages and counts hold no others. */
export async function listManagedPairs(db: Queryable, subject: Subject): Promise<ManagedIds> {
  if (subject.rights.has('connectors')) return 'all'
  const rows = await db.selectFrom('cc_pair').select(['id', 'access_type', 'groups']).execute()
  return rows.filter((it) => managesPair(subject, it)).map((it) => it.id)
}

/** Those of the pairs that the subject manages now. */
export async function filterManagedPairs(
  trx: Queryable,
  subject: Subject,
  ids: readonly number[],
): Promise<readonly number[]> {
  const managed = await listManagedPairs(trx, await withCurrentGroups(trx, subject))
  return managed === 'all' ? ids : ids.filter((it) => managed.includes(it))
}

/** Connectors of managed pairs, and those without a pair that the subject created. */
export async function listManagedConnectors(db: Queryable, subject: Subject): Promise<ManagedIds> {
  const managed = await listManagedPairs(db, subject)
  if (managed === 'all') return 'all'
  const used = await db
    .selectFrom('cc_pair')
    .select('connector_id')
    .distinct()
    .where('id', 'in', idsOfManaged(managed))
    .execute()
  const own = await db
    .selectFrom('connector')
    .select('id')
    .where('creator', '=', subject.user_id)
    .where('id', 'not in', db.selectFrom('cc_pair').select('connector_id'))
    .execute()
  return [...used.map((it) => it.connector_id), ...own.map((it) => it.id)]
}

/** CONNECTOR_NOT_FOUND: there is no such connector, or the subject manages none of its pairs. */
export async function getVisibleConnector(
  db: Queryable,
  subject: Subject,
  id: number,
): Promise<Selectable<ConnectorRow>> {
  const row = await db.selectFrom('connector').selectAll().where('id', '=', id).executeTakeFirst()
  const visible = await listManagedConnectors(db, subject)
  if (row === undefined || (visible !== 'all' && !visible.includes(id)))
    throw new AppError('CONNECTOR_NOT_FOUND', { id })
  return row
}

/**
 * A change of a connector reaches all of its pairs. Throws what `getVisibleConnector` throws; NOT_CURATED: the subject
 * manages some of its pairs, but not all.
 */
export async function getManagedConnector(
  trx: Queryable,
  caller: Subject,
  id: number,
): Promise<Selectable<ConnectorRow>> {
  const subject = await withCurrentGroups(trx, caller)
  const connector = await getVisibleConnector(trx, subject, id)
  const rows = await trx
    .selectFrom('cc_pair')
    .select(['access_type', 'groups'])
    .where('connector_id', '=', id)
    .execute()
  const pairs = rows.map(accessOfPair)
  if (!mayManage(subject, { kind: 'connector', creator: connector.creator, pairs })) throw new AppError('NOT_CURATED')
  return connector
}

/**
 * The pairs whose documents a run of the pair may change. A curator chooses what a source answers, and so the ids of its
 * documents: the runs of their connectors change only documents that are private to groups of the pair.
 */
export async function listPairsOfRun(db: Queryable, id: number): Promise<ManagedIds> {
  const run = await db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'connector_id')
    .select(['is_curated', 'cc_pair.access_type', 'groups'])
    .where('cc_pair.id', '=', id)
    .executeTakeFirst()
  if (run === undefined || run.is_curated === 0) return 'all'
  const own = accessOfPair(run).groups
  const rows = await db.selectFrom('cc_pair').select(['id', 'access_type', 'groups']).execute()
  const covered = rows.filter((it) => {
    const { isPrivate, groups } = accessOfPair(it)
    return it.id === id || (isPrivate && groups.length > 0 && groups.every((name) => own.includes(name)))
  })
  return covered.map((it) => it.id)
}

/** The active person who created a cc-pair, and so looks after it. */
export interface PairKeeper {
  name: string | null
  email: string
}

/** Maps cc-pairs to people. Pairs of keys that act for nobody, and of people who left, are missing. */
export async function mapPairKeepers(db: Queryable, ids: readonly number[]): Promise<Map<number, PairKeeper>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('cc_pair')
    .innerJoin('person', 'person.id', 'cc_pair.creator')
    .select(['cc_pair.id as cc_pair_id', 'person.name as person_name', 'person.email'])
    .where('cc_pair.id', 'in', ids)
    .where('person.is_active', '=', 1)
    .execute()
  return new Map(rows.map(({ cc_pair_id, person_name, email }) => [cc_pair_id, { name: person_name, email }]))
}
