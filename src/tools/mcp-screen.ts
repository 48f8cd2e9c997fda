// What a remote server says of its tools goes to a model and to people: without what nobody sees, and not too much of it.
import type { OfferedTool } from '../store/mcp-tools.ts'

export interface ListedTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: Readonly<Record<string, unknown>>
  annotations?: { readOnlyHint?: boolean | undefined; title?: string | undefined } | undefined
}

const MAX_TOOLS = 200
const MAX_NAME = 128
const MAX_TITLE = 200
const MAX_DESCRIPTION = 2_000
const MAX_SCHEMA = 65_536
const MAX_DEPTH = 32

/** What has no usable name, or a schema that is too large, is left out; so is a name that comes again. */
export function screened(tools: readonly ListedTool[]): OfferedTool[] {
  const byName = new Map<string, OfferedTool>()
  for (const tool of tools) {
    const screened = screenedTool(tool)
    if (screened !== null && !byName.has(screened.name) && byName.size < MAX_TOOLS) byName.set(screened.name, screened)
  }
  return [...byName.values()]
}

function screenedTool({ name, title, description, inputSchema, annotations }: ListedTool): OfferedTool | null {
  if (name === '' || name.length > MAX_NAME || visible(name) !== name || /\s/.test(name)) return null
  const input_schema = cleaned(inputSchema, 0)
  if (JSON.stringify(input_schema).length > MAX_SCHEMA) return null
  const shown = title ?? annotations?.title
  return {
    name,
    display_name: shown === undefined ? null : line(shown, MAX_TITLE) || null,
    description: text(description ?? '', MAX_DESCRIPTION),
    input_schema: input_schema as OfferedTool['input_schema'], // An object stays one.
    is_read_only: annotations?.readOnlyHint === true,
  }
}

/** Texts in a schema are read by the model too. */
function cleaned(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return {}
  if (typeof value === 'string') return text(value, MAX_DESCRIPTION)
  if (Array.isArray(value)) return value.map((it) => cleaned(it, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [visible(key), cleaned(it, depth + 1)]))
}

/** Control characters, and those that are there but not seen: joiners, marks of direction, tags, private ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu

const visible = (it: string): string => it.toWellFormed().replace(UNSEEN, '')
const line = (it: string, max: number): string => cut(visible(it.replace(/\s+/g, ' ')).trim(), max)
const text = (it: string, max: number): string =>
  cut(
    it
      .split(/\r?\n/)
      .map((row) => visible(row.replaceAll('\t', ' ')))
      .join('\n')
      .trim(),
    max,
  )
const cut = (it: string, max: number): string => (it.length <= max ? it : `${it.slice(0, max - 1)}…`.toWellFormed())
