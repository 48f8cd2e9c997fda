// Runs one command like a user at a terminal, and returns its output and exit code.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeStart from '../../node-start.json' with { type: 'json' }
import { COMPILE_CACHE } from '../server.ts'

export interface CommandResult {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  error: string
}

export interface CommandOptions {
  dataDir?: string
  env?: Record<string, string>
  /** Typed or piped input. */
  input?: string
}

const ROOT = join(import.meta.dirname, '../..')
const running = new Set<ChildProcess>()
const folders: string[] = []
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const it of folders) rmSync(it, { recursive: true, force: true, maxRetries: 5 })
})

export interface RunningCommand {
  child: ChildProcess
  /** Output so far. */
  written(): { out: string; error: string }
  ended: Promise<CommandResult>
}

export function startCommand(
  words: readonly string[],
  { dataDir, env = {}, input }: CommandOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [...nodeStart.flags, 'src/main.ts', ...words], {
    cwd: ROOT,
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      PATH: process.env.PATH ?? '',
      HOME: dataDir ?? tmpdir(),
      ...(dataDir !== undefined && { DATA_DIR: dataDir, XDG_STATE_HOME: join(dataDir, 'state') }),
      ...env,
    },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  const written = { out: '', error: '' }
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    written.out += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    written.error += text
  })
  child.stdin?.end(input)
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, ...written })
    })
  })
  return { child, written: () => written, ended }
}

export const pharos = (words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
  startCommand(words, options).ended

/** Removed when the process of the test file ends: programs that it started may write until then. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'))
  folders.push(folder)
  return folder
}
