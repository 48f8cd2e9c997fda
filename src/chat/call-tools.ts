// The calls that a model wants: checked, made beside each other, and told to it.

import { fitting, tokensIn } from '../domain/tokens.ts'
import type { ModelCall } from '../inference/language-model.ts'
import type { Tool, ToolResult } from '../tools/tool.ts'
import type { Course } from './course.ts'
import { delivered, fenced } from './prompt.ts'
import { type Place, refuseCall, runTool, type Use } from './run-tool.ts'

/** Of one step; the model is told that the rest was not made. */
export const MAX_CALLS_AT_ONCE = 16

export interface Called {
  call: ModelCall
  /** What the model is told. */
  content: string
}

/** All of them are one step. What they bring takes at most so many tokens. */
export async function callTools(course: Course, wanted: readonly ModelCall[], tokens: number): Promise<Called[]> {
  const calls = withOwnIds(wanted.slice(0, MAX_CALLS_AT_ONCE))
  const step = course.nextStep()
  const results = await Promise.all(calls.map((call, tab) => callOne(course, call, { step, tab })))
  const each = Math.floor(tokens / calls.length)
  const called = calls.map((call, at) => ({ call, content: toldOf(course, call.name, results[at]!, each) }))
  const left = wanted.length - calls.length
  if (left > 0) called.at(-1)!.content += `\n\n${left} more calls were not made: at most ${MAX_CALLS_AT_ONCE} at once.`
  return called
}

/** A server tells calls apart by their ids, and some models give one twice. */
function withOwnIds(calls: readonly ModelCall[]): ModelCall[] {
  const seen = new Set<string>()
  return calls.map((call, at) => {
    const id = call.id !== '' && !seen.has(call.id) ? call.id : `call_${at}${call.id}`
    seen.add(id)
    return { ...call, id }
  })
}

async function callOne(course: Course, call: ModelCall, place: Place): Promise<ToolResult> {
  const args = argumentsOf(call)
  const debug = { tool_call_id: call.id, tool_name: call.name, tool_args: args ?? {} }
  course.put(place.step, { type: 'tool_call_debug', ...debug }, place.tab)
  const use = callFor(course.turn.tools, call.name, args)
  const result = 'text' in use ? refuseCall(course, use.tool, use.text, place) : await runTool(course, use, place)
  course.put(place.step, { type: 'section_end' }, place.tab)
  return result
}

/** Null: not a JSON object. Nothing at all is an empty one. */
function argumentsOf(call: ModelCall): Record<string, unknown> | null {
  if (call.arguments.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(call.arguments)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

type Refusal = { tool: Pick<Tool, 'id' | 'name'>; text: string }

function callFor(tools: readonly Tool[], name: string, args: Record<string, unknown> | null): Use | Refusal {
  for (const tool of tools) {
    const callable = tool.callables.find((it) => it.name === name)
    if (callable === undefined) continue
    if (args !== null) return { tool, callable, args }
    return { tool, text: 'The arguments are not a JSON object: call it again with one that fits its parameters.' }
  }
  const names = tools.flatMap((it) => it.callables.map((callable) => callable.name))
  const text = `There is no tool of this name. There is: ${names.join(', ') || 'none'}.`
  return { tool: { id: 0, name: name.slice(0, MAX_NAME) }, text }
}

const MAX_NAME = 100

function toldOf(course: Course, name: string, result: ToolResult, tokens: number): string {
  const cut = fitting(result.text, result.passages.length === 0 ? tokens : Math.floor(tokens / 2))
  const note = cut === result.text ? '' : '\nThe rest was cut off: there is no room for it.'
  const own = cut.trim() === '' ? '' : fenced(course.nonce, { tool: name }, cut) + note
  return delivered(course.nonce, own, course.shelf.put(result.passages, tokens - tokensIn(own))) || 'It gave nothing.'
}
