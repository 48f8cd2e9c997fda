import type { Selectable } from 'kysely'
import type { AccessType, SourceFacts } from '../../domain/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { maySeeCredential } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { CcPairRow } from '../database/tables.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'
import { listBoundCredentials } from './credential-origins.ts'
import { EMPTY_CREDENTIAL, mayChangeCredential } from './credentials.ts'
import { cancelAttempts } from './index-attempts.ts'
import {
  getManagedConnector,
  getManagedPair,
  getVisibleConnector,
  idsOfManaged,
  listManagedPairs,
  type ManagedIds,
  managesPair,
} from './managed-pairs.ts'
import { findSchedule, insertAttempt, insertSchedule } from './schedules.ts'

/** Holds documents that name no pair. It is built in, cannot be deleted, and is listed once a document names it. */
export const DEFAULT_CC_PAIR = 1

export type StoredCcPair = Selectable<CcPairRow>

export interface NewCcPair {
  connector_id: number
  credential_id: number
  name: string
  access_type: AccessType
  groups: readonly string[]
  status: string
  /** True when a connector reads the source; then the first run starts at once. */
  isPulled: boolean
}

/**
 * Returns the id of the pair and whether this call created it. CC_PAIR_DELETING: the pair is being deleted.
 * CONNECTOR_NOT_FOUND and CREDENTIAL_NOT_FOUND: they were deleted meanwhile, or closed to the subject. NOT_CURATED: the
 * subject would not manage the pair.
 */
export const insertCcPair = (
  db: Database,
  caller: Subject,
  { isPulled, ...pair }: NewCcPair,
  now: number,
): Promise<{ id: number; isNew: boolean }> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    await getManagedConnector(trx, subject, pair.connector_id)
    await checkCredentialExists(trx, subject, pair.credential_id)
    const stored = await trx
      .selectFrom('cc_pair')
      .select(['id', 'status'])
      .where('connector_id', '=', pair.connector_id)
      .where('credential_id', '=', pair.credential_id)
      .executeTakeFirst()
    if (stored?.status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id: stored.id })
    if (stored !== undefined) return { id: stored.id, isNew: false }
    const columns = { ...pair, groups: JSON.stringify(pair.groups), creator: subject.user_id }
    if (!managesPair(subject, columns)) throw new AppError('NOT_CURATED')
    const { id } = await trx
      .insertInto('cc_pair')
      .values({ ...columns, hidden: 0, time_created: now, paused_at: pair.status === 'PAUSED' ? now : null })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (isPulled) await insertSchedule(trx, id, now)
    return { id, isNew: true }
  })

export const findCcPair = (
  db: Queryable,
  connectorId: number,
  credentialId: number,
): Promise<StoredCcPair | undefined> =>
  db
    .selectFrom('cc_pair')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/** Lists the managed pairs that are not being deleted. Throws what `getVisibleConnector` throws. */
export async function listPairsOfConnector(
  db: Queryable,
  subject: Subject,
  connectorId: number,
): Promise<{ source: string; pairs: Pick<StoredCcPair, 'id' | 'credential_id'>[] }> {
  const { source } = await getVisibleConnector(db, subject, connectorId)
  const managed = await listManagedPairs(db, subject)
  const pairs = await db
    .selectFrom('cc_pair')
    .select(['id', 'credential_id'])
    .where('connector_id', '=', connectorId)
    .where('status', '<>', 'DELETING')
    .$if(managed !== 'all', (it) => it.where('id', 'in', idsOfManaged(managed)))
    .orderBy('id')
    .execute()
  return { source, pairs }
}

async function checkCredentialExists(db: Queryable, subject: Subject, id: number): Promise<void> {
  const row = await db
    .selectFrom('credential')
    .select(['user_id', 'curator_public'])
    .where('id', '=', id)
    .where('deleting', '=', 0)
    .executeTakeFirst()
  if (row === undefined || !maySeeCredential(subject, row)) throw new AppError('CREDENTIAL_NOT_FOUND', { id })
}

/**
 * Lists pairs whose documents members of these groups may read, unless a document has its own access list. Pairs that
 * are being deleted are left out.
 */
export async function listReadablePairs(db: Queryable, groups: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('cc_pair')
    .select(['id', 'access_type', 'groups'])
    .where('status', '<>', 'DELETING')
    .execute()
  return rows.filter((it) => isPairReadable(it.access_type, JSON.parse(it.groups), groups)).map((it) => it.id)
}

function isPairReadable(accessType: string, pairGroups: string[], groups: readonly string[]): boolean {
  if (accessType === 'public') return true
  return accessType === 'private' && pairGroups.some((group) => groups.includes(group))
}

/** A pair as a listing shows it, with the state of its documents. */
export interface CcPairListing {
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

/** `position` is how far the index has come; later documents count as waiting, whatever their receipt says. */
export const listCcPairs = async (db: Queryable, position: number, ids: ManagedIds): Promise<CcPairListing[]> =>
  addDocumentCounts(db, position, await selectPairs(db, ids).where('hidden', '=', 0).execute())

/** Includes the hidden pair if it has documents. */
export async function listCcPairsWithPushed(
  db: Queryable,
  position: number,
  ids: ManagedIds,
): Promise<CcPairListing[]> {
  const pairs = await selectPairs(db, ids).select('hidden').execute()
  const listed = await addDocumentCounts(db, position, pairs)
  return listed.filter((it) => it.hidden === 0 || it.documents > 0)
}

const selectPairs = (db: Queryable, ids: ManagedIds) =>
  selectCcPairListing(db)
    .$if(ids !== 'all', (it) => it.where('cc_pair.id', 'in', idsOfManaged(ids)))
    .orderBy('cc_pair.id')

async function addDocumentCounts<T extends { cc_pair_id: number }>(
  db: Queryable,
  position: number,
  pairs: readonly T[],
) {
  const counts = await countDocumentsOfPairs(db, position, null)
  return pairs.map((pair) => ({ ...pair, ...(counts.get(pair.cc_pair_id) ?? NO_DOCUMENTS) }))
}

/** Makes a hidden pair appear in listings. */
export async function unhideCcPair(db: Database, id: number): Promise<void> {
  const hidden = db.selectFrom('cc_pair').select('id').where('id', '=', id).where('hidden', '=', 1)
  if ((await hidden.executeTakeFirst()) === undefined) return
  await db.updateTable('cc_pair').set({ hidden: 0 }).where('id', '=', id).execute()
}

/** Finds the hidden pair as well. CC_PAIR_NOT_FOUND: there is no such pair, or the subject does not manage it. */
export async function getCcPairListing(
  db: Queryable,
  subject: Subject,
  position: number,
  id: number,
): Promise<CcPairListing> {
  await getManagedPair(db, subject, id)
  const pair = await selectCcPairListing(db).where('cc_pair.id', '=', id).executeTakeFirst()
  if (pair === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  return { ...pair, ...((await countDocumentsOfPairs(db, position, id)).get(id) ?? NO_DOCUMENTS) }
}

const selectCcPairListing = (db: Queryable) =>
  db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['cc_pair.id as cc_pair_id', 'connector_id', 'credential_id', 'cc_pair.name', 'source'])
    .select(['cc_pair.access_type', 'groups', 'status', 'cc_pair.creator', 'refresh_freq'])

const NO_DOCUMENTS: Pick<CcPairListing, 'documents' | 'indexed' | 'failed' | 'last_indexed_at'> = {
  documents: 0,
  indexed: 0,
  failed: 0,
  last_indexed_at: null,
}

async function countDocumentsOfPairs(
  db: Queryable,
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
  return new Map(rows.map(({ cc_pair_id, ...counts }) => [cc_pair_id, counts]))
}

export async function getCcPair(db: Queryable, id: number): Promise<StoredCcPair> {
  const row = await db.selectFrom('cc_pair').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id })
  return row
}

/** CC_PAIR_DELETING: the pair is being deleted. */
export const updateCcPair = (
  db: Database,
  subject: Subject,
  id: number,
  change: Partial<Pick<StoredCcPair, 'name' | 'status'>>,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChangeableCcPair(trx, subject, id)
    await trx.updateTable('cc_pair').set(change).where('id', '=', id).execute()
  })

/**
 * Opens the documents of the pair to everybody or to groups. NOT_CURATED: the subject would no longer manage the pair.
 * INVALID_INPUT: access follows the source. Throws what `updateCcPair` throws.
 */
export const setPairAccess = (
  db: Database,
  caller: Subject,
  id: number,
  access: { access_type: 'public' | 'private'; groups: readonly string[] },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { access_type } = await getChangeableCcPair(trx, caller, id)
    if (access_type === 'sync') throw new AppError('INVALID_INPUT', { reason: ACCESS_OF_SOURCE })
    const columns = { access_type: access.access_type, groups: JSON.stringify([...new Set(access.groups)]) }
    if (!managesPair(await withCurrentGroups(trx, caller), columns)) throw new AppError('NOT_CURATED')
    await trx.updateTable('cc_pair').set(columns).where('id', '=', id).execute()
  })

const ACCESS_OF_SOURCE =
  'The access of this connector follows its source. To choose it here, delete the connector and create it with access type public or private.'

/** PAUSED cancels the current run; ACTIVE resumes an interrupted one. */
export const setPairStatus = (
  db: Database,
  subject: Subject,
  id: number,
  status: 'ACTIVE' | 'PAUSED',
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const before = await getChangeableCcPair(trx, subject, id)
    const wasPaused = before.status === 'PAUSED'
    const paused_at = status === 'PAUSED' ? (wasPaused ? before.paused_at : now) : null
    await trx.updateTable('cc_pair').set({ status, paused_at }).where('id', '=', id).execute()
    if (status === 'PAUSED') return void (await cancelAttempts(trx, id, now))
    const schedule = await findSchedule(trx, id)
    const wasInterrupted = before.status !== 'ACTIVE' && schedule?.open === null && schedule.last?.status !== 'success'
    if (wasInterrupted) await insertAttempt(trx, { cc_pair_id: id, from_beginning: 0, targets: null }, now)
  })

/** Sets how often the connector runs. The setting applies to all pairs of the connector, so the subject must manage each. */
export const updatePairFrequency = (
  db: Database,
  subject: Subject,
  id: number,
  change: { refresh_freq: number } | { prune_freq: number },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { connector_id } = await getChangeableCcPair(trx, subject, id)
    await getManagedConnector(trx, subject, connector_id)
    await trx
      .updateTable('connector')
      .set({ ...change, time_updated: now })
      .where('id', '=', connector_id)
      .execute()
  })

async function getChangeableCcPair(db: Queryable, subject: Subject, id: number): Promise<StoredCcPair> {
  const pair = await getManagedPair(db, subject, id)
  if (pair.id === DEFAULT_CC_PAIR) throw new AppError('CONNECTOR_BUILT_IN')
  if (pair.status === 'DELETING') throw new AppError('CC_PAIR_DELETING', { id })
  return pair
}

interface SourceObject {
  id: number
  source: string
}

/** INVALID_INPUT: the credential is for connectors of another source. */
export function checkCredentialSource(
  { isCredentialFor }: Pick<SourceFacts, 'isCredentialFor'>,
  connector: SourceObject,
  credential: SourceObject,
): void {
  if (isCredentialFor(credential.source, connector.source)) return
  const reason = `Credential ${credential.id} is for "${credential.source}", but connector ${connector.id} needs one for "${connector.source}".`
  throw new AppError('INVALID_INPUT', { reason })
}

/**
 * Gives the credential to the oldest pair of the connector and returns that pair. An INVALID pair becomes ACTIVE. If
 * the pair syncs permissions, the subject must be allowed to change the replaced credential (CREDENTIAL_NOT_YOURS):
 * otherwise the subject could point the connector to another server and open what the former credential had read.
 */
export const replaceCredential = (
  { db, sourceFacts }: { db: Database; sourceFacts: SourceFacts },
  connectorId: number,
  credential: { id: number; source: string },
  subject: Subject,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { source } = await getManagedConnector(trx, subject, connectorId)
    await checkCredentialExists(trx, subject, credential.id)
    checkCredentialSource(sourceFacts, { id: connectorId, source }, credential)
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
    const { id, status } = await getChangeableCcPair(trx, subject, pair.id)
    if (pair.access_type === 'sync') await checkReplacedCredential(trx, subject, pair.credential_id)
    await trx
      .updateTable('cc_pair')
      .set({ credential_id: credential.id, status: status === 'INVALID' ? 'ACTIVE' : status })
      .where('id', '=', id)
      .execute()
    return id
  })

async function checkReplacedCredential(trx: Queryable, subject: Subject, id: number): Promise<void> {
  const [replaced] = id === EMPTY_CREDENTIAL ? [] : await listBoundCredentials(trx, [id])
  if (replaced !== undefined && !mayChangeCredential(subject, replaced))
    throw new AppError('CREDENTIAL_NOT_YOURS', { id })
}
