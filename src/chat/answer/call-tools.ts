// Validates the tool calls that a model requests, runs them in parallel and formats the results for the model.

import { estimateTokens, truncateToTokens } from '../../domain/models/token-estimate.ts'
import type { ModelCall } from '../../inference/language-model.ts'
import type { Tool, ToolResult } from '../../tools/tool.ts'
import type { AnswerContext } from './answer-context.ts'
import { fenceData, formatPassages } from './prompt.ts'
import { emitRejectedCall, runTool, type ToolPlacement, type ToolUse } from './run-tool.ts'

/** Per step; the model learns that further calls were skipped. */
export const MAX_PARALLEL_CALLS = 16

export interface AnsweredCall {
  call: ModelCall
  /** The result as the model reads it. */
  content: string
}

/** All calls form one step; their results share the given number of tokens. */
export async function callTools(
  context: AnswerContext,
  wanted: readonly ModelCall[],
  tokens: number,
): Promise<AnsweredCall[]> {
  const calls = withUniqueIds(wanted.slice(0, MAX_PARALLEL_CALLS))
  const step = context.nextStep()
  const results = await Promise.all(
    calls.map(async (call, tab) => ({ call, result: await runCall(context, call, { step, tab }) })),
  )
  const each = Math.floor(tokens / calls.length)
  const left = wanted.length - calls.length
  const note = left > 0 ? `\n\n${left} more calls were skipped: at most ${MAX_PARALLEL_CALLS} at once.` : ''
  return results.map(({ call, result }, at) => {
    const content = resultForModel(context, call.name, result, each)
    return { call, content: at === results.length - 1 ? content + note : content }
  })
}

/** Servers match calls by id, and some models use an id twice. */
function withUniqueIds(calls: readonly ModelCall[]): ModelCall[] {
  const seen = new Set<string>()
  return calls.map((call, at) => {
    const id = call.id !== '' && !seen.has(call.id) ? call.id : `call_${at}${call.id}`
    seen.add(id)
    return { ...call, id }
  })
}

async function runCall(context: AnswerContext, call: ModelCall, placement: ToolPlacement): Promise<ToolResult> {
  const args = parseArguments(call)
  const debug = { tool_call_id: call.id, tool_name: call.name, tool_args: args ?? {} }
  context.emit(placement.step, { type: 'tool_call_debug', ...debug }, placement.tab)
  const use = resolveCall(context.turn.tools, call.name, args)
  const result =
    'text' in use ? emitRejectedCall(context, use.tool, use.text, placement) : await runTool(context, use, placement)
  context.emit(placement.step, { type: 'section_end' }, placement.tab)
  return result
}

/** Null if the text is not a JSON object. An empty text is an empty object. */
function parseArguments(call: ModelCall): Record<string, unknown> | null {
  if (call.arguments.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(call.arguments)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

type RejectedCall = { tool: Pick<Tool, 'id' | 'name'>; text: string }

function resolveCall(
  tools: readonly Tool[],
  name: string,
  args: Record<string, unknown> | null,
): ToolUse | RejectedCall {
  for (const tool of tools) {
    const callable = tool.callables.find((it) => it.name === name)
    if (callable === undefined) continue
    if (args !== null) return { tool, callable, args }
    return {
      tool,
      text: 'The arguments are not a JSON object: call the tool again with arguments that match its parameters.',
    }
  }
  const names = tools.flatMap((it) => it.callables.map((callable) => callable.name))
  const text = `There is no tool with this name. Available tools: ${names.join(', ') || 'none'}.`
  return { tool: { id: 0, name: name.slice(0, MAX_NAME) }, text }
}

const MAX_NAME = 100

function resultForModel(context: AnswerContext, name: string, result: ToolResult, tokens: number): string {
  const cut = truncateToTokens(result.text, result.passages.length === 0 ? tokens : Math.floor(tokens / 2))
  const note = cut === result.text ? '' : '\nThe rest was truncated to save space.'
  const own = cut.trim() === '' ? '' : fenceData(context.nonce, { tool: name }, cut) + note
  return (
    formatPassages(context.nonce, own, context.passageStore.add(result.passages, tokens - estimateTokens(own))) ||
    'The tool returned nothing.'
  )
}
