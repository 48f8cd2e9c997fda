import type { Selectable } from 'kysely'
import { type AccessType, sourcesLike } from '../domain/connector.ts'
import { AppError } from '../domain/errors.ts'
import { getConnector } from './connectors.ts'
import type { Database, Queries } from './database.ts'
import { cancelAttempts } from './index-attempts.ts'
import { findSchedule, insertAttempt, insertSchedule } from './pulling.ts'
import type { CcPairRow } from './tables.ts'

export type StoredCcPair = Selectable<CcPairRow>

export interface NewCcPair {
  connector_id: number
  credential_id: number
  name: string
  access_type: AccessType
  groups: readonly string[]
  status: string
  creator: string
  /** Whether a connector reads its source: then its first run is wanted at once. */
  isPulled: boolean
}

/**
 * Answers the id of the pair, and whether it is this call that made it. One that is going is CC_PAIR_DELETING; a
 * connector or credential that went meanwhile is CONNECTOR_NOT_FOUND or CREDENTIAL_NOT_FOUND.
 */
export const insertCcPair = (
  db: Database,
  { isPulled, ...pair }: NewCcPair,
  now: number,
): Promise<{ id: number; isNew: boolean }> =>
  db.transaction().execute(async (trx) => {
    await getConnector(trx, pair.connector_id)
    await checkCredential(trx, pair.credential_id)
    const stored = await trx
      .selectFrom('cc_pair')
      .select(['id', 'status'])
      .where('connector_id', '=', pair.connector_id)
      .where('credential_id', '=', pair.credential_id)
      .executeTakeFirst()
    if (stored?.status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id: stored.id })
    if (stored !== undefined) return { id: stored.id, isNew: false }
    const { id } = await trx
      .insertInto('cc_pair')
      .values({ ...pair, groups: JSON.stringify(pair.groups), hidden: 0, time_created: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (isPulled) await insertSchedule(trx, id, now)
    return { id, isNew: true }
  })

export const findCcPair = (db: Queries, connectorId: number, credentialId: number): Promise<StoredCcPair | undefined> =>
  db
    .selectFrom('cc_pair')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/** Those that are not being deleted. One connector that is not there is CONNECTOR_NOT_FOUND. */
export async function listPairsOfConnector(
  db: Queries,
  connectorId: number,
): Promise<{ source: string; pairs: Pick<StoredCcPair, 'id' | 'credential_id'>[] }> {
  const { source } = await getConnector(db, connectorId)
  const pairs = await db
    .selectFrom('cc_pair')
    .select(['id', 'credential_id'])
    .where('connector_id', '=', connectorId)
    .where('status', '<>', 'DELETING')
    .orderBy('id')
    .execute()
  return { source, pairs }
}

async function checkCredential(db: Queries, id: number): Promise<void> {
  const row = await db
    .selectFrom('credential')
    .select('id')
    .where('id', '=', id)
    .where('deleting', '=', 0)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('CREDENTIAL_NOT_FOUND', { id })
}

/** Pairs whose documents somebody in these groups may read, unless a document says otherwise itself. None that is being deleted. */
export async function listReadablePairs(db: Queries, groups: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('cc_pair')
    .select(['id', 'access_type', 'groups'])
    .where('status', '<>', 'DELETING')
    .execute()
  return rows.filter((it) => isReadable(it.access_type, JSON.parse(it.groups), groups)).map((it) => it.id)
}

function isReadable(accessType: string, pairGroups: string[], groups: readonly string[]): boolean {
  if (accessType === 'public') return true
  return accessType === 'private' && pairGroups.some((group) => groups.includes(group))
}

/** A pair as the listing shows it, with what its documents have come to. */
export interface ListedCcPair {
  cc_pair_id: number
  connector_id: number
  credential_id: number
  name: string
  source: string
  access_type: string
  groups: string
  status: string
  creator: string | null
  refresh_freq: number | null
  documents: number
  indexed: number
  failed: number
  last_indexed_at: number | null
}

/** `position`: how far the index is; a document beyond it waits, whatever its receipt says. */
export async function listCcPairs(db: Queries, position: number): Promise<ListedCcPair[]> {
  const pairs = await selectListed(db).where('hidden', '=', 0).orderBy('cc_pair.id').execute()
  const counts = await countDocuments(db, position, null)
  return pairs.map((pair) => ({ ...pair, ...(counts.get(pair.cc_pair_id) ?? NO_DOCUMENTS) }))
}

/** Also the hidden one. One that is not there is CC_PAIR_NOT_FOUND. */
export async function getListedCcPair(db: Queries, position: number, id: number): Promise<ListedCcPair> {
  const pair = await selectListed(db).where('cc_pair.id', '=', id).executeTakeFirst()
  if (pair === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  return { ...pair, ...((await countDocuments(db, position, id)).get(id) ?? NO_DOCUMENTS) }
}

const selectListed = (db: Queries) =>
  db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['cc_pair.id as cc_pair_id', 'connector_id', 'credential_id', 'cc_pair.name', 'source'])
    .select(['cc_pair.access_type', 'groups', 'status', 'creator', 'refresh_freq'])

const NO_DOCUMENTS: Pick<ListedCcPair, 'documents' | 'indexed' | 'failed' | 'last_indexed_at'> = {
  documents: 0,
  indexed: 0,
  failed: 0,
  last_indexed_at: null,
}

async function countDocuments(
  db: Queries,
  position: number,
  pair: number | null,
): Promise<Map<number, typeof NO_DOCUMENTS>> {
  const rows = await db
    .selectFrom('document_cc_pair as link')
    .innerJoin('document', 'document.id', 'link.document_id')
    .leftJoin('receipt', (join) =>
      join.onRef('receipt.document_id', '=', 'document.id').onRef('receipt.seq', '=', 'document.seq'),
    )
    .select(({ fn, eb }) => [
      'link.cc_pair_id',
      fn.countAll<number>().as('documents'),
      fn
        .sum<number>(
          eb
            .case()
            .when(eb.and([eb('receipt.indexed_at', 'is not', null), eb('document.seq', '<=', position)]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('indexed'),
      fn
        .sum<number>(
          eb
            .case()
            .when(eb.and([eb('receipt.error', 'is not', null), eb('receipt.retry_at', 'is', null)]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('failed'),
      fn.max('receipt.indexed_at').as('last_indexed_at'),
    ])
    .where('document.deleted_at', 'is', null)
    .$if(pair !== null, (it) => it.where('link.cc_pair_id', '=', pair))
    .groupBy('link.cc_pair_id')
    .execute()
  return new Map(rows.map(({ cc_pair_id, ...counts }) => [cc_pair_id, counts as typeof NO_DOCUMENTS]))
}

export async function getCcPair(db: Queries, id: number): Promise<StoredCcPair> {
  const row = await db.selectFrom('cc_pair').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  return row
}

/** One that is being deleted is CC_PAIR_DELETING. */
export const updateCcPair = (
  db: Database,
  id: number,
  change: Partial<Pick<StoredCcPair, 'name' | 'status'>>,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeable(trx, id)
    await trx.updateTable('cc_pair').set(change).where('id', '=', id).execute()
  })

/** PAUSED ends what runs; ACTIVE begins where that broke off. */
export const setPairStatus = (db: Database, id: number, status: 'ACTIVE' | 'PAUSED', now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const before = await getChangeable(trx, id)
    await trx.updateTable('cc_pair').set({ status }).where('id', '=', id).execute()
    if (status === 'PAUSED') return void (await cancelAttempts(trx, id, now))
    const schedule = await findSchedule(trx, id)
    const isBrokenOff = before.status !== 'ACTIVE' && schedule?.open === null && schedule.last?.status !== 'success'
    if (isBrokenOff) await insertAttempt(trx, { cc_pair_id: id, from_beginning: 0, targets: null }, now)
  })

/** How often the connector of the pair is asked; it counts for all pairs of the connector. */
export const updateFrequency = (
  db: Database,
  id: number,
  change: { refresh_freq: number } | { prune_freq: number },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { connector_id } = await getChangeable(trx, id)
    await trx
      .updateTable('connector')
      .set({ ...change, time_updated: now })
      .where('id', '=', connector_id)
      .execute()
  })

async function getChangeable(db: Queries, id: number): Promise<StoredCcPair> {
  const pair = await getCcPair(db, id)
  if (pair.hidden === 1) throw new AppError('CONNECTOR_BUILT_IN')
  if (pair.status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id })
  return pair
}

/** The oldest pair of the connector takes that credential. Answers the pair; one that was INVALID is ACTIVE again. */
export const swapCredential = (
  db: Database,
  connectorId: number,
  credential: { id: number; source: string },
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { source } = await getConnector(trx, connectorId)
    await checkCredential(trx, credential.id)
    if (credential.source !== 'not_applicable' && !sourcesLike(source).includes(credential.source)) {
      const reason = `Credential ${credential.id} is one for "${credential.source}", and connector ${connectorId} needs one for "${source}".`
      throw new AppError('INVALID_INPUT', { reason })
    }
    const pairs = await trx
      .selectFrom('cc_pair')
      .selectAll()
      .where('connector_id', '=', connectorId)
      .orderBy('id')
      .execute()
    if (pairs.some((it) => it.credential_id === credential.id)) {
      throw new AppError('CONFLICT', { connector: connectorId, credential: credential.id })
    }
    const pair = pairs.find((it) => it.status !== 'DELETING')
    if (pair === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id: `connector ${connectorId} has none` })
    const { id, status } = await getChangeable(trx, pair.id)
    await trx
      .updateTable('cc_pair')
      .set({ credential_id: credential.id, status: status === 'INVALID' ? 'ACTIVE' : status })
      .where('id', '=', id)
      .execute()
    return id
  })
