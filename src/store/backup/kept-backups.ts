// Backups that the service makes on request and keeps in the data folder. One is made at a time.
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import type { FreeSpaceMonitor } from '../record/free-space.ts'

/** A download cannot outlast the disk: more than these are refused. */
export const MAX_KEPT_BACKUPS = 5

/** The facts of a backup that was read back and checked. */
const BackupFacts = z.object({
  version: z.string(),
  documents: z.int(),
  files: z.int(),
  /** Uploaded files that were damaged or missing, and are not in the backup. */
  lost_files: z.int(),
})
export type BackupFacts = z.infer<typeof BackupFacts>

export interface KeptBackup {
  /** The time when it began, such as `20260131T120000Z`. */
  id: string
  bytes: number
  made_at: number
  /** Null if the service ended before it noted them. */
  facts: BackupFacts | null
}

export interface BackupsState {
  /** The backup that is being made. */
  running: { started_at: number; bytes: number } | null
  /** Why the last one failed, since the service started; null after a success. */
  failed: { at: number; reason: string } | null
  /** The newest first. */
  backups: KeptBackup[]
}

export interface KeptBackups {
  state(): BackupsState
  /** When the newest one was made; null if there is none. */
  newestAt(): number | null
  /** Begins one. BACKUP_RUNNING, TOO_MANY_BACKUPS, BACKUP_NO_ROOM. */
  begin(): void
  /** The name of the file for people. BACKUP_NOT_FOUND. */
  open(id: string): { name: string; bytes: number; content: Readable }
  /** BACKUP_NOT_FOUND. */
  remove(id: string): void
  /** Until the signal, which ends the backup that is being made. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

interface KeptBackupsDeps {
  folder: string
  /** Writes a checked backup of the record and the files to the path. */
  write: (path: string, signal: AbortSignal) => Promise<BackupFacts>
  /** The size of the record in bytes, from which the size of the first backup is guessed; 0 if it is not known. */
  recordBytes: () => number
  disk: Pick<FreeSpaceMonitor, 'state'>
  logger: Logger
  now: () => number
}

const MB = 2 ** 20
/** The next backup may be this much larger than the last one. */
const GROWTH = 1.25
const DISK_POLL_MS = 1_000
const MAX_REASON = 1_000

export function createKeptBackups(deps: KeptBackupsDeps): KeptBackups {
  const { folder, write, disk, logger, now } = deps
  const stop = new AbortController()
  let running: { id: string; started_at: number; done: Promise<void> } | null = null
  let failed: BackupsState['failed'] = null
  const make = async (id: string): Promise<void> => {
    const path = pathOf(folder, id)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const facts = await untilDiskIsLow(disk, stop.signal, (signal) => write(path, signal))
      writeFileSync(factsPathOf(folder, id), JSON.stringify(facts))
      failed = null
      logger.info({ backup: id, bytes: statSync(path).size }, 'backup made')
    } catch (error) {
      rmSync(`${path}.part`, { force: true })
      failed = { at: now(), reason: errorMessage(error).slice(0, MAX_REASON) }
      if (!stop.signal.aborted) logger.error({ err: error, backup: id }, 'backup failed')
    } finally {
      running = null
    }
  }
  return {
    state: () => ({
      running: running && { started_at: running.started_at, bytes: sizeOf(`${pathOf(folder, running.id)}.part`) },
      failed,
      backups: listBackups(folder),
    }),
    newestAt: () => timeOf(listIds(folder)[0]),
    begin() {
      if (running !== null) throw new AppError('BACKUP_RUNNING')
      checkRoom(deps)
      const started_at = now()
      const id = new Date(started_at).toISOString().replace(/[-:]|\.\d+/g, '')
      if (existsSync(pathOf(folder, id))) throw new AppError('BACKUP_RUNNING')
      running = { id, started_at, done: Promise.resolve() }
      running.done = make(id)
    },
    open(id) {
      const path = getPath(folder, id)
      return { name: fileName(id), bytes: statSync(path).size, content: createReadStream(path) }
    },
    remove(id) {
      rmSync(getPath(folder, id))
      rmSync(factsPathOf(folder, id), { force: true })
    },
    async run(signal) {
      removeParts(folder)
      await aborted(signal)
      stop.abort()
      await running?.done
    },
  }
}

/** BACKUP_NO_ROOM ends the work when the disk is nearly full. */
async function untilDiskIsLow<T>(
  disk: KeptBackupsDeps['disk'],
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const full = new AbortController()
  const timer = setInterval(() => {
    const { state, free_mb, min_free_mb } = disk.state()
    if (state === 'low') full.abort(noRoom(free_mb, min_free_mb))
  }, DISK_POLL_MS)
  try {
    return await work(AbortSignal.any([signal, full.signal]))
  } finally {
    clearInterval(timer)
  }
}

const noRoom = (free: number, needed: number) =>
  new AppError('BACKUP_NO_ROOM', { free: Math.floor(free), needed: Math.ceil(needed) })

/** The reserved space stays free. */
function checkRoom({ folder, disk, recordBytes }: KeptBackupsDeps): void {
  const kept = listBackups(folder)
  if (kept.length >= MAX_KEPT_BACKUPS) throw new AppError('TOO_MANY_BACKUPS', { count: MAX_KEPT_BACKUPS })
  const { free_mb, min_free_mb } = disk.state()
  const needed = min_free_mb + ((kept[0]?.bytes ?? recordBytes()) * GROWTH) / MB
  if (free_mb < needed) throw noRoom(free_mb, needed)
}

const FILE = /^pharos-(\d{8}T\d{6}Z)\.tar\.gz$/
const fileName = (id: string): string => `pharos-${id}.tar.gz`
const pathOf = (folder: string, id: string): string => join(folder, fileName(id))
const factsPathOf = (folder: string, id: string): string => join(folder, `pharos-${id}.json`)

/** The newest first. */
function listIds(folder: string): string[] {
  if (!existsSync(folder)) return []
  const ids = readdirSync(folder).flatMap((it) => FILE.exec(it)?.[1] ?? [])
  return ids.sort().reverse()
}

const listBackups = (folder: string): KeptBackup[] =>
  listIds(folder).map((id) => ({
    id,
    bytes: sizeOf(pathOf(folder, id)),
    made_at: timeOf(id) ?? 0,
    facts: readFacts(factsPathOf(folder, id)),
  }))

/** The path follows from the list, so that no id leads out of the folder. */
function getPath(folder: string, id: string): string {
  if (!listIds(folder).includes(id)) throw new AppError('BACKUP_NOT_FOUND', { id })
  return pathOf(folder, id)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function timeOf(id: string | undefined): number | null {
  if (id === undefined) return null
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function readFacts(path: string): BackupFacts | null {
  try {
    return BackupFacts.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** A killed process leaves an incomplete file. */
function removeParts(folder: string): void {
  if (!existsSync(folder)) return
  for (const it of readdirSync(folder)) if (it.endsWith('.part')) rmSync(join(folder, it), { force: true })
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
