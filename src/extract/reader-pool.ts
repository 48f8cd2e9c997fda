// The processes that read: few, kept warm, renewed after so many files, ended when a file holds one up.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ChildProcess, fork } from './child-process.ts'
import type { Limits } from './extraction.ts'
import { MEMORY_MARK, type ReaderReply, type ReadRequest } from './reader-messages.ts'
import type { ReadingEvent } from './reading.ts'

export interface ReaderPool {
  /** Answers when the reading has ended, in whatever way. Rejects when `signal` or `close` ends it. */
  read(job: PoolJob, take: (event: ReadingEvent) => void): Promise<ReadingResult>
  close(): Promise<void>
}

export interface PoolJob {
  source: { bytes: Uint8Array } | { path: string; size: number }
  name: string
  mediaType: string | null
  password: string | null
  limits: Limits
  signal: AbortSignal
  /** In a process that has read nothing before. */
  isAlone?: boolean
}

export interface ReadingResult {
  end: ReadingEnd
  /** Whether its process had read nothing before. */
  isFirst: boolean
}

export type ReadingEnd = { verdict: 'ok' } | { verdict: 'limit' | 'damaged'; detail: string }

interface Process {
  child: ChildProcess
  files: number
  errors: string
  /** What it held in memory after its last file. */
  heldBytes: number
  /** Ends it when it has been idle for long. */
  idle: NodeJS.Timeout | undefined
}

/** Parsers leak: PDFium keeps fonts, and what JavaScript keeps nobody knows. */
const MAX_FILES = 200
/** Memory of WebAssembly grows and never shrinks: after a large file the next one would have less. */
const MAX_HELD_BYTES = 256 << 20
const IDLE_MS = 60_000
/** After the time limit, within which a process that is not stuck ends by itself. */
const GRACE_MS = 1_000

export function createReaderPool(settings: { processes: number }): ReaderPool {
  const idle: Process[] = []
  const all = new Set<Process>()
  const waiting: (() => void)[] = []
  let busy = 0
  let isClosed = false

  return {
    async read(job, take) {
      await turn(job.signal)
      try {
        return await readIn(await processFor(job), job, take)
      } finally {
        busy--
        waiting.shift()?.()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...all].map(end))
    },
  }

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (busy >= settings.processes) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      const onAbort = () => resolve()
      signal.addEventListener('abort', onAbort)
      await promise
      signal.removeEventListener('abort', onAbort)
      const at = waiting.indexOf(resolve)
      if (at >= 0) waiting.splice(at, 1)
      else if (signal.aborted) waiting.shift()?.()
      signal.throwIfAborted()
    }
    if (isClosed) throw closed()
    busy++
  }

  async function processFor({ isAlone = false }: PoolJob): Promise<Process> {
    const warm = idle.pop()
    clearTimeout(warm?.idle)
    if (warm !== undefined && !isAlone) return warm
    if (warm !== undefined) await end(warm)
    const started: Process = { child: startChild(), files: 0, errors: '', heldBytes: 0, idle: undefined }
    all.add(started)
    const onGone = () => {
      clearTimeout(started.idle)
      all.delete(started)
      const at = idle.indexOf(started)
      if (at >= 0) idle.splice(at, 1)
    }
    started.child.once('close', onGone)
    // Where the system has no room for another process, there is no `close`.
    started.child.once('error', onGone)
    started.child.stderr?.on('data', (text) => {
      started.errors = (started.errors + text).slice(-4_000)
    })
    await Promise.race([once(started.child, 'message'), once(started.child, 'close')])
    if (isClosed) throw closed()
    if (isGone(started.child)) throw new Error(`The process that reads files did not start: ${started.errors}`)
    return started
  }

  async function readIn(it: Process, job: PoolJob, take: (event: ReadingEvent) => void): Promise<ReadingResult> {
    hold(it.child)
    const isFirst = it.files === 0
    const result = await converse(it, job, take).catch(async (error) => {
      await end(it)
      throw error
    })
    it.files++
    const isWell = result.verdict === 'ok' && !job.signal.aborted && !isClosed
    if (isWell && it.files < MAX_FILES && it.heldBytes < MAX_HELD_BYTES) rest(it)
    else await end(it)
    job.signal.throwIfAborted()
    // It was not the file that ended it.
    if (isClosed && result.verdict !== 'ok') throw closed()
    return { end: result, isFirst }
  }

  function rest(it: Process): void {
    letGo(it.child)
    idle.push(it)
    it.idle = setTimeout(() => {
      idle.splice(idle.indexOf(it), 1)
      it.child.kill('SIGKILL')
    }, IDLE_MS).unref()
  }
}

const closed = () => new Error('The extraction is closed.')

async function converse(it: Process, job: PoolJob, take: (event: ReadingEvent) => void): Promise<ReadingEnd> {
  const { child } = it
  const { promise, resolve } = Promise.withResolvers<ReadingEnd>()
  const onMessage = (reply: ReaderReply) => {
    if ('events' in reply) for (const event of reply.events) take(event)
    if (!('done' in reply)) return
    it.heldBytes = reply.heldBytes
    resolve({ verdict: 'ok' })
  }
  const onClose = (code: number | null, signal: string | null) => resolve(endOf(it.errors, code, signal))
  const onAbort = () => resolve({ verdict: 'limit', detail: 'aborted' })
  const timer = setTimeout(() => resolve({ verdict: 'limit', detail: 'time' }), job.limits.timeMs + GRACE_MS)
  child.on('message', onMessage)
  child.once('close', onClose)
  job.signal.addEventListener('abort', onAbort)
  try {
    const failure = await Promise.race([send(child, job), promise.then(() => null)])
    if (failure !== null) throw failure
    return await promise
  } finally {
    clearTimeout(timer)
    child.off('message', onMessage)
    child.off('close', onClose)
    job.signal.removeEventListener('abort', onAbort)
  }
}

/** Answers with what went wrong on our side of the pipe: a file that cannot be opened. A dead process shows otherwise. */
async function send(child: ChildProcess, { source, ...job }: PoolJob): Promise<Error | null> {
  const size = 'bytes' in source ? source.bytes.length : source.size
  const { name, mediaType, password, limits } = job
  const request: ReadRequest = { size, name, mediaType, password, limits }
  child.send(request, () => {})
  const { stdin } = child
  if (stdin === null) return null
  if ('bytes' in source) {
    stdin.write(source.bytes)
    return null
  }
  try {
    let sent = 0
    for await (const piece of createReadStream(source.path, { end: Math.max(0, size - 1) }) as AsyncIterable<Buffer>) {
      if (stdin.destroyed) return null
      sent += piece.length
      if (!stdin.write(piece) && !stdin.destroyed) await drained(stdin)
    }
    return sent === size || size === 0 ? null : new Error(`${source.path} was changed while it was read.`)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Or gone, which is told by the end of the process. */
const drained = (stdin: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stdin.off('drain', done)
      stdin.off('close', done)
      resolve()
    }
    stdin.once('drain', done)
    stdin.once('close', done)
  })

function endOf(errors: string, code: number | null, signal: string | null): ReadingEnd {
  if (errors.includes(MEMORY_MARK) || /heap out of memory|Allocation failed/i.test(errors))
    return { verdict: 'limit', detail: 'memory' }
  return { verdict: 'damaged', detail: `Its reader ended at this file (${signal ?? `code ${code}`}).` }
}

/** The program itself and its packages, wherever they lie. */
function readable(): string[] {
  const own = ['../', '../../package.json'].map((it) => fileURLToPath(new URL(it, import.meta.url)))
  const packages = /^.*[\\/]node_modules[\\/]/.exec(fileURLToPath(import.meta.resolve('@embedpdf/pdfium')))?.[0]
  return [...own, packages ?? ''].map((it) => `--allow-fs-read=${it}`)
}

function startChild(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./reader-process.ts', import.meta.url)), [], {
    // Nothing of the service's environment, and no right but to read itself: neither the data, nor writing, nor programs,
    // nor native code.
    env: {},
    execArgv: ['--permission', ...readable(), '--allow-worker', '--max-old-space-size=384', '--no-warnings'],
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  // A process that ends while it is written to is told by its end.
  child.stdin?.on('error', () => {})
  child.on('error', () => {})
  return child
}

const isGone = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** An idle process keeps nobody from ending; one that reads does. */
function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const pipe of [child.stdin, child.stderr])
    if (pipe !== null && 'unref' in pipe) (pipe as { unref(): void }).unref()
}

async function end({ child }: Process): Promise<void> {
  if (isGone(child)) return
  hold(child)
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
