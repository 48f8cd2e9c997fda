// Makes the record anew from a backup: read once to be believed, and once more to be loaded.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../domain/errors.ts'
import type { About, Manifest } from './backup-format.ts'
import type { Blobs } from './blobs.ts'
import { readBackup } from './read-backup.ts'
import { OWN_TABLES, type RecordDraft } from './record-snapshot.ts'

export interface RestoreSettings {
  path: string
  /** Of this program's newest migration. */
  knownSchema: number
  openDraft: (schema: number) => Promise<RecordDraft>
  openBlobs: () => Promise<Pick<Blobs, 'receive'>>
  dataDir: string
  signal: AbortSignal
  onProgress: (progress: RestoreProgress) => void
}

export type RestoreProgress = { step: 'checking' | 'loading'; done: number; total: number | null }

export interface RestoreSummary {
  manifest: Manifest
  /** Where the record lies that was there before. */
  aside: string | null
  /** Key files that the backup has and that were there already with other content. */
  otherKeys: string[]
}

export async function checkBackup({
  path,
  knownSchema,
  signal,
  onProgress,
}: Pick<RestoreSettings, 'path' | 'knownSchema' | 'signal' | 'onProgress'>): Promise<Manifest> {
  let done = 0
  return readBackup(path, {
    onAbout: (about) => refuseNewer(about, knownSchema),
    onFile() {
      signal.throwIfAborted()
      onProgress({ step: 'checking', done: ++done, total: null })
    },
  })
}

function refuseNewer({ schema, version }: About, known: number): void {
  if (schema > known) throw new AppError('BACKUP_NEWER', { found: schema, known, version })
}

export async function restore(settings: RestoreSettings): Promise<RestoreSummary> {
  const manifest = await checkBackup(settings)
  const draft = await settings.openDraft(manifest.schema)
  try {
    const otherKeys = await load(settings, draft, manifest)
    return { manifest, aside: await draft.commit(manifest.numbers), otherKeys }
  } catch (error) {
    await draft.abandon()
    throw error
  }
}

async function load(settings: RestoreSettings, draft: RecordDraft, manifest: Manifest): Promise<string[]> {
  const { path, openBlobs, dataDir, signal, onProgress } = settings
  const blobs = await openBlobs()
  const known = new Map(draft.tables.map((it) => [it.name, new Set(it.columns)]))
  const otherKeys: string[] = []
  const total = Object.keys(manifest.files).length
  let done = 0
  const loaded = await readBackup(path, {
    async onRows(table, columns, rows) {
      if (OWN_TABLES.has(table)) return
      const unknown = known.has(table) ? columns.find((it) => !known.get(table)!.has(it)) : ''
      if (unknown !== undefined) throw new AppError('BACKUP_INVALID', { reason: strange(table, unknown, manifest) })
      await draft.add(table, columns, rows)
    },
    async onBlob(name, content) {
      const blob = await blobs.receive(content as AsyncIterable<Buffer>)
      await blob.keep()
      if (blob.name !== name) throw new AppError('BACKUP_INVALID', { reason: `blobs/${name} is damaged` })
    },
    onKey(file, text) {
      if (!keepKey(join(dataDir, file), text)) otherKeys.push(file)
    },
    onFile() {
      signal.throwIfAborted()
      onProgress({ step: 'loading', done: ++done, total })
    },
  })
  if (loaded.made_at !== manifest.made_at) throw new AppError('BACKUP_INVALID', { reason: 'it was changed meanwhile' })
  return otherKeys
}

const strange = (table: string, column: string, { schema }: Manifest) =>
  `schema ${schema} has no table ${table}${column === '' ? '' : ` with a column ${column}`}`

/** A key that is there already opens what is sealed here now, so it stays. */
function keepKey(path: string, text: string): boolean {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim() === text.trim()
  writeFileSync(path, text, { mode: 0o600, flush: true })
  return true
}
