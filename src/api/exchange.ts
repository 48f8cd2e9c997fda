// Lines in and lines out at the same time, over one request, for any number of lines and any client: one that writes
// all before it reads, one that does both, one that stops. docs/decisions/0040-batch.md says which bounds there are.
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import { type Line, splitLines } from './split-lines.ts'
import type { Spool } from './spool.ts'

export interface ExchangeLimits {
  lineBytes: number
  /** Of lines that are taken together. */
  groupLines: number
  groupBytes: number
  /** Of lines that were read and wait for their turn; with so many of them no more are read. */
  queueBytes: number
  /** How long a client may neither send a byte nor take one. */
  idleMs: number
  /** How long it may go on when the service ends. */
  closingMs: number
}

export const EXCHANGE_LIMITS: Readonly<ExchangeLimits> = {
  lineBytes: 32 << 20,
  groupLines: 128,
  groupBytes: 1 << 20,
  queueBytes: 2 << 20,
  idleMs: 60_000,
  closingMs: 3_000,
}

/** What is answered to a line, without its number. */
export type LineAnswer = { error: object } | Record<string, unknown>

export interface Exchange {
  input: Readable
  spool: Spool
  /** Lines before this one are read and not taken. */
  fromLine: number
  limits: ExchangeLimits
  /**
   * Reads the lines at once; the function that comes back takes them, and gives an answer for each, in their order. It
   * is called when the group before is through. What it rejects with is about the whole: then no line of the group was
   * answered, and no more are taken.
   */
  prepare(lines: readonly Line[]): () => Promise<readonly LineAnswer[]>
  /** How an error is answered. */
  errorOf(error: unknown): object
  /** The service ends. */
  closing: AbortSignal
  /** The client went away. */
  gone: AbortSignal
  /** Ends the connection. */
  cut(): void
}

/** The answer, as it comes to be. Lines are read also while nobody asks for it. */
export async function* exchange(settings: Exchange): AsyncGenerator<Buffer> {
  const { input, spool, limits, closing, gone, cut } = settings
  const intake = openIntake(input, limits)
  const stop = (error: AppError) => {
    intake.stop(error)
    if (input.readableEnded) cut()
  }
  const idle = watchIdle(limits.idleMs, () => (intake.stopped === undefined ? stop(new AppError('TIMED_OUT')) : cut()))
  const onData = () => idle.refresh()
  const onClosing = () => {
    intake.stop(new AppError('SHUTTING_DOWN'))
    setTimeout(cut, limits.closingMs).unref()
  }
  const onGone = () => {
    intake.stop(new AppError('TIMED_OUT'))
    void spool.close()
  }
  input.on('data', onData)
  closing.addEventListener('abort', onClosing)
  gone.addEventListener('abort', onGone)
  if (closing.aborted) onClosing()
  if (gone.aborted) onGone()
  const working = work(settings, intake, idle).catch((error: unknown) => void settings.errorOf(error))
  try {
    for await (const piece of spool.pieces()) {
      yield piece
      idle.refresh()
    }
    await working
  } finally {
    idle.end()
    closing.removeEventListener('abort', onClosing)
    gone.removeEventListener('abort', onGone)
    intake.stop(new AppError('TIMED_OUT'))
    await spool.close()
    linger(settings)
  }
}

/** A client that still writes would not read an answer to which the connection ends: it may go on for a while. */
function linger({ input, cut, limits }: Exchange): void {
  if (input.readableEnded || input.destroyed) return
  const timer = setTimeout(cut, limits.idleMs)
  timer.unref()
  input.once('close', () => clearTimeout(timer))
  input.once('end', () => clearTimeout(timer))
}

interface Intake {
  /** The next lines to take together; none when there are no more. */
  next(): Promise<Line[]>
  /** No more lines are taken; what the client still sends is read and forgotten. */
  stop(error: unknown): void
  readonly stopped: { error: unknown } | undefined
  readonly count: number
}

function openIntake(input: Readable, limits: ExchangeLimits): Intake {
  const splitter = splitLines({ maxBytes: limits.lineBytes })
  let queue: Line[] = []
  let queueBytes = 0
  let isEnded = false
  let stopped: Intake['stopped']
  let wake = () => {}
  const add = (lines: readonly Line[]) => {
    for (const it of lines) {
      queue.push(it)
      queueBytes += bytesOf(it)
    }
    if (queueBytes >= limits.queueBytes) input.pause()
    wake()
  }
  const onData = (piece: Buffer) => add(splitter.push(piece))
  input.on('data', onData)
  input.on('end', () => {
    isEnded = true
    if (stopped === undefined) add(splitter.end())
  })
  // A request that breaks off ends the answer too, and that is where it is noticed.
  input.on('error', () => {})
  const take = (): Line[] => {
    let bytes = 0
    let end = 0
    while (end < queue.length && end < limits.groupLines && bytes < limits.groupBytes) bytes += bytesOf(queue[end++]!)
    queueBytes -= bytes
    const group = queue.slice(0, end)
    queue = queue.slice(end)
    if (queueBytes < limits.queueBytes) input.resume()
    return group
  }
  return {
    async next() {
      while (queue.length === 0 && !isEnded && stopped === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return stopped === undefined ? take() : []
    },
    stop(error) {
      stopped ??= { error }
      input.off('data', onData)
      input.resume()
      wake()
    },
    get stopped() {
      return stopped
    },
    get count() {
      return splitter.count
    },
  }
}

const bytesOf = (line: Line) => line.bytes?.length ?? 0

async function work(settings: Exchange, intake: Intake, idle: Idle): Promise<void> {
  const { fromLine, spool, prepare, errorOf, cut } = settings
  const say = (lines: readonly object[]) =>
    spool.write(lines.map((it) => `${JSON.stringify(it)}\n`).join('')).catch((error: unknown) => {
      // Half a line may be in the spool: the client cannot be told any more, but that it is cut off tells it enough.
      cut()
      throw error
    })
  const tally = { answered: fromLine - 1, accepted: 0, failed: 0 }
  const take = async (group: readonly Line[], commit: () => Promise<readonly LineAnswer[]>) => {
    const answers = await idle.except(commit())
    await say(group.map(({ number }, at) => ({ line: number, ...answers[at] })))
    tally.failed += answers.filter((it) => 'error' in it).length
    tally.accepted += answers.filter((it) => !('error' in it)).length
    tally.answered = group.at(-1)!.number
  }
  let taking = Promise.resolve()
  try {
    for (let lines = await intake.next(); lines.length > 0; lines = await intake.next()) {
      const group = lines.filter((it) => it.number >= fromLine)
      const commit = group.length === 0 ? undefined : prepare(group)
      await taking
      if (commit !== undefined) taking = take(group, commit)
      // It is awaited a turn later, when an error may have come long before.
      taking.catch((error: unknown) => intake.stop(error))
      // Whoever else asks something has a turn.
      await nextTurn()
    }
    await taking
  } catch (error) {
    intake.stop(error)
  }
  await say([lastLine(intake, tally, errorOf)])
  spool.end()
}

function lastLine(
  { stopped, count }: Intake,
  { answered, accepted, failed }: { answered: number; accepted: number; failed: number },
  errorOf: Exchange['errorOf'],
): object {
  if (stopped === undefined) return { done: true, lines: count, accepted, failed }
  return { done: false, lines: answered, accepted, failed, resume_line: answered + 1, error: errorOf(stopped.error) }
}

interface Idle {
  refresh(): void
  /** While this is under way it is not the client who keeps us waiting. */
  except<T>(work: Promise<T>): Promise<T>
  end(): void
}

function watchIdle(ms: number, onIdle: () => void): Idle {
  let works = 0
  const timer = setTimeout(() => {
    timer.refresh()
    if (works === 0) onIdle()
  }, ms)
  return {
    refresh: () => void timer.refresh(),
    async except(work) {
      works += 1
      try {
        return await work
      } finally {
        works -= 1
        timer.refresh()
      }
    },
    end: () => clearTimeout(timer),
  }
}
