// Searches on behalf of a model that did not ask for it.
import type { Tool, ToolResult } from '../../tools/tool.ts'
import type { AnswerContext } from './answer-context.ts'
import { runTool } from './run-tool.ts'

export const findSearchTool = (tools: readonly Tool[]): Tool | undefined =>
  tools.find((it) => it.in_code_tool_id === 'SearchTool' && it.callables.length > 0)

/** Emits a step of its own; null if the persona has no search tool. */
export async function runSearchTool(context: AnswerContext, query: string): Promise<ToolResult | null> {
  const tool = findSearchTool(context.turn.tools)
  const callable = tool?.callables[0]
  if (tool === undefined || callable === undefined) return null
  const placement = { step: context.nextStep(), tab: 0 }
  const args = { queries: [query.slice(0, MAX_QUERY).toWellFormed()] }
  context.emit(placement.step, {
    type: 'tool_call_debug',
    tool_call_id: context.randomId(),
    tool_name: callable.name,
    tool_args: args,
  })
  const result = await runTool(context, { tool, callable, args }, placement)
  context.emit(placement.step, { type: 'section_end' })
  return result
}

const MAX_QUERY = 2_000
