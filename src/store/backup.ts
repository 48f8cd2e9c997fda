// Makes one file of the record and the blobs, while the program runs or not, and reads it back before it gets its name.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../domain/errors.ts'
import { type ArchivedFile, type ArchiveWriter, writeArchive } from './archive.ts'
import {
  ABOUT,
  type About,
  blobName,
  FORMAT,
  KEY_FILES,
  keyName,
  MANIFEST,
  type Manifest,
  rowsName,
} from './backup-format.ts'
import type { Blobs } from './blobs.ts'
import { readBackup } from './read-backup.ts'
import type { Cell, RecordSnapshot } from './record-snapshot.ts'
import { syncFolder } from './sync-folder.ts'

/** Rows are put into files of about this size: small enough to be held in memory. */
const PIECE_BYTES = 4 << 20

export interface BackupSettings {
  snapshot: RecordSnapshot
  blobs: Pick<Blobs, 'get' | 'list'>
  database: About['database']
  /** Where the key files lie, if they are to be in it. */
  keysFrom: string | null
  version: string
  now: number
  path: string
  signal: AbortSignal
  onProgress: (progress: BackupProgress) => void
  failpoint: (name: string) => void
}

/** How many rows and blobs have been written, then how many files have been read back. */
export type BackupProgress = { step: 'writing' | 'checking'; done: number }

export interface BackupSummary {
  path: string
  bytes: number
  manifest: Manifest
}

export async function writeBackup(settings: BackupSettings): Promise<BackupSummary> {
  const { path, failpoint, onProgress } = settings
  refuseToOverwrite(path)
  const part = `${path}.part`
  try {
    await writeArchive(part, (archive) => fill(settings, archive))
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

async function fill(settings: BackupSettings, archive: ArchiveWriter): Promise<void> {
  const { snapshot, database, version, now, keysFrom, failpoint } = settings
  const keys = keysFrom === null ? [] : KEY_FILES.filter((it) => existsSync(join(keysFrom, it)))
  const about: About = {
    format: FORMAT,
    version,
    schema: snapshot.schema,
    made_at: new Date(now).toISOString(),
    database,
    holds_keys: keys.length > 0,
  }
  await addJson(archive, ABOUT, about)
  const files: ArchivedFile[] = []
  const progress = counted(settings)
  const tables = await addRecord(settings, archive, files, progress)
  failpoint('backup-record')
  const lost_blobs = await addBlobs(settings, archive, files, progress)
  for (const it of keys) files.push(await addBytes(archive, keyName(it), readFileSync(join(keysFrom!, it))))
  await addJson(archive, MANIFEST, {
    ...about,
    watermark: await watermarkOf(snapshot),
    tables,
    numbers: snapshot.numbers,
    lost_blobs,
    files: Object.fromEntries(files.map(({ name, bytes, sha256 }) => [name, { bytes, sha256 }])),
  } satisfies Manifest)
}

function counted({ signal, onProgress }: BackupSettings): (by: number) => void {
  let done = 0
  return (by) => {
    signal.throwIfAborted()
    done += by
    onProgress({ step: 'writing', done })
  }
}

const addBytes = (archive: ArchiveWriter, name: string, bytes: Buffer): Promise<ArchivedFile> =>
  archive.add(name, bytes.length, [bytes])

const addJson = (archive: ArchiveWriter, name: string, json: unknown): Promise<ArchivedFile> =>
  addBytes(archive, name, Buffer.from(`${JSON.stringify(json, null, 2)}\n`))

async function addRecord(
  { snapshot }: BackupSettings,
  archive: ArchiveWriter,
  files: ArchivedFile[],
  progress: (by: number) => void,
): Promise<Manifest['tables']> {
  const counts: Manifest['tables'] = {}
  for (const table of snapshot.tables) {
    let piece = 0
    counts[table.name] = 0
    for await (const lines of pieces(snapshot.rows(table))) {
      const text = [JSON.stringify(table.columns), ...lines, ''].join('\n')
      files.push(await addBytes(archive, rowsName(table.name, piece++), Buffer.from(text)))
      counts[table.name]! += lines.length
      progress(lines.length)
    }
  }
  return counts
}

async function* pieces(rows: AsyncIterable<readonly Cell[]>): AsyncIterable<string[]> {
  let lines: string[] = []
  let size = 0
  for await (const row of rows) {
    const line = JSON.stringify(row.map(cellJson))
    lines.push(line)
    size += line.length
    if (size < PIECE_BYTES) continue
    yield lines
    lines = []
    size = 0
  }
  if (lines.length > 0) yield lines
}

/** Bytes are an object, which no other cell is. */
const cellJson = (cell: Cell): unknown =>
  cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell

async function watermarkOf(snapshot: RecordSnapshot): Promise<number> {
  const sequence = snapshot.tables.find((it) => it.name === 'sequence')
  if (sequence === undefined) return 0
  const [name, value] = ['name', 'value'].map((it) => sequence.columns.indexOf(it))
  for await (const row of snapshot.rows(sequence)) if (row[name!] === 'change') return Number(row[value!])
  return 0
}

/** A blob that is no longer what its name says is left out and told of, so that all others have a backup. */
async function addBlobs(
  { blobs }: BackupSettings,
  archive: ArchiveWriter,
  files: ArchivedFile[],
  progress: (by: number) => void,
): Promise<string[]> {
  const lost: string[] = []
  for await (const { name, size } of blobs.list()) {
    if (await isWhole(blobs, name)) files.push(await archive.add(blobName(name), size, await blobs.get(name)))
    else lost.push(name)
    progress(1)
  }
  return lost
}

async function isWhole(blobs: Pick<Blobs, 'get'>, name: string): Promise<boolean> {
  const hash = createHash('sha256')
  for await (const piece of await blobs.get(name)) hash.update(piece)
  return hash.digest('hex') === name
}
