// Metadata of files: the `.onyx_metadata.json` of an archive or folder, or the first line of a file.
import { z } from 'zod'
import { parseDateTime } from '../../wire/date-time.ts'
import type { SourceDocument } from '../connector.ts'

export const METADATA_FILE = '.onyx_metadata.json'

export type FileMetadata = Partial<
  Pick<
    SourceDocument,
    'id' | 'title' | 'semantic_identifier' | 'primary_owners' | 'secondary_owners' | 'doc_updated_at' | 'source'
  >
> & { link: string | null; metadata: Record<string, string | string[]> }

const optionalText = z.string().min(1).optional().catch(undefined)
const owners = z
  .array(z.union([z.string(), z.looseObject({})]))
  .optional()
  .catch(undefined)

const MetadataEntry = z.looseObject({
  id: optionalText,
  link: optionalText,
  file_display_name: optionalText,
  title: optionalText,
  primary_owners: owners,
  secondary_owners: owners,
  doc_updated_at: z.unknown().optional(),
  connector_type: optionalText,
  filename: optionalText,
})
type MetadataEntry = z.infer<typeof MetadataEntry>

const OWNER_KEYS = ['display_name', 'first_name', 'middle_initial', 'last_name', 'email'] as const

export function parseFileMetadata(value: unknown): FileMetadata {
  const result = MetadataEntry.safeParse(value)
  if (!result.success) return { link: null, metadata: {} }
  const { id, link, file_display_name, title, connector_type, filename: _, ...rest } = result.data
  const { primary_owners, secondary_owners, doc_updated_at, ...tags } = rest
  const time = doc_updated_at === undefined ? null : parseDateTime(doc_updated_at)
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(file_display_name !== undefined && { semantic_identifier: file_display_name }),
    ...(typeof time === 'number' && { doc_updated_at: time }),
    ...(connector_type !== undefined && {
      source: connector_type
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_'),
    }),
    primary_owners: parseOwners(primary_owners),
    secondary_owners: parseOwners(secondary_owners),
    link: link ?? null,
    metadata: toTags(tags),
  }
}

const parseOwners = (list: MetadataEntry['primary_owners']): NonNullable<SourceDocument['primary_owners']> =>
  (list ?? []).map((it) => {
    if (typeof it === 'string') return it.includes('@') ? { email: it } : { display_name: it }
    return Object.fromEntries(OWNER_KEYS.flatMap((key) => (typeof it[key] === 'string' ? [[key, it[key]]] : [])))
  })

const toTags = (tags: Record<string, unknown>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(tags)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, Array.isArray(value) ? value.map(toTagValue) : toTagValue(value)]),
  )

const toTagValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Parses an object keyed by file name or a list of objects with a `filename`. Null if it is neither. */
export function metadataByName(json: unknown): Map<string, FileMetadata> | null {
  const list = z.array(z.looseObject({ filename: z.string() })).safeParse(json)
  if (list.success) return new Map(list.data.map((it) => [it.filename, parseFileMetadata(it)]))
  const keyed = z.record(z.string(), z.looseObject({})).safeParse(json)
  return keyed.success ? new Map(Object.entries(keyed.data).map(([name, it]) => [name, parseFileMetadata(it)])) : null
}

const METADATA_LINE = /^﻿?(?:#ONYX_METADATA=(\{.*\})|<!--\s*ONYX_METADATA=(\{.*\})\s*-->)[ \t]*(?:\r?\n|$)/

/** Separates the metadata line from the content. */
export function splitMetadataLine(content: string): { described: FileMetadata | null; rest: string } {
  const match = METADATA_LINE.exec(content)
  const json = match?.[1] ?? match?.[2]
  if (match === null || json === undefined) return { described: null, rest: content }
  try {
    return { described: parseFileMetadata(JSON.parse(json)), rest: content.slice(match[0].length) }
  } catch {
    // The line only looks like metadata.
    return { described: null, rest: content }
  }
}
