// The processes that a start runs, and the signal that ends them.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

// After SIGTERM the process ends within 10 s. The program ends itself after 9 s, because it logs more than a SIGKILL.
const GRACE_MS = Number(process.env.START_GRACE_MS ?? 9_500)

const children = new Set()
export let stopSignal
export const stopping = new AbortController()
/** Whether the service has answered requests since this start. */
export let wasUp = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))

/** Resolves with the exit code. `onText` gets the text of piped output. */
export function run(command, args, options, onText) {
  return new Promise((resolve, reject) => {
    if (stopSignal) return resolve(exitCodeOf(stopSignal))
    const child = spawn(command, args, options)
    children.add(child)
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText)
    child.channel?.unref()
    child.once('error', reject)
    // The only message: the service accepts requests.
    child.on('message', () => {
      wasUp = true
    })
    child.once('close', (code, signal) => {
      children.delete(child)
      resolve(code ?? exitCodeOf(signal))
    })
  })
}

// Handles the first signal only: a terminal signals the whole group, and npm forwards the same signal again.
function stop(signal) {
  if (stopSignal) return
  stopSignal = signal
  stopping.abort()
  for (const child of children) {
    // Windows has no signals, and `kill` would terminate the child. There the closed channel asks it to stop.
    if (process.platform === 'win32' && child.channel) child.disconnect()
    else child.kill(signal)
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
  }
}

export function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0)
}
