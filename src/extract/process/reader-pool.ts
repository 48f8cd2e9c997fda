// A small pool of reader processes. They are reused, replaced after a number of files, and killed when a file exceeds
// its limits.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createSemaphore } from '../../flow/semaphore.ts'
import type { ExtractLimits } from '../extraction.ts'
import type { FileKind } from '../file-kind.ts'
import type { ReaderEvent } from '../reader.ts'
import { type ChildProcess, fork } from './child-process.ts'
import { MEMORY_LIMIT_MARKER, type ReaderReply, type ReadFileRequest } from './reader-messages.ts'

export interface ReaderPool {
  /** Resolves when the reading has ended, successfully or not. Rejects if `signal` or `close` aborts it. */
  read(job: PoolJob, onEvent: (event: ReaderEvent) => void): Promise<ReadResult>
  close(): Promise<void>
}

export interface PoolJob {
  source: { bytes: Uint8Array } | { path: string; size: number }
  name: string
  mediaType: string | null
  as: FileKind | null
  password: string | null
  limits: ExtractLimits
  /** Zero-based: the pixels of this page are requested, which arrive as one event. Null: the text of the file. */
  picturePage: number | null
  keepsPictures: boolean
  signal: AbortSignal
  /** Requires a process that has not read any file. */
  needsNewProcess?: boolean
}

export interface ReadResult {
  end: ReadEnd
  /** Whether the process had not read any file before. */
  wasNewProcess: boolean
}

export type ReadEnd = { verdict: 'ok' } | { verdict: 'limit' | 'damaged'; detail: string }

interface ReaderProcess {
  child: ChildProcess
  files: number
  errors: string
  /** Resident memory after its last file. */
  heldBytes: number
  /** Kills the process after it has been idle. */
  idle: NodeJS.Timeout | undefined
}

/** Parsers leak memory; PDFium, for example, keeps fonts. */
const MAX_FILES = 200
/** WebAssembly memory never shrinks, so the next file would have less available. */
const MAX_HELD_BYTES = 256 << 20
const IDLE_MS = 60_000
/** Added to the time limit, so that a process that is not stuck ends by itself. */
const GRACE_MS = 1_000

export function createReaderPool(settings: { processes: number }): ReaderPool {
  const idleProcesses: ReaderProcess[] = []
  const allProcesses = new Set<ReaderProcess>()
  const semaphore = createSemaphore(settings.processes)
  // Looked up once, because the lookup opens a file and must not fail when none can be opened.
  const readPermissions = findReadPermissions()
  let isClosed = false

  return {
    read: (job, onEvent) =>
      semaphore.run(async () => {
        if (isClosed) throw poolClosedError()
        return readInProcess(await acquireProcess(job), job, onEvent)
      }, job.signal),
    async close() {
      isClosed = true
      await Promise.all([...allProcesses].map(killProcess))
    },
  }

  async function acquireProcess({ needsNewProcess = false }: PoolJob): Promise<ReaderProcess> {
    const idleProcess = idleProcesses.pop()
    clearTimeout(idleProcess?.idle)
    if (idleProcess !== undefined && !needsNewProcess) return idleProcess
    if (idleProcess !== undefined) await killProcess(idleProcess)
    const started = startReaderProcess(readPermissions, forgetProcess)
    allProcesses.add(started)
    await Promise.race([once(started.child, 'message'), once(started.child, 'close')])
    if (isClosed) throw poolClosedError()
    if (hasExited(started.child)) throw new Error(`The reader process did not start: ${started.errors}`)
    return started
  }

  function forgetProcess(it: ReaderProcess): void {
    clearTimeout(it.idle)
    allProcesses.delete(it)
    const at = idleProcesses.indexOf(it)
    if (at >= 0) idleProcesses.splice(at, 1)
  }

  async function readInProcess(
    it: ReaderProcess,
    job: PoolJob,
    onEvent: (event: ReaderEvent) => void,
  ): Promise<ReadResult> {
    keepAlive(it.child)
    const wasNewProcess = it.files === 0
    const result = await runJob(it, job, onEvent).catch(async (error) => {
      await killProcess(it)
      throw error
    })
    it.files++
    const isReusable = result.verdict === 'ok' && !job.signal.aborted && !isClosed
    if (isReusable && it.files < MAX_FILES && it.heldBytes < MAX_HELD_BYTES) returnToPool(it)
    else await killProcess(it)
    job.signal.throwIfAborted()
    // The pool was closed, so this is not an error of the file.
    if (isClosed && result.verdict !== 'ok') throw poolClosedError()
    return { end: result, wasNewProcess }
  }

  function returnToPool(it: ReaderProcess): void {
    allowExit(it.child)
    idleProcesses.push(it)
    it.idle = setTimeout(() => {
      idleProcesses.splice(idleProcesses.indexOf(it), 1)
      it.child.kill('SIGKILL')
    }, IDLE_MS).unref()
  }
}

const poolClosedError = () => new Error('The extractor is closed.')

function startReaderProcess(readPermissions: readonly string[], onExit: (it: ReaderProcess) => void): ReaderProcess {
  const started: ReaderProcess = {
    child: startChild(readPermissions),
    files: 0,
    errors: '',
    heldBytes: 0,
    idle: undefined,
  }
  started.child.once('close', () => onExit(started))
  // A failed fork emits no `close`.
  started.child.once('error', () => onExit(started))
  started.child.stderr?.on('data', (text) => {
    started.errors = (started.errors + text).slice(-4_000)
  })
  return started
}

async function runJob(it: ReaderProcess, job: PoolJob, onEvent: (event: ReaderEvent) => void): Promise<ReadEnd> {
  const { child } = it
  const { promise, resolve } = Promise.withResolvers<ReadEnd>()
  const onMessage = (reply: ReaderReply) => {
    if ('events' in reply) for (const event of reply.events) onEvent(event)
    if (!('done' in reply)) return
    it.heldBytes = reply.heldBytes
    resolve({ verdict: 'ok' })
  }
  const onClose = (code: number | null, signal: string | null) => resolve(endOfExitedProcess(it.errors, code, signal))
  const onAbort = () => resolve({ verdict: 'limit', detail: 'aborted' })
  const timer = setTimeout(() => resolve({ verdict: 'limit', detail: 'time' }), job.limits.timeMs + GRACE_MS)
  child.on('message', onMessage)
  child.once('close', onClose)
  job.signal.addEventListener('abort', onAbort)
  // The signal may have aborted while the process started.
  if (job.signal.aborted) onAbort()
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

/** Returns an error on this side of the pipe, such as an unreadable file. A dead process is detected by its exit. */
async function send(child: ChildProcess, { source, ...job }: PoolJob): Promise<Error | null> {
  const size = 'bytes' in source ? source.bytes.length : source.size
  const { name, mediaType, as, password, limits, picturePage, keepsPictures } = job
  const request: ReadFileRequest = { size, name, mediaType, as, password, limits, picturePage, keepsPictures }
  child.send(request, () => {})
  const { stdin } = child
  if (stdin === null) return null
  if ('bytes' in source) {
    stdin.write(source.bytes)
    return null
  }
  try {
    const file: AsyncIterable<Buffer> = createReadStream(source.path, { end: Math.max(0, size - 1) })
    let sent = 0
    for await (const chunk of file) {
      if (stdin.destroyed) return null
      sent += chunk.length
      if (!stdin.write(chunk) && !stdin.destroyed) await waitForDrain(stdin)
    }
    return sent === size || size === 0 ? null : new Error(`${source.path} changed while it was read.`)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Also resolves when the pipe closes; the exit of the process is handled elsewhere. */
const waitForDrain = (stdin: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stdin.off('drain', done)
      stdin.off('close', done)
      resolve()
    }
    stdin.once('drain', done)
    stdin.once('close', done)
  })

function endOfExitedProcess(errors: string, code: number | null, signal: string | null): ReadEnd {
  if (errors.includes(MEMORY_LIMIT_MARKER) || /heap out of memory|Allocation failed/i.test(errors))
    return { verdict: 'limit', detail: 'memory' }
  return { verdict: 'damaged', detail: `The reader process crashed on this file (${signal ?? `code ${code}`}).` }
}

/** Grants read access to the program and its packages only. */
function findReadPermissions(): string[] {
  const own = ['../../', '../../../package.json'].map((it) => fileURLToPath(new URL(it, import.meta.url)))
  const packages = /^.*[\\/]node_modules[\\/]/.exec(fileURLToPath(import.meta.resolve('@embedpdf/pdfium')))?.[0]
  return [...own, packages ?? ''].map((it) => `--allow-fs-read=${it}`)
}

function startChild(readPermissions: readonly string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL('./reader-process.ts', import.meta.url)), [], {
    // No environment variables, and no permissions except reading the program: no data, no writes, no subprocesses, no
    // native code.
    env: {},
    execArgv: ['--permission', ...readPermissions, '--allow-worker', '--max-old-space-size=384', '--no-warnings'],
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  // Write errors are ignored: the exit of the process reports them.
  child.stdin?.on('error', () => {})
  child.on('error', () => {})
  return child
}

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Only a busy process keeps the service alive. */
function keepAlive(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function allowExit(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const pipe of [child.stdin, child.stderr])
    if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
}

async function killProcess({ child }: ReaderProcess): Promise<void> {
  if (hasExited(child)) return
  keepAlive(child)
  const closing = once(child, 'close')
  child.kill('SIGKILL')
  await closing
}
