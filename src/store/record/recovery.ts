// Tools for an operator whose record is missing, truncated, replaced or damaged. All but the inspection require a
// stopped service.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { checkFileIntegrity } from '../sqlite/check-file-integrity.ts'
import { findRecordTrace, type RecordFile, readRecordFile, writeRecordFile } from './record-file.ts'
import type { RecordCounters } from './record-file-head.ts'
import { findRecordLoss, type IndexPosition } from './record-loss.ts'
import { syncFolder } from './sync-folder.ts'

export interface RecordRecoveryDeps {
  dataDir: string
  kind: RecordFile['kind']
  /** Where the record is, for messages. */
  place: string
  /** File of the embedded database; null for PostgreSQL. */
  path: string | null
  /** Returns null when there is no record or it is empty. */
  peek(): Promise<FoundRecord | null>
  indexPositions: readonly IndexPosition[]
  now: number
}

/** A record as found. A record without an id comes from a program that assigned none. */
export interface FoundRecord extends RecordCounters {
  id: string | null
}

export interface RecordInspection {
  state: 'ok' | 'none' | 'gone' | 'incomplete' | 'replaced' | 'damaged'
  reason: string | null
  place: string
  record: FoundRecord | null
  /** Counters in record.json: a lower bound. */
  known: RecordCounters | null
}

/** Changes nothing. */
export async function inspectRecord(deps: RecordRecoveryDeps, signal: AbortSignal): Promise<RecordInspection> {
  const { dataDir, place, path, peek, indexPositions } = deps
  const known = (await readRecordFile(dataDir)) ?? null
  const record = await peek()
  const base = { place, record, known: known && { changes: known.changes, commits: known.commits } }
  if (record === null) {
    const trace = await findRecordTrace(dataDir)
    return trace === null
      ? { ...base, state: 'none', reason: null }
      : { ...base, state: 'gone', reason: recordGone(place, trace).message }
  }
  const sound = path === null ? null : await checkFileIntegrity(path, signal, { beginAfterMs: 0 })
  if (sound?.state === 'damaged')
    return { ...base, state: 'damaged', reason: new AppError('RECORD_DAMAGED', { reason: sound.reason }).message }
  const { id } = record
  const found = id === null ? null : findRecordLoss(known, { ...record, id }, indexPositions)
  const [loss] = [...(known?.lost ?? []), ...(found === null ? [] : [found])]
  return loss === undefined
    ? { ...base, state: 'ok', reason: null }
    : { ...base, state: loss.what, reason: loss.reason }
}

export const recordGone = (place: string, trace: string): AppError => new AppError('RECORD_GONE', { place, trace })

/** Throws RECORD_GONE when the folder had a record and it is missing. */
export async function checkRecordPresent({
  dataDir,
  place,
  peek,
}: Pick<RecordRecoveryDeps, 'dataDir' | 'place' | 'peek'>): Promise<void> {
  const trace = await findRecordTrace(dataDir)
  if (trace !== null && (await peek()) === null) throw recordGone(place, trace)
}

/**
 * Makes the next start create a new record with the existing keys and files. The rest of a database file is moved
 * aside, because opening it would discard its log. Returns the new paths.
 */
export async function prepareNewRecord({ dataDir, kind, path, now }: RecordRecoveryDeps): Promise<string[]> {
  const left = path === null ? [] : SQLITE_SUFFIXES.filter((it) => existsSync(path + it))
  const moved = left.map((suffix) => {
    const aside = `${path}.lost-${fileTimestamp(now)}${suffix}`
    renameSync(`${path}${suffix}`, aside)
    return aside
  })
  await writeRecordFile(dataDir, { changes: 0, commits: 0, id: null, kind, lost: [] })
  return moved
}

const SQLITE_SUFFIXES = ['', '-wal', '-shm']

/**
 * All parts of a record. The file that identifies it comes last: until it is moved, no start treats the folder as new.
 */
const RECORD_ENTRIES = [
  ...SQLITE_SUFFIXES.map((it) => `pharos.db${it}`),
  'blobs',
  'before-upgrade',
  'index',
  'secret-key',
  'record.json',
]

export function moveRecordAside({ dataDir, now }: RecordRecoveryDeps): { folder: string; moved: string[] } {
  const moved = RECORD_ENTRIES.filter((it) => existsSync(join(dataDir, it)))
  const folder = join(dataDir, `set-aside-${fileTimestamp(now)}`)
  if (moved.length === 0) return { folder, moved }
  mkdirSync(folder, { mode: 0o700 })
  for (const it of moved) {
    renameSync(join(dataDir, it), join(folder, it))
    syncFolder(dataDir)
  }
  return { folder, moved }
}

const fileTimestamp = (now: number) => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
