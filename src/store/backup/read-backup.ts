// Reads a whole backup and trusts nothing that the manifest does not list.
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { Cell } from '../record/record-snapshot.ts'
import { type ArchivedFile, type ArchiveEntry, readArchive, readEntryBytes } from './archive.ts'
import { readEntryLines } from './entry-lines.ts'
import { ABOUT_FILE, BACKUP_FORMAT, BackupAbout, BackupManifest, parseEntryName } from './format.ts'

export interface BackupVisitor {
  /** Called first. If it throws, reading ends. */
  onAbout?: (about: BackupAbout) => void | Promise<void>
  onRows?: (table: string, columns: string[], rows: Cell[][]) => void | Promise<void>
  /** Must read the content to its end. */
  onBlob?: (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>
  onKey?: (file: string, text: string) => void
  onFile?: () => void
}

/** Rejects with BACKUP_INVALID. Until it resolves, nothing passed to the visitor is verified. */
export async function readBackup(path: string, visitor: BackupVisitor): Promise<BackupManifest> {
  const entries: ArchivedFile[] = []
  const rows = new Map<string, number>()
  let about: BackupAbout | undefined
  let manifest: BackupManifest | undefined
  for await (const file of readArchive(path)) {
    if (about === undefined) {
      about = await readAbout(file)
      await visitor.onAbout?.(about)
      continue
    }
    if (manifest !== undefined) throw invalidBackup(`it continues with ${file.name} after its end`)
    manifest = await visitEntry(file, visitor, rows, MAX_ABOUT + MAX_BYTES_A_FILE * entries.length)
    if (manifest === undefined) entries.push(file.digest())
    visitor.onFile?.()
  }
  if (manifest === undefined || about === undefined) throw invalidBackup('it ends before its manifest')
  verifyManifest(manifest, about, entries, rows)
  return manifest
}

/** Limits of the describing files: some hundred bytes, and for the manifest more for each file. */
const MAX_ABOUT = 1 << 20
const MAX_BYTES_A_FILE = 512
const invalidBackup = (reason: string, cause?: unknown) =>
  new AppError('BACKUP_INVALID', { reason }, cause === undefined ? {} : { cause })

async function readAbout(file: ArchiveEntry): Promise<BackupAbout> {
  if (file.name !== ABOUT_FILE) throw invalidBackup(`it begins with ${file.name}`)
  const text = (await readEntryBytes(file, MAX_ABOUT)).toString()
  const { format } = parseWith(z.looseObject({ format: z.unknown() }), text, file.name)
  if (typeof format === 'number' && format > BACKUP_FORMAT) {
    throw invalidBackup(`its format is ${format}, this program knows ${BACKUP_FORMAT}; restore it with a newer program`)
  }
  return parseWith(BackupAbout, text, file.name)
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidBackup(`${name} is not JSON`, error)
  }
}

function parseWith<T>(
  schema: { safeParse(json: unknown): { success: true; data: T } | { success: false } },
  text: string,
  name: string,
): T {
  const result = schema.safeParse(parseJson(text, name))
  if (!result.success) throw invalidBackup(`${name} has an unexpected structure`)
  return result.data
}

async function visitEntry(
  file: ArchiveEntry,
  visitor: BackupVisitor,
  counts: Map<string, number>,
  manifestBytes: number,
): Promise<BackupManifest | undefined> {
  const name = parseEntryName(file.name)
  switch (name?.kind) {
    case 'rows': {
      const { columns, rows } = await readRowsEntry(file)
      counts.set(name.table, (counts.get(name.table) ?? 0) + rows.length)
      await visitor.onRows?.(name.table, columns, rows)
      return undefined
    }
    case 'blob':
      await (visitor.onBlob ?? drainBlob)(name.blob, file.content)
      if (file.digest().sha256 !== name.blob) throw invalidBackup(`${file.name} is damaged`)
      return undefined
    case 'key': {
      const text = (await readEntryBytes(file, MAX_ABOUT)).toString()
      visitor.onKey?.(name.file, text)
      return undefined
    }
    case 'manifest':
      return parseWith(BackupManifest, (await readEntryBytes(file, manifestBytes)).toString(), file.name)
    default:
      throw invalidBackup(`it contains the unknown file ${file.name}`)
  }
}

async function drainBlob(_name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

interface RowsEntry {
  columns: string[]
  rows: Cell[][]
}

async function readRowsEntry(file: ArchiveEntry): Promise<RowsEntry> {
  const { name } = file
  let columns: string[] | undefined
  const rows: Cell[][] = []
  for await (const lines of readEntryLines(file)) {
    for (const line of lines) {
      const values = parseJson(line, name)
      if (columns === undefined) columns = parseColumns(values, name)
      else rows.push(parseCells(values, columns.length, name))
    }
  }
  if (columns === undefined) throw invalidBackup(`${name} is damaged`)
  return { columns, rows }
}

function parseColumns(values: unknown, name: string): string[] {
  if (!isStringArray(values) || values.length === 0) throw invalidBackup(`${name} is damaged`)
  return values
}

function parseCells(values: unknown, count: number, name: string): Cell[] {
  if (!Array.isArray(values) || values.length !== count) throw invalidBackup(`${name} is damaged`)
  return values.map((it) => parseCell(it, name))
}

const isStringArray = (it: unknown): it is string[] => Array.isArray(it) && it.every((text) => typeof text === 'string')

function parseCell(value: unknown, name: string): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string') {
    return Buffer.from(value.base64, 'base64')
  }
  throw invalidBackup(`${name} is damaged`)
}

function verifyManifest(
  manifest: BackupManifest,
  about: BackupAbout,
  entries: readonly ArchivedFile[],
  rows: ReadonlyMap<string, number>,
): void {
  const claimed = BackupAbout.parse(manifest)
  if (JSON.stringify(claimed) !== JSON.stringify(about)) throw invalidBackup('its first and last file disagree')
  const left = new Map(Object.entries(manifest.files))
  for (const { name, bytes, sha256 } of entries) {
    const known = left.get(name)
    if (known?.bytes !== bytes || known.sha256 !== sha256) throw invalidBackup(`${name} is damaged`)
    left.delete(name)
  }
  const [missing] = left.keys()
  if (missing !== undefined) throw invalidBackup(`${missing} is missing`)
  for (const [table, count] of Object.entries(manifest.tables)) {
    if ((rows.get(table) ?? 0) !== count)
      throw invalidBackup(`it has ${rows.get(table) ?? 0} of ${count} rows of ${table}`)
  }
}
