// Reads lines and writes result lines at the same time, over one request of any length. Clients may write everything
// before they read, do both at once, or stall. docs/decisions/0040-batch.md explains the limits.
import type { Readable } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import { type NumberedLine, splitLines } from './split-lines.ts'
import type { Spool } from './spool.ts'

export interface NdjsonBatchLimits {
  lineBytes: number
  /** Maximum lines, and bytes, of a group. */
  groupLines: number
  groupBytes: number
  /** Bytes of queued lines at which reading pauses. */
  queueBytes: number
  /** Timeout of a client that neither sends nor reads a byte. */
  idleMs: number
  /** Grace period of a request when the service shuts down. */
  shutdownMs: number
}

export const NDJSON_BATCH_LIMITS: Readonly<NdjsonBatchLimits> = {
  lineBytes: 32 << 20,
  groupLines: 128,
  groupBytes: 1 << 20,
  queueBytes: 2 << 20,
  idleMs: 60_000,
  shutdownMs: 3_000,
}

/** The result of a line, without its number. */
export type LineResult = { error: object } | Record<string, unknown>

export interface NdjsonBatch {
  input: Readable
  spool: Spool
  /** Lines before this one are skipped. */
  fromLine: number
  limits: NdjsonBatchLimits
  /**
   * Parses a group of lines at once. The returned function processes them and resolves with a result for each, in order;
   * it is called when the previous group is done. If it rejects, the group has no results and the batch stops.
   */
  prepareGroup(lines: readonly NumberedLine[]): () => Promise<readonly LineResult[]>
  /** Converts an error to a response body. */
  toErrorBody(error: unknown): object
  /** Aborted when the service shuts down. */
  closing: AbortSignal
  /** Aborted when the client disconnects. */
  clientGone: AbortSignal
  /** Destroys the connection. */
  disconnect(): void
}

/** Yields the response. Lines are also read while no chunk is requested. */
export async function* runNdjsonBatch(settings: NdjsonBatch): AsyncGenerator<Buffer> {
  const { input, spool, limits, closing, clientGone, disconnect } = settings
  const intake = openLineIntake(input, limits)
  const stop = (error: AppError) => {
    intake.stop(error)
    if (input.readableEnded) disconnect()
  }
  const idleTimer = startIdleTimer(limits.idleMs, () =>
    intake.stopped === undefined ? stop(new AppError('TIMED_OUT')) : disconnect(),
  )
  const onData = () => idleTimer.refresh()
  const onClosing = () => {
    intake.stop(new AppError('SHUTTING_DOWN'))
    setTimeout(disconnect, limits.shutdownMs).unref()
  }
  const onGone = () => {
    intake.stop(new AppError('TIMED_OUT'))
    void spool.close()
  }
  input.on('data', onData)
  closing.addEventListener('abort', onClosing)
  clientGone.addEventListener('abort', onGone)
  if (closing.aborted) onClosing()
  if (clientGone.aborted) onGone()
  const processing = processLines(settings, intake, idleTimer).catch(
    (error: unknown) => void settings.toErrorBody(error),
  )
  try {
    for await (const chunk of spool.chunks()) {
      yield chunk
      idleTimer.refresh()
    }
    await processing
  } finally {
    idleTimer.stop()
    closing.removeEventListener('abort', onClosing)
    clientGone.removeEventListener('abort', onGone)
    intake.stop(new AppError('TIMED_OUT'))
    await spool.close()
    linger(settings)
  }
}

/** A client that is still writing would miss the response if the connection closed now, so closing is delayed. */
function linger({ input, disconnect, limits }: NdjsonBatch): void {
  if (input.readableEnded || input.destroyed) return
  const timer = setTimeout(disconnect, limits.idleMs)
  timer.unref()
  input.once('close', () => clearTimeout(timer))
  input.once('end', () => clearTimeout(timer))
}

interface LineIntake {
  /** The next group of lines; empty at the end of the input. */
  nextGroup(): Promise<NumberedLine[]>
  /** Stops processing. Further input is read and discarded. */
  stop(error: unknown): void
  readonly stopped: { error: unknown } | undefined
  readonly count: number
}

function openLineIntake(input: Readable, limits: NdjsonBatchLimits): LineIntake {
  const splitter = splitLines({ maxBytes: limits.lineBytes })
  let queue: NumberedLine[] = []
  let queueBytes = 0
  let isEnded = false
  let stopped: LineIntake['stopped']
  let wake = () => {}
  const add = (lines: readonly NumberedLine[]) => {
    for (const it of lines) {
      queue.push(it)
      queueBytes += lineBytes(it)
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
  // A broken request also breaks the response, where it is handled.
  input.on('error', () => {})
  const take = (): NumberedLine[] => {
    let bytes = 0
    let end = 0
    for (const line of queue) {
      if (end === limits.groupLines || bytes >= limits.groupBytes) break
      bytes += lineBytes(line)
      end++
    }
    queueBytes -= bytes
    const group = queue.slice(0, end)
    queue = queue.slice(end)
    if (queueBytes < limits.queueBytes) input.resume()
    return group
  }
  return {
    async nextGroup() {
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

const lineBytes = (line: NumberedLine) => line.bytes?.length ?? 0

async function processLines(settings: NdjsonBatch, intake: LineIntake, idleTimer: IdleTimer): Promise<void> {
  const { fromLine, spool, prepareGroup, toErrorBody, disconnect } = settings
  const writeLines = (lines: readonly object[]) =>
    spool.write(lines.map((it) => `${JSON.stringify(it)}\n`).join('')).catch((error: unknown) => {
      // The spool may end with half a line, so no error can be sent. Disconnecting tells the client.
      disconnect()
      throw error
    })
  const counts = { answered: fromLine - 1, accepted: 0, failed: 0 }
  const processGroup = async (group: readonly NumberedLine[], commit: () => Promise<readonly LineResult[]>) => {
    const answers = await idleTimer.pausedDuring(commit())
    await writeLines(group.map(({ number }, at) => ({ line: number, ...answers[at] })))
    counts.failed += answers.filter((it) => 'error' in it).length
    counts.accepted += answers.filter((it) => !('error' in it)).length
    counts.answered = group.at(-1)?.number ?? counts.answered
  }
  let processing = Promise.resolve()
  try {
    for (let lines = await intake.nextGroup(); lines.length > 0; lines = await intake.nextGroup()) {
      const group = lines.filter((it) => it.number >= fromLine)
      const commit = group.length === 0 ? undefined : prepareGroup(group)
      await processing
      if (commit !== undefined) processing = processGroup(group, commit)
      // The promise is awaited in the next iteration; an earlier rejection must not go unhandled.
      processing.catch((error: unknown) => intake.stop(error))
      // Let other requests run.
      await yieldToEventLoop()
    }
    await processing
  } catch (error) {
    intake.stop(error)
  }
  await writeLines([summaryLine(intake, counts, toErrorBody)])
  spool.end()
}

function summaryLine(
  { stopped, count }: LineIntake,
  { answered, accepted, failed }: { answered: number; accepted: number; failed: number },
  errorOf: NdjsonBatch['toErrorBody'],
): object {
  if (stopped === undefined) return { done: true, lines: count, accepted, failed }
  return { done: false, lines: answered, accepted, failed, resume_line: answered + 1, error: errorOf(stopped.error) }
}

interface IdleTimer {
  refresh(): void
  /** Suspends the timeout while this work runs, because the client is not the cause of the wait. */
  pausedDuring<T>(work: Promise<T>): Promise<T>
  stop(): void
}

function startIdleTimer(ms: number, onIdle: () => void): IdleTimer {
  let pendingWork = 0
  const timer = setTimeout(() => {
    timer.refresh()
    if (pendingWork === 0) onIdle()
  }, ms)
  return {
    refresh: () => void timer.refresh(),
    async pausedDuring(work) {
      pendingWork += 1
      try {
        return await work
      } finally {
        pendingWork -= 1
        timer.refresh()
      }
    },
    stop: () => clearTimeout(timer),
  }
}
