// What a file says of itself, or a list beside it: the file `.onyx_metadata.json` of an archive, or its first line.
import { z } from 'zod'
import { parseDateTime } from '../domain/date-time.ts'
import type { SourceDocument } from './connector.ts'

export const METADATA_FILE = '.onyx_metadata.json'

export type Described = Partial<
  Pick<
    SourceDocument,
    'id' | 'title' | 'semantic_identifier' | 'primary_owners' | 'secondary_owners' | 'doc_updated_at' | 'source'
  >
> & { link: string | null; metadata: Record<string, string | string[]> }

const text = z.string().min(1).optional().catch(undefined)
const owners = z
  .array(z.union([z.string(), z.looseObject({})]))
  .optional()
  .catch(undefined)

const Known = z.looseObject({
  id: text,
  link: text,
  file_display_name: text,
  title: text,
  primary_owners: owners,
  secondary_owners: owners,
  doc_updated_at: z.unknown().optional(),
  connector_type: text,
  filename: text,
})
type Known = z.infer<typeof Known>

const OWNER_KEYS = ['display_name', 'first_name', 'middle_initial', 'last_name', 'email'] as const

export function describe(value: unknown): Described {
  const result = Known.safeParse(value)
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
    primary_owners: ownersOf(primary_owners),
    secondary_owners: ownersOf(secondary_owners),
    link: link ?? null,
    metadata: tagsOf(tags),
  }
}

const ownersOf = (list: Known['primary_owners']): NonNullable<SourceDocument['primary_owners']> =>
  (list ?? []).map((it) => {
    if (typeof it === 'string') return it.includes('@') ? { email: it } : { display_name: it }
    return Object.fromEntries(OWNER_KEYS.flatMap((key) => (typeof it[key] === 'string' ? [[key, it[key]]] : [])))
  })

const tagsOf = (tags: Record<string, unknown>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(tags)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, Array.isArray(value) ? value.map(wordOf) : wordOf(value)]),
  )

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** By file name: an object keyed by it, or a list of objects that hold it. Null where it is neither. */
export function metadataByName(json: unknown): Map<string, Described> | null {
  const list = z.array(z.looseObject({ filename: z.string() })).safeParse(json)
  if (list.success) return new Map(list.data.map((it) => [it.filename, describe(it)]))
  const keyed = z.record(z.string(), z.looseObject({})).safeParse(json)
  return keyed.success ? new Map(Object.entries(keyed.data).map(([name, it]) => [name, describe(it)])) : null
}

const FIRST_LINE = /^﻿?(?:#ONYX_METADATA=(\{.*\})|<!--\s*ONYX_METADATA=(\{.*\})\s*-->)[ \t]*(?:\r?\n|$)/

/** What the first line says, and the rest. */
export function splitFirstLine(content: string): { described: Described | null; rest: string } {
  const match = FIRST_LINE.exec(content)
  const json = match?.[1] ?? match?.[2]
  if (match === null || json === undefined) return { described: null, rest: content }
  try {
    return { described: describe(JSON.parse(json)), rest: content.slice(match[0].length) }
  } catch {
    // Not meant for us after all.
    return { described: null, rest: content }
  }
}
