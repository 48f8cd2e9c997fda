// Replaces the record by a backup, which is first verified and then read again to load it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { migrationNamesOfCount, summarizeNames } from '../database/migrations.ts'
import type { Blobs } from '../files/blobs.ts'
import { DATABASE_OWN_TABLES, type RecordDraft } from '../record/record-snapshot.ts'
import type { BackupAbout, BackupManifest } from './format.ts'
import { readBackup } from './read-backup.ts'

export interface RestoreSettings {
  path: string
  /** Names of this program's migrations. */
  known: readonly string[]
  openDraft: (migrations: readonly string[]) => Promise<RecordDraft>
  openBlobs: () => Promise<Pick<Blobs, 'receive'>>
  dataDir: string
  signal: AbortSignal
  onProgress: (progress: RestoreProgress) => void
}

export type RestoreProgress = { step: 'checking' | 'loading'; done: number; total: number | null }

export interface RestoreSummary {
  manifest: BackupManifest
  /** Where the former record lies. */
  aside: string | null
  /** Key files of the backup that already exist here with different content. */
  otherKeys: string[]
}

export async function checkBackup({
  path,
  known,
  signal,
  onProgress,
}: Pick<RestoreSettings, 'path' | 'known' | 'signal' | 'onProgress'>): Promise<BackupManifest> {
  let done = 0
  return readBackup(path, {
    onAbout: (about) => refuseNewer(about, known),
    onFile() {
      signal.throwIfAborted()
      onProgress({ step: 'checking', done: ++done, total: null })
    },
  })
}

function refuseNewer(about: BackupAbout, known: readonly string[]): void {
  const { version, schema } = about
  const unknown = backupMigrations(about).filter((it) => !known.includes(it))
  if (unknown.length > 0) throw new AppError('BACKUP_NEWER', { version, reason: `it has ${summarizeNames(unknown)}` })
  if (schema > known.length) {
    throw new AppError('BACKUP_NEWER', {
      version,
      reason: `it has schema ${schema}, this program knows ${known.length}`,
    })
  }
}

const backupMigrations = ({ migrations, schema }: BackupAbout): readonly string[] =>
  migrations ?? migrationNamesOfCount(schema)

export async function restoreBackup(settings: RestoreSettings): Promise<RestoreSummary> {
  const manifest = await checkBackup(settings)
  const draft = await settings.openDraft(backupMigrations(manifest))
  try {
    const otherKeys = await loadBackup(settings, draft, manifest)
    return { manifest, aside: await draft.commit(manifest.numbers), otherKeys }
  } catch (error) {
    await draft.abandon()
    throw error
  }
}

async function loadBackup(settings: RestoreSettings, draft: RecordDraft, manifest: BackupManifest): Promise<string[]> {
  const { path, openBlobs, dataDir, signal, onProgress } = settings
  const blobs = await openBlobs()
  const known = new Map(draft.tables.map((it) => [it.name, new Set(it.columns)]))
  const otherKeys: string[] = []
  const total = Object.keys(manifest.files).length
  let done = 0
  const loaded = await readBackup(path, {
    async onRows(table, columns, rows) {
      if (DATABASE_OWN_TABLES.has(table)) return
      const ownColumns = known.get(table)
      const unknown = ownColumns === undefined ? '' : columns.find((it) => !ownColumns.has(it))
      if (unknown !== undefined)
        throw new AppError('BACKUP_INVALID', { reason: unknownColumnReason(table, unknown, manifest) })
      await draft.add(table, columns, rows)
    },
    async onBlob(name, content) {
      const blob = await blobs.receive(content)
      await blob.keep()
      if (blob.name !== name) throw new AppError('BACKUP_INVALID', { reason: `blobs/${name} is damaged` })
    },
    onKey(file, text) {
      if (!writeKeyIfAbsent(join(dataDir, file), text)) otherKeys.push(file)
    },
    onFile() {
      signal.throwIfAborted()
      onProgress({ step: 'loading', done: ++done, total })
    },
  })
  if (loaded.made_at !== manifest.made_at) throw new AppError('BACKUP_INVALID', { reason: 'it was changed meanwhile' })
  return otherKeys
}

const unknownColumnReason = (table: string, column: string, { schema }: BackupManifest) =>
  `schema ${schema} has no table ${table}${column === '' ? '' : ` with a column ${column}`}`

/** An existing key opens what is sealed here, so it stays. */
function writeKeyIfAbsent(path: string, text: string): boolean {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim() === text.trim()
  writeFileSync(path, text, { mode: 0o600, flush: true })
  return true
}
