// Compares the tools that a server offers now with those that Pharos stored when it last read the server.
import type { MCPToolListResponse, StoredMCPTool } from '../../../../src/client/schemas.ts'

type OfferedTool = MCPToolListResponse['tools'][number]

export interface ChangedMcpTool {
  name: string
  changes: { field: 'display_name' | 'description' | 'input_schema' | 'is_read_only'; before: string; after: string }[]
}

export interface McpToolDifference {
  added: OfferedTool[]
  /** Stored tools that the server no longer offers. */
  removed: StoredMCPTool[]
  changed: ChangedMcpTool[]
}

export function compareMcpTools(stored: readonly StoredMCPTool[], offered: readonly OfferedTool[]): McpToolDifference {
  const known = new Map(stored.map((it) => [it.name, it]))
  const names = new Set(offered.map((it) => it.name))
  return {
    added: offered.filter((it) => known.get(it.name)?.is_offered !== true),
    removed: stored.filter((it) => it.is_offered && !names.has(it.name)),
    changed: offered.flatMap((tool) => {
      const before = known.get(tool.name)
      const changes = before?.is_offered === true ? changesOf(before, tool) : []
      return changes.length === 0 ? [] : [{ name: tool.name, changes }]
    }),
  }
}

export const isEmptyDifference = ({ added, removed, changed }: McpToolDifference): boolean =>
  added.length + removed.length + changed.length === 0

const FIELDS = ['display_name', 'description', 'input_schema', 'is_read_only'] as const

const changesOf = (before: StoredMCPTool, after: OfferedTool): ChangedMcpTool['changes'] =>
  FIELDS.map((field) => ({ field, before: textOf(before[field]), after: textOf(after[field]) })).filter(
    (it) => it.before !== it.after,
  )

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
