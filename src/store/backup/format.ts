// A backup is a gzipped tar of about.json, the rows of the record, the blobs, and manifest.json, which lists them all.
import { z } from 'zod'

export const BACKUP_FORMAT = 1
export const ABOUT_FILE = 'about.json'
export const MANIFEST_FILE = 'manifest.json'

/** The first file tells whether this program can use the rest. */
export const BackupAbout = z.object({
  format: z.int(),
  /** Version of the program that made the backup. */
  version: z.string(),
  /** Number of migrations of the record. Programs that do not read the names refuse a number above their own. */
  schema: z.int(),
  /** Names of the migrations. Absent in backups of programs that only counted them. */
  migrations: z.array(z.string()).optional(),
  /** ISO 8601. */
  made_at: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  holds_keys: z.boolean(),
})
export type BackupAbout = z.infer<typeof BackupAbout>

/** The last file. Without it the backup is incomplete. */
export const BackupManifest = BackupAbout.extend({
  /** The newest change in the backup. */
  watermark: z.int(),
  /** Row counts by table. Each table comes after the tables that it references. */
  tables: z.record(z.string(), z.int()),
  numbers: z.record(z.string(), z.int()),
  /** Blobs that were already damaged or missing when the backup was made. */
  lost_blobs: z.array(z.string()),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
})
export type BackupManifest = z.infer<typeof BackupManifest>

export const KEY_FILES = ['secret-key', 'admin-api-key'] as const

export type ParsedEntryName =
  | { kind: 'rows'; table: string }
  | { kind: 'blob'; blob: string }
  | { kind: 'key'; file: string }
  | { kind: 'manifest' }

export const rowsEntryName = (table: string, piece: number): string =>
  `record/${table}/${String(piece).padStart(6, '0')}.ndjson`
export const blobEntryName = (blob: string): string => `blobs/${blob}`
export const keyEntryName = (file: string): string => `keys/${file}`

/** Returns undefined for names that no backup contains. File names never decide where something is written. */
export function parseEntryName(name: string): ParsedEntryName | undefined {
  if (name === MANIFEST_FILE) return { kind: 'manifest' }
  const [, table] = /^record\/([a-z_][a-z0-9_]*)\/\d+\.ndjson$/.exec(name) ?? []
  if (table !== undefined) return { kind: 'rows', table }
  const [, blob] = /^blobs\/([0-9a-f]{64})$/.exec(name) ?? []
  if (blob !== undefined) return { kind: 'blob', blob }
  const file = KEY_FILES.find((it) => keyEntryName(it) === name)
  return file === undefined ? undefined : { kind: 'key', file }
}
