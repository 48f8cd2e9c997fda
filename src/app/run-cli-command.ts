import { EXIT } from '../cli/exit-code.ts'
import { runCommand } from '../cli/run.ts'
import { createCommandContext } from './command-context.ts'

const STOP_WITHIN_MS = 5_000

/** Runs one command and sets the exit code. A signal aborts the command; after five seconds it ends the process. */
export async function runCliCommand(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const stop = new AbortController()
  const stopSoon = () => {
    stop.abort()
    setTimeout(() => process.exit(EXIT.interrupted), STOP_WITHIN_MS).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stopSoon)
  process.on('disconnect', stopSoon)
  process.channel?.unref()
  // The reader of a pipe, such as `head`, may close it early; that is not an error.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runCommand(createCommandContext(env, stop.signal), args)
}
