// One call of a tool, for the person who asks.
import type { PacketObject } from '../domain/packet.ts'
import type { Callable, PendingCall, Tool, ToolResult } from '../tools/tool.ts'
import type { Course } from './course.ts'

/** Where in the answer it is shown. */
export interface Place {
  step: number
  tab: number
}

export interface Use {
  tool: Tool
  callable: Callable
  args: Record<string, unknown>
}

/** Rejects with the reason of the person's signal alone. */
export async function runTool(course: Course, { tool, callable, args }: Use, place: Place): Promise<ToolResult> {
  const { turn, signal } = course
  const emit = (packet: PacketObject) => course.put(place.step, packet, place.tab)
  try {
    const result = await callable.call(args, {
      subject: turn.subject,
      filters: turn.filters,
      question: turn.message,
      authorization: turn.authorization,
      remoteHeaders: turn.remoteHeaders,
      emit,
      confirm: (call) => confirm(course, call, emit),
      signal,
    })
    course.found.push(...result.passages)
    return result
  } catch (error) {
    turn.signal.throwIfAborted()
    if (signal.aborted) return failed('The tool was stopped: the answer took too long.')
    course.logger.error({ err: error, tool: tool.name }, 'a tool failed in a way that it should not')
    return failed('The tool failed, and gave nothing.')
  }
}

function confirm(course: Course, call: PendingCall, emit: (packet: PacketObject) => void): Promise<boolean> {
  const confirmation_id = course.randomId()
  emit({ type: 'custom_tool_confirmation', confirmation_id, ...call })
  return course.turn.confirm(call, confirmation_id)
}

const failed = (text: string): ToolResult => ({ text, passages: [], isError: true })

/** A call that cannot be made, shown as one that failed. */
export function refuseCall(
  course: Course,
  { id, name }: Pick<Tool, 'id' | 'name'>,
  text: string,
  place: Place,
): ToolResult {
  const own = { tool_name: name, tool_id: id }
  course.put(place.step, { type: 'custom_tool_start', ...own }, place.tab)
  const error = { is_auth_error: false, status_code: null, message: text }
  course.put(
    place.step,
    { type: 'custom_tool_delta', ...own, response_type: 'text', data: null, file_ids: null, error },
    place.tab,
  )
  return failed(text)
}
