// Checks a database file in a separate process, at the lowest priority and with a time limit.
// biome-ignore lint/style/noRestrictedImports: our own file, which opens one database and reaches no address.
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { errorMessage } from '../../domain/values/node-error.ts'
import type { IntegrityResult } from './integrity-process.ts'

/** A starting service has more urgent work. */
const START_DELAY_MS = 2_000
/** The write-ahead log grows during the check. */
const CHECK_TIMEOUT_MS = 600_000

/** Never rejects. */
export async function checkFileIntegrity(
  path: string,
  signal: AbortSignal,
  { beginAfterMs = START_DELAY_MS }: { beginAfterMs?: number } = {},
): Promise<IntegrityResult | { state: 'stopped' }> {
  try {
    await delay(beginAfterMs, undefined, { signal, ref: beginAfterMs === 0 })
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)])
    return await awaitResult(startCheckProcess(path), limit)
  } catch (error) {
    if (signal.aborted) return { state: 'stopped' }
    return { state: 'failed', reason: errorMessage(error) }
  }
}

const startCheckProcess = (path: string): ChildProcess =>
  fork(fileURLToPath(new URL('./integrity-process.ts', import.meta.url)), [path], {
    env: {},
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

function awaitResult(child: ChildProcess, signal: AbortSignal): Promise<IntegrityResult> {
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  return new Promise<IntegrityResult>((resolve, reject) => {
    // `integrity-process.ts` sends nothing else.
    child.on('message', (answer) => resolve(answer as IntegrityResult))
    child.on('error', reject)
    child.on('exit', (code, killed) =>
      reject(new Error(`the check process exited with ${killed ?? code} before it finished`)),
    )
    // The signal may have aborted before the listener was added.
    if (signal.aborted) end()
  }).finally(() => signal.removeEventListener('abort', end))
}
