// An answer that is being written: from the first packet of the `Answer` to the row in the record, however it ends.
import type { MessageStatus } from '../domain/chat.ts'
import type { Logger } from '../domain/logger.ts'
import type { Packet } from '../domain/packet.ts'
import { type FinishedAnswer, finishAnswer } from '../store/chat-messages.ts'
import type { Database } from '../store/database.ts'
import { type Confirmations, createConfirmations } from './confirmations.ts'
import { compact, textOf, usageOf } from './fold.ts'
import { createRun, type Run, type RunLimits } from './run.ts'
import type { Answer, Turn } from './turn.ts'

export interface LiveLimits extends RunLimits {
  maxBytes: number
  maxMs: number
  confirmMs: number
}

/** Why an answer ends before its end. */
export type Ending = 'stopped' | 'left' | 'closing' | 'late' | 'large'

const SENTENCES: Record<Ending, string | null> = {
  stopped: null,
  left: 'The connection ended before the answer did.',
  closing: 'The service was stopped while this answer was written. Ask again in a moment.',
  late: 'This took longer than an answer may take, so it ends here. Ask for less at once.',
  large: 'The answer became longer than an answer may be, so it ends here.',
}
const DEFECT =
  'Something went wrong here while the answer was written. Ask again; the log of the service has the reason.'
const NOT_KEPT = 'The answer could not be written down, so it will be missing here later: keep it elsewhere.'

export interface Live {
  readonly chat_session_id: string
  readonly owner: string
  readonly message_id: number
  readonly run: Run
  readonly confirmations: Confirmations
  readonly signal: AbortSignal
  abort(why: Ending): void
  /** Never rejects. */
  readonly ended: Promise<void>
}

export interface LiveNeeds {
  db: Database
  answer: Answer
  logger: Logger
  now: () => number
  limits: LiveLimits
}

export interface Beginning {
  chat_session_id: string
  owner: string
  message_id: number
  /** The lines that come before the packets. */
  head: readonly object[]
  turn(confirm: Turn['confirm'], signal: AbortSignal): Promise<Turn>
  /** Whether anybody is shown what a tool asks. */
  isShown: boolean
}

export function begin(needs: LiveNeeds, beginning: Beginning): Live {
  const { limits } = needs
  const { head, chat_session_id, owner, message_id } = beginning
  const stop = new AbortController()
  const abort = (why: Ending) => stop.abort(why)
  const run = createRun(head, limits, () => abort('left'))
  const confirmations = createConfirmations(limits.confirmMs)
  const live = { chat_session_id, owner, message_id, run, confirmations, signal: stop.signal, abort }
  return { ...live, ended: write(needs, beginning, live) }
}

type Unfinished = Omit<Live, 'ended'>

async function write(needs: LiveNeeds, beginning: Beginning, live: Unfinished): Promise<void> {
  const timer = setTimeout(() => live.abort('late'), needs.limits.maxMs).unref()
  const { stop_reason, ...end } = await tell(needs, beginning, live)
  clearTimeout(timer)
  await keep(needs, live, end)
  say(live.run, { type: 'stop', stop_reason })
  live.run.end()
}

interface End {
  status: Exclude<MessageStatus, 'running'>
  error: string | null
  stop_reason: string | null
}

/** Says the packets as they come; `stop` is left to the caller. */
async function tell(needs: LiveNeeds, beginning: Beginning, live: Unfinished): Promise<End> {
  const { run, signal } = live
  try {
    const turn = await beginning.turn(confirmIn(beginning, live), signal)
    const stop_reason = signal.aborted ? null : await follow(needs, turn, live)
    if (!signal.aborted) return finished(run.packets, stop_reason)
  } catch (error) {
    if (!signal.aborted) return failed(needs, live, error)
  }
  return endedEarly(run, signal.reason as Ending)
}

async function follow({ answer, limits }: LiveNeeds, turn: Turn, live: Unfinished): Promise<string | null> {
  const { run, signal, confirmations, abort } = live
  const packets = answer(turn)[Symbol.asyncIterator]()
  const take = interruptible(packets, signal)
  try {
    for (;;) {
      const next = await take()
      if (next === undefined || next.done) return null
      const { obj } = next.value
      if (obj.type === 'stop') return obj.stop_reason
      if (obj.type === 'custom_tool_confirmation') confirmations.shown(obj.confirmation_id)
      run.emit(next.value)
      if (run.bytes > limits.maxBytes) abort('large')
    }
  } finally {
    // Who writes sees the signal; nobody waits for it to be done.
    packets.return?.().catch(() => {})
  }
}

/** The next one, or undefined as soon as the signal aborts, whatever the iterator does. */
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

const confirmIn =
  ({ isShown }: Beginning, { confirmations, signal }: Unfinished): Turn['confirm'] =>
  async (_call, id) =>
    isShown && confirmations.wait(id, signal)

function finished(packets: readonly Packet[], stop_reason: string | null): End {
  const errors = packets.flatMap(({ obj }) => (obj.type === 'error' ? [obj.message] : []))
  const isEmpty = textOf(packets) === ''
  return {
    status: errors.length > 0 && isEmpty ? 'failed' : 'done',
    error: errors.length === 0 ? null : errors.join(' '),
    stop_reason,
  }
}

function endedEarly(run: Run, why: Ending): End {
  const sentence = SENTENCES[why]
  const isWanted = why === 'stopped' || why === 'left'
  if (sentence !== null && !isWanted) say(run, { type: 'error', message: sentence })
  return {
    status: isWanted ? 'stopped' : 'failed',
    error: sentence,
    stop_reason: isWanted ? 'user_cancelled' : null,
  }
}

/** In the words of old clients too, which know errors by a line of their own. */
function failed({ logger }: LiveNeeds, { run, message_id }: Unfinished, error: unknown): End {
  logger.error({ err: error, message_id }, 'an answer failed')
  run.say({ error: DEFECT, stack_trace: null, error_code: 'INTERNAL_ERROR', is_retryable: true, details: null })
  say(run, { type: 'error', message: DEFECT })
  return { status: 'failed', error: DEFECT, stop_reason: null }
}

async function keep({ db, logger, now }: LiveNeeds, live: Unfinished, end: Omit<End, 'stop_reason'>): Promise<void> {
  const { run, message_id } = live
  const packets = compact(run.packets)
  const answer: FinishedAnswer = { ...end, ...usageOf(packets), message: textOf(packets), packets }
  try {
    await finishAnswer(db, message_id, answer, now())
  } catch (error) {
    logger.error({ err: error, message_id }, 'an answer could not be kept')
    say(run, { type: 'error', message: NOT_KEPT })
  }
}

function say(run: Run, obj: Packet['obj']): void {
  const placement = run.packets.at(-1)?.placement ?? FIRST
  run.emit({ placement, obj })
}

const FIRST: Packet['placement'] = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
