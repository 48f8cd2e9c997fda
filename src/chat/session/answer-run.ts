// Runs an answer, from its first packet to its stored row, however it ends.
import type { MessageStatus } from '../../domain/chat/chat.ts'
import type { Packet } from '../../domain/chat/packet.ts'
import type { Logger } from '../../domain/logger.ts'
import { type FinishedAnswer, finishAnswer } from '../../store/chats/messages.ts'
import type { Database } from '../../store/database/database.ts'
import type { Answerer, ChatTurn } from '../answer/chat-turn.ts'
import { type Confirmations, createConfirmations } from './confirmations.ts'
import { createEventLog, type EventLog, type EventLogLimits } from './event-log.ts'
import { answerText, compactPackets, countRemovedCitations, sumUsage } from './reduce-packets.ts'

export interface AnswerRunLimits extends EventLogLimits {
  maxBytes: number
  maxDurationMs: number
  confirmTimeoutMs: number
}

/** Why an answer ends early. */
export type EndReason = 'stopped' | 'left' | 'closing' | 'late' | 'large'

const END_MESSAGES: Record<EndReason, string | null> = {
  stopped: null,
  left: 'The connection closed before the answer was complete.',
  closing: 'The service shut down during this answer. Ask again in a moment.',
  late: 'The answer exceeded the time limit. Ask a narrower question.',
  large: 'The answer exceeded the maximum size and was cut off.',
}
const INTERNAL_ERROR_MESSAGE = 'Internal error while answering. Ask again; the log of the service has the reason.'
const NOT_STORED_MESSAGE = 'The answer could not be stored and will be missing from this chat: copy it if you need it.'

export interface AnswerRun {
  readonly chat_session_id: string
  readonly owner: string
  readonly message_id: number
  readonly log: EventLog
  readonly confirmations: Confirmations
  readonly signal: AbortSignal
  abort(why: EndReason): void
  /** Never rejects. */
  readonly ended: Promise<void>
}

export interface AnswerRunDeps {
  db: Database
  answer: Answerer
  logger: Logger
  now: () => number
  limits: AnswerRunLimits
}

export interface AnswerRunRequest {
  chat_session_id: string
  owner: string
  message_id: number
  /** The lines before the first packet. */
  head: readonly object[]
  prepareTurn(confirm: ChatTurn['confirm'], signal: AbortSignal): Promise<ChatTurn>
  /** Whether a user can see and answer confirmation requests. */
  isInteractive: boolean
}

export function startAnswerRun(deps: AnswerRunDeps, request: AnswerRunRequest): AnswerRun {
  const { limits } = deps
  const { head, chat_session_id, owner, message_id } = request
  const stop = new AbortController()
  const abort = (why: EndReason) => stop.abort(why)
  const log = createEventLog(head, limits, () => abort('left'))
  const confirmations = createConfirmations(limits.confirmTimeoutMs)
  const answerRun = { chat_session_id, owner, message_id, log, confirmations, signal: stop.signal, abort }
  return { ...answerRun, ended: runToEnd(deps, request, answerRun) }
}

type PendingAnswerRun = Omit<AnswerRun, 'ended'>

async function runToEnd(deps: AnswerRunDeps, request: AnswerRunRequest, answerRun: PendingAnswerRun): Promise<void> {
  const timer = setTimeout(() => answerRun.abort('late'), deps.limits.maxDurationMs).unref()
  const { stop_reason, ...end } = await runTurn(deps, request, answerRun)
  clearTimeout(timer)
  await storeAnswer(deps, answerRun, end)
  emitObject(answerRun.log, { type: 'stop', stop_reason })
  answerRun.log.end()
}

interface AnswerResult {
  status: Exclude<MessageStatus, 'running'>
  error: string | null
  stop_reason: string | null
}

/** Forwards the packets as they come; the caller writes `stop`. */
async function runTurn(
  deps: AnswerRunDeps,
  request: AnswerRunRequest,
  answerRun: PendingAnswerRun,
): Promise<AnswerResult> {
  const { log, signal } = answerRun
  try {
    const turn = await request.prepareTurn(createConfirm(request, answerRun), signal)
    const stop_reason = signal.aborted ? null : await forwardPackets(deps, turn, answerRun)
    if (!signal.aborted) return completedResult(log.packets, stop_reason)
  } catch (error) {
    if (!signal.aborted) return failedResult(deps, answerRun, error)
  }
  return abortedResult(log, signal.reason as EndReason)
}

async function forwardPackets(
  { answer, limits }: AnswerRunDeps,
  turn: ChatTurn,
  answerRun: PendingAnswerRun,
): Promise<string | null> {
  const { log, signal, confirmations, abort } = answerRun
  const packets = answer(turn)[Symbol.asyncIterator]()
  const take = interruptible(packets, signal)
  try {
    for (;;) {
      const next = await take()
      if (next === undefined || next.done) return null
      const { obj } = next.value
      if (obj.type === 'stop') return obj.stop_reason
      if (obj.type === 'custom_tool_confirmation') confirmations.markShown(obj.confirmation_id)
      log.emit(next.value)
      if (log.bytes > limits.maxBytes) abort('large')
    }
  } finally {
    // The producer sees the signal; its end is not awaited.
    packets.return?.().catch(() => {})
  }
}

/** The next item, or undefined as soon as the signal aborts, whatever the iterator does. */
function interruptible<T>(iterator: AsyncIterator<T>, signal: AbortSignal) {
  let interrupt = () => {}
  signal.addEventListener('abort', () => interrupt(), { once: true })
  return (): Promise<IteratorResult<T> | undefined> =>
    new Promise((resolve, reject) => {
      interrupt = () => resolve(undefined)
      if (signal.aborted) interrupt()
      else iterator.next().then(resolve, reject)
    })
}

const createConfirm =
  ({ isInteractive }: AnswerRunRequest, { confirmations, signal }: PendingAnswerRun): ChatTurn['confirm'] =>
  async (_call, id) =>
    isInteractive && confirmations.wait(id, signal)

function completedResult(packets: readonly Packet[], stop_reason: string | null): AnswerResult {
  const errors = packets.flatMap(({ obj }) => (obj.type === 'error' ? [obj.message] : []))
  const isEmpty = answerText(packets) === ''
  return {
    status: errors.length > 0 && isEmpty ? 'failed' : 'done',
    error: errors.length === 0 ? null : errors.join(' '),
    stop_reason,
  }
}

function abortedResult(run: EventLog, why: EndReason): AnswerResult {
  const sentence = END_MESSAGES[why]
  const isWanted = why === 'stopped' || why === 'left'
  if (sentence !== null && !isWanted) emitObject(run, { type: 'error', message: sentence })
  return {
    status: isWanted ? 'stopped' : 'failed',
    error: sentence,
    stop_reason: isWanted ? 'user_cancelled' : null,
  }
}

/** Also writes the error line that older clients expect. */
function failedResult({ logger }: AnswerRunDeps, { log, message_id }: PendingAnswerRun, error: unknown): AnswerResult {
  logger.error({ err: error, message_id }, 'answer failed')
  log.writeLine({
    error: INTERNAL_ERROR_MESSAGE,
    stack_trace: null,
    error_code: 'INTERNAL_ERROR',
    is_retryable: true,
    details: null,
  })
  emitObject(log, { type: 'error', message: INTERNAL_ERROR_MESSAGE })
  return { status: 'failed', error: INTERNAL_ERROR_MESSAGE, stop_reason: null }
}

async function storeAnswer(
  { db, logger, now }: AnswerRunDeps,
  answerRun: PendingAnswerRun,
  end: Omit<AnswerResult, 'stop_reason'>,
): Promise<void> {
  const { log, message_id } = answerRun
  const packets = compactPackets(log.packets)
  const answer: FinishedAnswer = {
    ...{ ...end, ...sumUsage(packets), message: answerText(packets), packets },
    citations_removed: countRemovedCitations(packets),
  }
  try {
    await finishAnswer(db, message_id, answer, now())
  } catch (error) {
    logger.error({ err: error, message_id }, 'answer not stored')
    emitObject(log, { type: 'error', message: NOT_STORED_MESSAGE })
  }
}

function emitObject(run: EventLog, obj: Packet['obj']): void {
  const placement = run.packets.at(-1)?.placement ?? FIRST_PLACEMENT
  run.emit({ placement, obj })
}

const FIRST_PLACEMENT: Packet['placement'] = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
