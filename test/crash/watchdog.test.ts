// A program with a blocked event loop ends itself; one that was suspended from outside does not.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startServer, waitFor } from '../server.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-watchdog-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const written = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const TICK_MS = 50
const TICKS = 30

/** Prints "turn" repeatedly, and runs the given code at SIGUSR2. */
function startProgram(then: string) {
  const watchdog = pathToFileURL(resolve('src/process/watchdog.ts'))
  const path = written(
    `${Math.random()}.mjs`,
    `import { startWatchdog } from '${watchdog}'
     process.on('SIGUSR2', () => { ${then} })
     startWatchdog({ tickMs: ${TICK_MS}, ticks: ${TICKS}, onError: (error) => { throw error } })
     setInterval(() => console.log('turn'), ${TICK_MS})`,
  )
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path])
  after(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (it) => (output += it))
  const turns = () => output.match(/turn/g)?.length ?? 0
  return { child, turns, output: () => output, ended: endOf(child) }
}

const endOf = (child: ChildProcess) =>
  new Promise<string | number | null>((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)))

const lineOf = (output: string) => JSON.parse(/^\{"level":60.*$/m.exec(output)![0])

for (const [name, then] of [
  ['an endless loop', 'for (;;);'],
  ['an endless system call', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
] as const) {
  test(`${name} ends the process, and one log line says why`, async () => {
    const { child, turns, output, ended } = startProgram(then)
    await waitFor(() => turns() > 0, 'the program', 60_000)
    child.kill('SIGUSR2')
    assert.equal(await ended, 'SIGALRM')
    assert.equal(output().match(/^\{/gm)?.length, 1)
    const { pid, msg } = lineOf(output())
    assert.deepEqual([pid, msg], [child.pid, 'event loop blocked for 1.5 s; the watchdog ends the process'])
  })
}

test('a program that is suspended repeatedly for longer than the limit continues', async () => {
  const { child, turns, ended } = startProgram('')
  await waitFor(() => turns() > 0, 'the program', 60_000)
  for (let stop = 0; stop < 2; stop++) {
    child.kill('SIGSTOP')
    await delay(1.5 * TICK_MS * TICKS)
    const before = turns()
    child.kill('SIGCONT')
    await waitFor(() => turns() > before + TICKS / 2, 'the program to continue', 60_000)
  }
  assert.equal(child.exitCode ?? child.signalCode, null)
  child.kill('SIGKILL')
  assert.equal(await ended, 'SIGKILL')
})

// The service itself blocks its event loop at its start, or later at SIGUSR2.
const STANDSTILL = `import { isMainThread } from 'node:worker_threads'
if (isMainThread) {
  const end = performance.now() + ${2 * TICK_MS * TICKS}
  while (performance.now() < end);
  process.on('SIGUSR2', () => { for (;;); })
}`

test('a start has no time limit; a service that blocks later is ended', async () => {
  const path = written('standstill.mjs', STANDSTILL)
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(path)}`, WATCHDOG_TICK_MS: String(TICK_MS) }
  const server = await startServer({ env })
  assert.equal((await server.api('GET', '/health')).status, 200)
  process.kill(server.pid, 'SIGUSR2')
  assert.deepEqual(await server.exited, { code: null, signal: 'SIGALRM' })
  assert.match(lineOf(server.output()).msg, /event loop blocked/)
})
