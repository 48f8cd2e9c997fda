// Runs the evaluation of the ranking as a program of its own: it belongs to bench/, which starts servers to measure.
// biome-ignore lint/style/noRestrictedImports: our own script, on collections that the person at the terminal names.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { OfflineOperations } from '../cli/context.ts'
import { EXIT, type ExitCode } from '../cli/exit-code.ts'

const SCRIPT = join(import.meta.dirname, '../../bench/eval.ts')

/** The output goes to the terminal. Resolves to the exit code; an abort stops the program. */
export async function runEvaluation(
  folders: readonly string[],
  options: Parameters<OfflineOperations['evaluate']>[1],
  signal: AbortSignal,
): Promise<ExitCode> {
  const args = Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : typeof value === 'string' ? [`--${name}=${value}`] : [],
  )
  const child = spawn(process.execPath, [...process.execArgv, SCRIPT, ...args, '--', ...folders], {
    stdio: 'inherit',
    signal,
    killSignal: 'SIGINT',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return isExitCode(code) ? code : EXIT.software
}

const isExitCode = (code: number | null): code is ExitCode =>
  code === 0 || (Object.values(EXIT) as (number | null)[]).includes(code)
