// The built-in tools. Each file of `builtin/` that is listed here is one tool: its row and its function.
import { calculatorTool } from './builtin/calculator.ts'
import { type DateDeps, dateTool } from './builtin/date.ts'
import type { BuiltInTool } from './builtin/define-built-in-tool.ts'
import { type OpenUrlDeps, openUrlTool } from './builtin/open-url.ts'
import { type FileDeps, readFileTool } from './builtin/read-file.ts'
import { type SearchToolDeps, searchTool } from './builtin/search.ts'

export interface BuiltInToolDeps extends SearchToolDeps, OpenUrlDeps, FileDeps, DateDeps {}

export const BUILT_IN_TOOLS: readonly BuiltInTool<BuiltInToolDeps>[] = [
  searchTool,
  openUrlTool,
  readFileTool,
  calculatorTool,
  dateTool,
]
