// Names and descriptions of remote tools reach models and people, so invisible characters are removed and lengths are
// limited.
import type { OfferedTool } from '../../store/tools/mcp-tools.ts'

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

/** Leaves out tools with an invalid name, a duplicate name or a schema that is too large. */
export function sanitizeTools(tools: readonly ListedTool[]): OfferedTool[] {
  const byName = new Map<string, OfferedTool>()
  for (const tool of tools) {
    const sanitized = sanitizeTool(tool)
    if (sanitized !== null && !byName.has(sanitized.name) && byName.size < MAX_TOOLS)
      byName.set(sanitized.name, sanitized)
  }
  return [...byName.values()]
}

function sanitizeTool({ name, title, description, inputSchema, annotations }: ListedTool): OfferedTool | null {
  if (name === '' || name.length > MAX_NAME || stripInvisible(name) !== name || /\s/.test(name)) return null
  const input_schema = sanitizeProperties(inputSchema, 0)
  if (JSON.stringify(input_schema).length > MAX_SCHEMA) return null
  const heading = title ?? annotations?.title
  return {
    name,
    display_name: heading === undefined ? null : singleLine(heading, MAX_TITLE) || null,
    description: multiLine(description ?? '', MAX_DESCRIPTION),
    input_schema,
    is_read_only: annotations?.readOnlyHint === true,
  }
}

/** Models read the texts in schemas too. */
function sanitizeSchema(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return {}
  if (typeof value === 'string') return multiLine(value, MAX_DESCRIPTION)
  if (Array.isArray(value)) return value.map((it) => sanitizeSchema(it, depth + 1))
  return typeof value === 'object' && value !== null ? sanitizeProperties(value, depth) : value
}

const sanitizeProperties = (schema: object, depth: number): OfferedTool['input_schema'] =>
  Object.fromEntries(Object.entries(schema).map(([key, it]) => [stripInvisible(key), sanitizeSchema(it, depth + 1)]))

/** Control characters and invisible characters such as joiners, direction marks, tags and private use characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu

const stripInvisible = (it: string): string => it.toWellFormed().replace(INVISIBLE, '')
const singleLine = (it: string, max: number): string => truncate(stripInvisible(it.replace(/\s+/g, ' ')).trim(), max)
const multiLine = (it: string, max: number): string =>
  truncate(
    it
      .split(/\r?\n/)
      .map((row) => stripInvisible(row.replaceAll('\t', ' ')))
      .join('\n')
      .trim(),
    max,
  )
const truncate = (it: string, max: number): string =>
  it.length <= max ? it : `${it.slice(0, max - 1)}…`.toWellFormed()
