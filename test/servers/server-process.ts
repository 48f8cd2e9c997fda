// Third-party servers that a test starts. Each ends with its test file, however that ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

export interface ServerProcess {
  /** Ends the server and all its descendants. */
  end(): Promise<void>
}

interface Server {
  command: readonly string[]
  cwd: string
  env?: Record<string, string>
  /** Resolves when it answers. */
  probe: () => Promise<unknown>
}

const START_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 20_000
/** Ends its process group when its input ends: on request, and when the process that started it is gone. */
const KEEPER = 'trap : TERM; "$0" "$@" & read -r _; kill -s TERM 0; wait'

/** Must be called at the top of a test file: the server ends with it. */
export async function startServerProcess({ command, cwd, env = {}, probe }: Server): Promise<ServerProcess> {
  const log = join(cwd, 'server.log')
  const output = openSync(log, 'a')
  const server = spawn('sh', ['-c', KEEPER, ...command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['pipe', output, output],
    detached: true,
  })
  closeSync(output)
  hold(server, false)
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    hold(server, true)
    const exited = new Promise((resolve) => server.once('exit', resolve))
    server.stdin!.end()
    const force = setTimeout(() => killGroup(server), STOP_TIMEOUT_MS)
    await exited
    clearTimeout(force)
    killGroup(server)
  }
  after(end)
  await untilReady(probe, () => readFileSync(log, 'utf8'))
  return { end }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

/** Lets the test file end while the server runs, because the hook that stops the server runs at that end. */
function hold(server: ChildProcess, isHeld: boolean): void {
  for (const it of [server, server.stdin] as unknown as { ref(): void; unref(): void }[]) {
    if (isHeld) it.ref()
    else it.unref()
  }
}

async function untilReady(probe: () => Promise<unknown>, log: () => string): Promise<void> {
  for (const end = performance.now() + START_TIMEOUT_MS; ; await delay(50)) {
    try {
      await probe()
      return
    } catch (error) {
      if (performance.now() > end) throw new Error(`The server did not start: ${error}\n${log().slice(-2_000)}`)
    }
  }
}

/** A temporary folder, removed at the end. */
export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `pharos-${name}-`))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject()))
    })
  })

/** Any HTTP response counts as an answer. */
export async function answers(url: string): Promise<void> {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (status >= 500) throw new Error(`${url} answers ${status}`)
}
