// What a backup is: a gzipped tar of about.json, the record's rows, the blobs, and manifest.json, which vouches for all.
import { z } from 'zod'

export const FORMAT = 1
export const ABOUT = 'about.json'
export const MANIFEST = 'manifest.json'

/** The first file: enough to say whether the rest can be used here. */
export const About = z.object({
  format: z.int(),
  /** Of the program that made it. */
  version: z.string(),
  schema: z.int(),
  /** ISO 8601. */
  made_at: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  holds_keys: z.boolean(),
})
export type About = z.infer<typeof About>

/** The last file: without it the backup was never finished. */
export const Manifest = About.extend({
  /** The newest change that it holds. */
  watermark: z.int(),
  /** Rows by table, in an order in which each table comes after those that it refers to. */
  tables: z.record(z.string(), z.int()),
  numbers: z.record(z.string(), z.int()),
  /** Blobs that were damaged or missing already when the backup was made. */
  lost_blobs: z.array(z.string()),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof Manifest>

export const KEY_FILES = ['secret-key', 'admin-api-key'] as const

export type EntryName =
  | { kind: 'rows'; table: string }
  | { kind: 'blob'; blob: string }
  | { kind: 'key'; file: string }
  | { kind: 'manifest' }

export const rowsName = (table: string, piece: number): string =>
  `record/${table}/${String(piece).padStart(6, '0')}.ndjson`
export const blobName = (blob: string): string => `blobs/${blob}`
export const keyName = (file: string): string => `keys/${file}`

/** Undefined for what is in no backup: nothing is ever written where a name says. */
export function parseName(name: string): EntryName | undefined {
  if (name === MANIFEST) return { kind: 'manifest' }
  const [, table] = /^record\/([a-z_][a-z0-9_]*)\/\d+\.ndjson$/.exec(name) ?? []
  if (table !== undefined) return { kind: 'rows', table }
  const [, blob] = /^blobs\/([0-9a-f]{64})$/.exec(name) ?? []
  if (blob !== undefined) return { kind: 'blob', blob }
  const file = KEY_FILES.find((it) => keyName(it) === name)
  return file === undefined ? undefined : { kind: 'key', file }
}
