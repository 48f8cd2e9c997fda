// Checks at each start whether the record is still the one that this data folder knows, and reports a loss until an
// operator accepts it.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Database } from '../database/database.ts'
import { type RecordFile, type RecordLoss, readRecordFile, recordFilePath, writeRecordFile } from './record-file.ts'
import { getRecordVersion, replaceRecordId } from './record-identity.ts'
import { findRecordLoss, type IndexPosition } from './record-loss.ts'

export interface RecordState {
  state: 'ok' | 'incomplete' | 'replaced' | 'damaged'
  /** Contains the remedy. */
  reason: string | null
}

export interface RecordGuard {
  state(): RecordState
  /** Throws SERVICE_UNAVAILABLE with the reason while the record is incomplete, replaced or damaged. */
  check(): void
  /**
   * Stores the current version of the record as the minimum for the next start. The embedded database does this itself.
   * Never rejects.
   */
  note(): Promise<void>
  /** Returns the accepted losses. */
  accept(): Promise<readonly RecordLoss[]>
}

export interface RecordGuardDeps {
  db: Database
  dataDir: string
  kind: RecordFile['kind']
  /** Positions of the indexes in the data folder. */
  indexPositions: readonly IndexPosition[]
  logger: Logger
  now: number
  randomId: () => string
}

/** Must run before anything is written to the record and while nobody else uses the folder. */
export async function openRecordGuard(needs: RecordGuardDeps): Promise<RecordGuard> {
  const { db, dataDir, kind, logger } = needs
  const stored = (await readRecordFile(dataDir)) ?? undefined
  const lost = await findLosses(needs, stored)
  let known: RecordFile = { ...(await getRecordVersion(db)), kind, lost }
  const write = async (next: RecordFile) => {
    await writeRecordFile(dataDir, next)
    known = next
    await db.keepCount?.(recordFilePath(dataDir))
  }
  if (stored !== undefined && isSameRecordFile(stored, known)) await db.keepCount?.(recordFilePath(dataDir))
  else await write(known)
  if (lost.length > 0) logger.error({ lost }, 'record incomplete or replaced')

  const state = (): RecordState => {
    const damage = db.damage?.() ?? null
    return damage === null ? recordStateOf(known.lost) : { state: 'damaged', reason: damage }
  }
  return {
    state,
    check() {
      const { reason } = state()
      if (reason !== null) throw new AppError('SERVICE_UNAVAILABLE', { reason })
    },
    async note() {
      if (db.keepCount !== undefined) return
      try {
        const next = { ...known, ...(await getRecordVersion(db)) }
        if (!isSameRecordFile(next, known)) await write(next)
      } catch (error) {
        logger.warn({ err: error }, 'record version could not be saved')
      }
    },
    async accept() {
      const accepted = known.lost
      if (accepted.length > 0) await write({ ...known, ...(await getRecordVersion(db)), lost: [] })
      return accepted
    },
  }
}

function recordStateOf(lost: readonly RecordLoss[]): RecordState {
  const [first] = lost
  if (first === undefined) return { state: 'ok', reason: null }
  return { state: first.what, reason: `${lost.map((it) => it.reason).join(' ')} ${RECOVERY_HINT}` }
}

/** Returns all losses that are not accepted, including a new one. */
async function findLosses(needs: RecordGuardDeps, before: RecordFile | undefined): Promise<RecordLoss[]> {
  const { db, dataDir, kind, indexPositions, now, randomId } = needs
  const held = await getRecordVersion(db)
  const found = findRecordLoss(before ?? null, held, indexPositions)
  const lost = appendLoss(before?.lost ?? [], found, now)
  if (found?.what !== 'incomplete') return lost
  // Written before the identity changes: a crash in between must not make the record look replaced.
  await writeRecordFile(dataDir, { ...(before ?? { ...held, kind }), lost })
  // No index of any program may confuse the lost changes with new ones of the same numbers.
  await replaceRecordId(db, held.id, randomId())
  return lost
}

const RECOVERY_HINT =
  'Restore a backup. Or push the missing documents again, stop the service, and accept the loss with "pharos record --accept-loss".'

const isSameRecordFile = (one: RecordFile, other: RecordFile): boolean =>
  JSON.stringify(comparableValues(one)) === JSON.stringify(comparableValues(other))

const comparableValues = ({ changes, commits, id, kind, lost }: RecordFile) => [changes, commits, id, kind, lost]

const MAX_LOSSES = 10

const appendLoss = (lost: readonly RecordLoss[], found: Omit<RecordLoss, 'at'> | null, at: number): RecordLoss[] =>
  found === null || lost.some((it) => it.reason === found.reason)
    ? [...lost]
    : [...lost, { ...found, at }].slice(-MAX_LOSSES)
