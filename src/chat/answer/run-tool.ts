// Runs one tool call on behalf of the subject.
import type { PacketObject } from '../../domain/chat/packet.ts'
import type { Callable, PendingCall, Tool, ToolResult } from '../../tools/tool.ts'
import type { AnswerContext } from './answer-context.ts'

/** The position at which the client shows the call. */
export interface ToolPlacement {
  step: number
  tab: number
}

export interface ToolUse {
  tool: Tool
  callable: Callable
  args: Record<string, unknown>
}

/** Rejects only with the reason of the turn's signal. */
export async function runTool(
  context: AnswerContext,
  { tool, callable, args }: ToolUse,
  placement: ToolPlacement,
): Promise<ToolResult> {
  const { turn, signal } = context
  const emit = (packet: PacketObject) => context.emit(placement.step, packet, placement.tab)
  try {
    const result = await callable.call(args, {
      subject: turn.subject,
      filters: turn.filters,
      question: turn.message,
      remoteHeaders: turn.remoteHeaders,
      emit,
      confirm: (call) => requestConfirmation(context, call, emit),
      signal,
    })
    context.foundPassages.push(...result.passages)
    return result
  } catch (error) {
    turn.signal.throwIfAborted()
    if (signal.aborted) return errorResult('The tool was stopped because the answer took too long.')
    context.logger.error({ err: error, tool: tool.name }, 'unexpected tool error')
    return errorResult('The tool failed and returned nothing.')
  }
}

function requestConfirmation(
  context: AnswerContext,
  call: PendingCall,
  emit: (packet: PacketObject) => void,
): Promise<boolean> {
  const confirmation_id = context.randomId()
  emit({ type: 'custom_tool_confirmation', confirmation_id, ...call })
  return context.turn.confirm(call, confirmation_id)
}

const errorResult = (text: string): ToolResult => ({ text, passages: [], isError: true })

/** Shows an invalid call as a failed one. */
export function emitRejectedCall(
  context: AnswerContext,
  { id, name }: Pick<Tool, 'id' | 'name'>,
  text: string,
  placement: ToolPlacement,
): ToolResult {
  const own = { tool_name: name, tool_id: id }
  context.emit(placement.step, { type: 'custom_tool_start', ...own }, placement.tab)
  const error = { is_auth_error: false, status_code: null, message: text }
  context.emit(
    placement.step,
    { type: 'custom_tool_delta', ...own, response_type: 'text', data: null, file_ids: null, error },
    placement.tab,
  )
  return errorResult(text)
}
