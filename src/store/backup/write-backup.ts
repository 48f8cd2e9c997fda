// Writes the record and the blobs into one file, while the program runs or not, and verifies the file before it gets
// its final name.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import type { Blobs } from '../files/blobs.ts'
import type { Cell, RecordSnapshot } from '../record/record-snapshot.ts'
import { syncFolder } from '../record/sync-folder.ts'
import { type ArchivedFile, type ArchiveWriter, writeArchive } from './archive.ts'
import {
  ABOUT_FILE,
  BACKUP_FORMAT,
  type BackupAbout,
  type BackupManifest,
  blobEntryName,
  KEY_FILES,
  keyEntryName,
  MANIFEST_FILE,
  rowsEntryName,
} from './format.ts'
import { readBackup } from './read-backup.ts'

/** Approximate size of a rows file, small enough to be held in memory. */
const ROWS_FILE_BYTES = 4 << 20

export interface BackupSettings {
  snapshot: RecordSnapshot
  blobs: Pick<Blobs, 'get' | 'list'>
  database: BackupAbout['database']
  /** Folder of the key files if the backup includes them; otherwise null. */
  keysFolder: string | null
  version: string
  now: number
  path: string
  signal: AbortSignal
  onProgress: (progress: BackupProgress) => void
  failpoint: (name: string) => void
}

/** Counts rows and blobs written, then files read back. */
export type BackupProgress = { step: 'writing' | 'checking'; done: number }

export interface BackupSummary {
  path: string
  bytes: number
  manifest: BackupManifest
}

export async function writeBackup(settings: BackupSettings): Promise<BackupSummary> {
  const { path, failpoint, onProgress } = settings
  refuseToOverwrite(path)
  const part = `${path}.part`
  try {
    await writeArchive(part, (archive) => writeBackupEntries(settings, archive))
    failpoint('backup-written')
    let done = 0
    const manifest = await readBackup(part, { onFile: () => onProgress({ step: 'checking', done: ++done }) })
    failpoint('backup-checked')
    refuseToOverwrite(path)
    renameSync(part, path)
    syncFolder(dirname(path))
    return { path, bytes: statSync(path).size, manifest }
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function refuseToOverwrite(path: string): void {
  if (existsSync(path)) throw new AppError('BACKUP_EXISTS', { path })
}

async function writeBackupEntries(settings: BackupSettings, archive: ArchiveWriter): Promise<void> {
  const { snapshot, database, version, now, keysFolder, failpoint } = settings
  const keys = keysFolder === null ? [] : listKeyFiles(keysFolder)
  const about: BackupAbout = {
    format: BACKUP_FORMAT,
    version,
    schema: snapshot.migrations.length,
    migrations: [...snapshot.migrations],
    made_at: new Date(now).toISOString(),
    database,
    holds_keys: keys.length > 0,
  }
  await addJsonEntry(archive, ABOUT_FILE, about)
  const files: ArchivedFile[] = []
  const progress = createProgressCounter(settings)
  const tables = await addTables(settings, archive, files, progress)
  failpoint('backup-record')
  const lost_blobs = await addBlobs(settings, archive, files, progress)
  for (const { name, path } of keys) files.push(await addBytesEntry(archive, keyEntryName(name), readFileSync(path)))
  await addJsonEntry(archive, MANIFEST_FILE, {
    ...about,
    watermark: await readWatermark(snapshot),
    tables,
    numbers: snapshot.numbers,
    lost_blobs,
    files: Object.fromEntries(files.map(({ name, bytes, sha256 }) => [name, { bytes, sha256 }])),
  } satisfies BackupManifest)
}

const listKeyFiles = (folder: string) =>
  KEY_FILES.map((name) => ({ name, path: join(folder, name) })).filter((it) => existsSync(it.path))

function createProgressCounter({ signal, onProgress }: BackupSettings): (by: number) => void {
  let done = 0
  return (by) => {
    signal.throwIfAborted()
    done += by
    onProgress({ step: 'writing', done })
  }
}

const addBytesEntry = (archive: ArchiveWriter, name: string, bytes: Buffer): Promise<ArchivedFile> =>
  archive.add(name, bytes.length, [bytes])

const addJsonEntry = (archive: ArchiveWriter, name: string, json: unknown): Promise<ArchivedFile> =>
  addBytesEntry(archive, name, Buffer.from(`${JSON.stringify(json, null, 2)}\n`))

async function addTables(
  { snapshot }: BackupSettings,
  archive: ArchiveWriter,
  files: ArchivedFile[],
  progress: (by: number) => void,
): Promise<BackupManifest['tables']> {
  const counts: BackupManifest['tables'] = {}
  for (const table of snapshot.tables) {
    let fileNumber = 0
    let count = 0
    for await (const lines of batchRows(snapshot.rows(table))) {
      const text = [JSON.stringify(table.columns), ...lines, ''].join('\n')
      files.push(await addBytesEntry(archive, rowsEntryName(table.name, fileNumber++), Buffer.from(text)))
      count += lines.length
      progress(lines.length)
    }
    counts[table.name] = count
  }
  return counts
}

async function* batchRows(rows: AsyncIterable<readonly Cell[]>): AsyncIterable<string[]> {
  let lines: string[] = []
  let size = 0
  for await (const row of rows) {
    const line = JSON.stringify(row.map(cellToJson))
    lines.push(line)
    size += line.length
    if (size < ROWS_FILE_BYTES) continue
    yield lines
    lines = []
    size = 0
  }
  if (lines.length > 0) yield lines
}

/** Bytes become an object; no other cell is one. */
const cellToJson = (cell: Cell): unknown =>
  cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell

async function readWatermark(snapshot: RecordSnapshot): Promise<number> {
  const sequence = snapshot.tables.find((it) => it.name === 'sequence')
  if (sequence === undefined) return 0
  const name = sequence.columns.indexOf('name')
  const value = sequence.columns.indexOf('value')
  for await (const row of snapshot.rows(sequence)) if (row[name] === 'change') return Number(row[value])
  return 0
}

/** Skips and reports a blob whose content no longer matches its name, so that all others are backed up. */
async function addBlobs(
  { blobs }: BackupSettings,
  archive: ArchiveWriter,
  files: ArchivedFile[],
  progress: (by: number) => void,
): Promise<string[]> {
  const lost: string[] = []
  for await (const { name, size } of blobs.list()) {
    if (await isBlobIntact(blobs, name)) files.push(await archive.add(blobEntryName(name), size, await blobs.get(name)))
    else lost.push(name)
    progress(1)
  }
  return lost
}

async function isBlobIntact(blobs: Pick<Blobs, 'get'>, name: string): Promise<boolean> {
  const hash = createHash('sha256')
  for await (const piece of await blobs.get(name)) hash.update(piece)
  return hash.digest('hex') === name
}
