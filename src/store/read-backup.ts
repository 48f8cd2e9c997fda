// Reads a backup from its first byte to its last, and believes nothing that its manifest does not vouch for.
import { StringDecoder } from 'node:string_decoder'
import { AppError } from '../domain/errors.ts'
import { type ArchivedFile, bytesOf, type ReadFile, readArchive } from './archive.ts'
import { ABOUT, About, FORMAT, Manifest, parseName } from './backup-format.ts'
import type { Cell } from './record-snapshot.ts'

export interface BackupReader {
  /** The first that is told. What it throws ends the reading. */
  onAbout?: (about: About) => void | Promise<void>
  onRows?: (table: string, columns: string[], rows: Cell[][]) => void | Promise<void>
  /** Must read the content to its end. */
  onBlob?: (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>
  onKey?: (file: string, text: string) => void
  onFile?: () => void
}

/** Rejects with BACKUP_INVALID. Before it resolves, what it has told of is not yet vouched for. */
export async function readBackup(path: string, reader: BackupReader): Promise<Manifest> {
  const seen: ArchivedFile[] = []
  const rows = new Map<string, number>()
  let about: About | undefined
  let manifest: Manifest | undefined
  for await (const file of readArchive(path)) {
    if (about === undefined) {
      about = await aboutIn(file)
      await reader.onAbout?.(about)
      continue
    }
    if (manifest !== undefined) throw invalid(`it goes on with ${file.name} after its end`)
    manifest = await readFile(file, reader, rows)
    if (manifest === undefined) seen.push(file.digest())
    reader.onFile?.()
  }
  if (manifest === undefined) throw invalid('it ends before its manifest')
  compare(manifest, about!, seen, rows)
  return manifest
}

const invalid = (reason: string, cause?: unknown) =>
  new AppError('BACKUP_INVALID', { reason }, cause === undefined ? {} : { cause })

async function aboutIn(file: ReadFile): Promise<About> {
  if (file.name !== ABOUT) throw invalid(`it begins with ${file.name}`)
  const text = (await bytesOf(file.content)).toString()
  const { format } = json(text, file.name) as { format?: unknown }
  if (typeof format === 'number' && format > FORMAT) {
    throw invalid(`its format is ${format}, this program knows ${FORMAT}; restore it with a newer program`)
  }
  return parsed(About, text, file.name)
}

function json(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(`${name} is no JSON`, error)
  }
}

function parsed<T>(
  schema: { safeParse(json: unknown): { success: true; data: T } | { success: false } },
  text: string,
  name: string,
): T {
  const result = schema.safeParse(json(text, name))
  if (!result.success) throw invalid(`${name} is not what it should be`)
  return result.data
}

async function readFile(
  file: ReadFile,
  reader: BackupReader,
  counts: Map<string, number>,
): Promise<Manifest | undefined> {
  const name = parseName(file.name)
  switch (name?.kind) {
    case 'rows': {
      const { columns, rows } = await rowsIn(file)
      counts.set(name.table, (counts.get(name.table) ?? 0) + rows.length)
      await reader.onRows?.(name.table, columns, rows)
      return undefined
    }
    case 'blob':
      await (reader.onBlob ?? drain)(name.blob, file.content)
      if (file.digest().sha256 !== name.blob) throw invalid(`${file.name} is damaged`)
      return undefined
    case 'key': {
      const text = (await bytesOf(file.content)).toString()
      reader.onKey?.(name.file, text)
      return undefined
    }
    case 'manifest':
      return parsed(Manifest, (await bytesOf(file.content)).toString(), file.name)
    default:
      throw invalid(`it holds ${file.name}, which is nothing of ours`)
  }
}

async function drain(_name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

async function rowsIn({ name, content }: ReadFile): Promise<{ columns: string[]; rows: Cell[][] }> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  for await (const piece of content) text += decoder.write(Buffer.from(piece))
  const [columns, ...rows] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => json(line, name))
  if (!isTexts(columns) || !rows.every((row) => Array.isArray(row) && row.length === columns.length)) {
    throw invalid(`${name} is damaged`)
  }
  return { columns, rows: (rows as unknown[][]).map((row) => row.map((it) => cellOf(it, name))) }
}

const isTexts = (it: unknown): it is string[] => Array.isArray(it) && it.every((text) => typeof text === 'string')

function cellOf(value: unknown, name: string): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string') {
    return Buffer.from(value.base64, 'base64')
  }
  throw invalid(`${name} is damaged`)
}

function compare(
  manifest: Manifest,
  about: About,
  seen: readonly ArchivedFile[],
  rows: ReadonlyMap<string, number>,
): void {
  const claimed = About.parse(manifest)
  if (JSON.stringify(claimed) !== JSON.stringify(about)) throw invalid('its first file and its last disagree')
  const left = new Map(Object.entries(manifest.files))
  for (const { name, bytes, sha256 } of seen) {
    const known = left.get(name)
    if (known?.bytes !== bytes || known.sha256 !== sha256) throw invalid(`${name} is damaged`)
    left.delete(name)
  }
  const [missing] = left.keys()
  if (missing !== undefined) throw invalid(`${missing} is missing`)
  for (const [table, count] of Object.entries(manifest.tables)) {
    if ((rows.get(table) ?? 0) !== count) throw invalid(`it has ${rows.get(table) ?? 0} of ${count} rows of ${table}`)
  }
}
