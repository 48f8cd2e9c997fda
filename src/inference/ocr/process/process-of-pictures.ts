// One process that recognises text: starting it, sending it a picture, and ending it.
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { GreyPicture } from '../../../domain/pictures/grey-picture.ts'
import { RecognitionError } from '../recognition-error.ts'
import { type ChildProcess, fork } from './child-process.ts'
import {
  MEMORY_LIMIT_MARKER,
  type RecognisedText,
  type RecogniserReply,
  TIME_LIMIT_MARKER,
} from './recogniser-messages.ts'

export interface RecogniserProcess {
  /** To be called for one picture at a time. Rejects with the reason of the signal or with a RecognitionError. */
  read(picture: GreyPicture, signal: AbortSignal): Promise<RecognisedText>
  hasEnded(): boolean
  /** Resident memory after its last picture. */
  heldBytes(): number
  /** Kills the process. */
  end(): Promise<void>
}

/** Others come first, but a busy machine reads pictures too: beside a busy thread it gets a tenth of a processor. */
const NICE = 10
/**
 * The service takes blocks above 128 KiB from the system. Here each tensor would get new pages then: a dense A4 page took 10
 * seconds of processor time with these limits, 12.5 with 4 MiB. The runtime would report its use to its maker.
 */
const ENVIRONMENT = {
  MALLOC_MMAP_THRESHOLD_: String(32 << 20),
  MALLOC_TRIM_THRESHOLD_: String(64 << 20),
  MALLOC_ARENA_MAX: '2',
  ORT_DISABLE_TELEMETRY: '1',
}

export interface ProcessLimits {
  /** Resident memory. */
  memoryBytes: number
  /** Processor time for one picture. */
  processorMs: number
}

export function startRecogniserProcess(limits: ProcessLimits): RecogniserProcess {
  const child = startChild(limits)
  let errors = ''
  let heldBytes = 0
  child.stderr?.on('data', (text) => {
    errors = (errors + text).slice(-4_000)
  })
  // A failed start emits no `close`.
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.on('error', ({ message }) => {
      errors += message
      if (child.pid === undefined) resolve()
    })
  })
  return {
    async read(picture, signal) {
      keepAlive(child)
      const reply = await awaitReply(child, picture, { signal, closed, explain: () => explainEnd(child, errors) })
      if ('failure' in reply) throw new RecognitionError(`The text of the picture cannot be read: ${reply.failure}`)
      allowExit(child)
      heldBytes = reply.heldBytes
      return reply.recognised
    },
    hasEnded: () => hasExited(child),
    heldBytes: () => heldBytes,
    async end() {
      if (hasExited(child)) return
      keepAlive(child)
      child.kill('SIGKILL')
      await closed
    },
  }
}

function startChild({ memoryBytes, processorMs }: ProcessLimits): ChildProcess {
  const program = fileURLToPath(new URL('./recogniser-process.ts', import.meta.url))
  const child = fork(program, [memoryBytes, processorMs].map(String), {
    env: ENVIRONMENT,
    // It writes nothing and starts no processes.
    execArgv: ['--permission', '--allow-fs-read=*', '--allow-addons', '--allow-worker', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  // Its threads begin later and inherit the priority. It must not be higher than that of the service.
  if (child.pid !== undefined) setPriority(child.pid, Math.max(NICE, getPriority()))
  return child
}

interface ReplyContext {
  signal: AbortSignal
  closed: Promise<void>
  explain: () => string
}

async function awaitReply(
  child: ChildProcess,
  picture: GreyPicture,
  { signal, closed, explain }: ReplyContext,
): Promise<RecogniserReply> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<RecogniserReply>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  child.on('message', resolve)
  // The end of a process says that it is dead.
  child.send(picture, () => {})
  try {
    const ended = closed.then((): RecogniserReply => {
      throw new RecognitionError(explain())
    })
    return await Promise.race([promise, ended])
  } finally {
    signal.removeEventListener('abort', onAbort)
    child.off('message', resolve)
  }
}

function explainEnd(child: ChildProcess, errors: string): string {
  if (errors.includes(MEMORY_LIMIT_MARKER) || /heap out of memory|bad allocation|bad_alloc/.test(errors))
    return 'The text of the picture needs too much memory. Use a smaller picture.'
  if (errors.includes(TIME_LIMIT_MARKER))
    return 'The text of the picture takes too much processor time. Use a smaller picture.'
  const how = child.signalCode ?? `code ${child.exitCode}`
  return `The process that reads the text of pictures ended (${how}). Try the picture again. ${errors.trim()}`.trim()
}

const hasExited = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null

/** Only a busy process keeps the service alive. */
function keepAlive(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function allowExit(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  if (child.stderr !== null && 'unref' in child.stderr && typeof child.stderr.unref === 'function') child.stderr.unref()
}
