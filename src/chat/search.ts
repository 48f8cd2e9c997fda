// The search that is made where no model asks for one.
import type { Tool, ToolResult } from '../tools/tool.ts'
import type { Course } from './course.ts'
import { runTool } from './run-tool.ts'

export const searchToolOf = (tools: readonly Tool[]): Tool | undefined =>
  tools.find((it) => it.in_code_tool_id === 'SearchTool' && it.callables.length > 0)

/** A step of its own; null if the persona may not search. */
export async function searchFor(course: Course, query: string): Promise<ToolResult | null> {
  const tool = searchToolOf(course.turn.tools)
  const callable = tool?.callables[0]
  if (tool === undefined || callable === undefined) return null
  const place = { step: course.nextStep(), tab: 0 }
  const args = { queries: [query.slice(0, MAX_QUERY).toWellFormed()] }
  course.put(place.step, {
    type: 'tool_call_debug',
    tool_call_id: course.randomId(),
    tool_name: callable.name,
    tool_args: args,
  })
  const result = await runTool(course, { tool, callable, args }, place)
  course.put(place.step, { type: 'section_end' })
  return result
}

const MAX_QUERY = 2_000
