// Starts the program like a user, on a free port with its own data folder, and removes both afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import nodeStart from '../node-start.json' with { type: 'json' }
import { type Client, connect } from './http.ts'
import { databaseOf } from './record.ts'

export interface ServerOptions {
  /** An existing folder, which is kept. Without it, `stop` removes the new folder unless `keep` is set. */
  dataDir?: string
  keep?: boolean
  env?: Record<string, string>
  /** Words before the command, such as `['prlimit', '--nofile=64']`. */
  launcher?: readonly string[]
  /** For Node, after those of `npm start`. */
  flags?: readonly string[]
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Server {
  url: string
  key: string
  dataDir: string
  pid: number
  /** Sends one request with the administrator's key; `headers` may replace it. */
  api: Client
  /** Sends SIGTERM, after 20 s SIGKILL, and waits for the end. Removes the data folder if `launch` created it. */
  stop(): Promise<Exit>
  /** Sends SIGKILL. The data folder stays until `stop`. */
  kill(): Promise<Exit>
  /** Resolves when the process ends, for any reason. */
  readonly exited: Promise<Exit>
  /** The output so far, at least its last MiB. */
  output(): string
}

const ROOT = join(import.meta.dirname, '..')
/** Every program of a run shares it: without it, a start takes twice the processor time. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compile')
/** Garbage is collected later, which saves a tenth of a start. The program of a user needs less memory instead. */
const TEST_FLAGS = ['--initial-heap-size=96']
const KEY = 'test-administrator-key-0123456789'
/** Ends a start that hangs. It does not measure speed: at a load of 40 on two cores, a start took more than a minute. */
const START_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 20_000
const MAX_OUTPUT = 1 << 20
const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** For tests: the program ends with the test, or with the file if it is started at the top of the file. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  let server: Server | undefined
  after(async () => void (await server?.stop()))
  server = await launch({ flags: TEST_FLAGS, ...options })
  return server
}

/** For everything that is not a test: the caller must call `stop`. */
export async function launch({
  dataDir,
  keep,
  env = {},
  launcher = [],
  flags = [],
}: ServerOptions = {}): Promise<Server> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'pharos-')))
  const [command, ...words] = [...launcher, process.execPath, ...nodeStart.flags, ...flags, 'src/main.ts']
  const child = spawn(command!, words, {
    cwd: ROOT,
    env: {
      ...nodeStart.env,
      ...inherited(),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: folder,
      ADMIN_API_KEY: KEY,
      // Most tests do not need vectors, and embedding takes processor time.
      EMBEDDING: 'off',
      ...(await databaseOf(folder)),
      ...env,
    },
    // The channel carries no message. It closes when the test ends, for any reason, and then the program ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const watched = watch(child)
  const remove = dataDir === undefined && !keep ? () => rm(folder, { recursive: true, force: true }) : async () => {}
  const key = env.ADMIN_API_KEY ?? KEY
  try {
    const url = await address(child, watched)
    return handle({ child, watched, url, key, dataDir: folder, remove })
  } catch (error) {
    child.kill('SIGKILL')
    await remove()
    throw error
  }
}

/** Removes the settings of the person who runs the tests from the program's environment. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

interface Watched {
  exited: Promise<Exit>
  output(): string
}

function watch(child: ChildProcess): Watched {
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (text: string) => {
      output += text
      if (output.length > 2 * MAX_OUTPUT) output = output.slice(-MAX_OUTPUT)
    })
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  exited.catch(() => {})
  return { exited, output: () => output }
}

async function address(child: ChildProcess, { exited, output }: Watched): Promise<string> {
  const timeout = new AbortController()
  const found = new Promise<string>((resolve) => {
    const look = () => {
      const match = /http:\/\/[^\s"]+/.exec(output())
      if (match === null) return
      child.stdout?.off('data', look)
      resolve(new URL(match[0]).origin)
    }
    child.stdout?.on('data', look)
  })
  const late = delay(START_TIMEOUT_MS, undefined, { signal: timeout.signal })
  late.catch(() => {})
  const first = await Promise.race([found, exited, late])
  timeout.abort()
  if (typeof first === 'string') return first
  const why =
    first === undefined ? `no address within ${START_TIMEOUT_MS} ms` : `ended with ${first.signal ?? first.code}`
  throw new Error(`the program did not start: ${why}\n${output()}`)
}

interface Started {
  child: ChildProcess
  watched: Watched
  url: string
  key: string
  dataDir: string
  remove: () => Promise<void>
}

function handle({ child, watched, url, key, dataDir, remove }: Started): Server {
  const { exited, output } = watched
  const api = connect(url, key)
  hold(child, false)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    hold(child, true)
    child.kill(signal)
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    const exit = await exited
    clearTimeout(force)
    api.close()
    return exit
  }
  const stop = async () => {
    const exit = await end('SIGTERM')
    await remove()
    return exit
  }
  return {
    url,
    key,
    dataDir,
    pid: child.pid!,
    api,
    stop,
    kill: () => end('SIGKILL'),
    output,
    get exited() {
      hold(child, true)
      return exited
    },
  }
}

/** Lets the test file end while the program runs, because the hook that stops the program runs at that end. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const parts = [child, child.channel, child.stdout, child.stderr] as (
    | { ref(): void; unref(): void }
    | null
    | undefined
  )[]
  for (const it of parts) {
    if (isHeld) it?.ref()
    else it?.unref()
  }
}

/** Each question takes processor time of both programs, so a longer wait asks less often. */
const SHORTEST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/** Repeats the question until the answer is not undefined or false. It waits at most a fifth longer than necessary. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  what: string,
  timeoutMs = 60_000,
): Promise<Exclude<T, false | undefined>> {
  const begin = performance.now()
  for (;;) {
    const value = await condition()
    if (value !== undefined && value !== false) return value as Exclude<T, false | undefined>
    const waitedMs = performance.now() - begin
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}`)
    await delay(Math.min(Math.max(waitedMs / 5, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS))
  }
}

/** Waits until everything accepted is searchable. */
export const settled = (server: Pick<Server, 'api'>, timeoutMs = 90_000): Promise<true> =>
  waitFor(async () => (await pending(server)) === 0 || undefined, 'an empty queue', timeoutMs) as Promise<true>

/** The number of accepted changes that are not searchable yet; undefined while the program is not ready. */
export async function pending({ api }: Pick<Server, 'api'>): Promise<number | undefined> {
  const { status, body } = await api('GET', '/health/ready')
  return status === 200 ? (body as { data: { pending: number } }).data.pending : undefined
}
