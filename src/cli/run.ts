// From the words of a command line to an exit code: finds the command, or teaches which there are.
import { ApiError } from '../client/api.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { backup } from './backup.ts'
import { type Command, CommandError, type Options } from './command.ts'
import type { Context } from './context.ts'
import { evaluate } from './eval.ts'
import { EXIT, EXIT_HELP, type ExitCode } from './exit-code.ts'
import { ingest } from './ingest.ts'
import { key } from './key.ts'
import { reindex } from './reindex.ts'
import { restore } from './restore.ts'
import { search } from './search.ts'
import { secrets } from './secrets.ts'
import { status } from './status.ts'
import { plain } from './terminal.ts'
import { upgrade } from './upgrade.ts'

const COMMANDS: readonly Command[] = [ingest, search, status, key, backup, restore, reindex, secrets, upgrade, evaluate]
const SERVE = 'serve'

export async function runCommand(context: Context, args: readonly string[]): Promise<ExitCode> {
  const { terminal } = context
  const [name = 'help', ...rest] = args
  try {
    if (['help', '--help', '-h'].includes(name)) return teach(context, rest[0])
    const command = COMMANDS.find((it) => it.name === name)
    if (command === undefined) throw unknown(name)
    if (rest.includes('--help') || rest.includes('-h')) return teach(context, name)
    return await command.run(context, rest)
  } catch (error) {
    if (context.signal.aborted) {
      terminal.note(error instanceof CommandError ? error.message : 'Stopped.')
      return EXIT.interrupted
    }
    const known = explained(error)
    if (known === undefined) throw error
    terminal.note(known.message.split('\n').map(plain).join('\n'))
    return known.exitCode
  }
}

function unknown(name: string): CommandError {
  const names = [SERVE, ...COMMANDS.map((it) => it.name)].join(', ')
  return new CommandError(
    EXIT.usage,
    `There is no command "${name}". The commands are ${names}; "pharos help" explains them.`,
  )
}

function teach({ terminal }: Context, name: string | undefined): ExitCode {
  if (name === undefined) {
    terminal.say(overview())
    return 0
  }
  const command = COMMANDS.find((it) => it.name === name)
  if (command === undefined) throw unknown(name)
  terminal.say(
    `${command.summary}\n\nUsage: npm run pharos -- ${name} ${command.usage}\n\n${command.help}\n\nOptions:\n${optionList(command.options)}`,
  )
  return 0
}

export function overview(): string {
  const rows = COMMANDS.map((it) => `  ${it.name.padEnd(10)}${it.summary}`)
  return `Pharos: enterprise search in one process.

Usage: npm run pharos -- COMMAND [words and options]

  ${SERVE.padEnd(10)}Starts the service, as "npm start" does.
${rows.join('\n')}
  help      Explains a command: npm run pharos -- help ingest

The service is the one of PHAROS_URL with the key of PHAROS_API_KEY; without them the one of this machine, with the
administrator key in DATA_DIR. Results go to the standard output, everything else to the error stream.

${EXIT_HELP}`
}

function optionList(options: Options): string {
  return Object.entries(options)
    .map(([name, { value, help }]) => `  ${`--${name}${value === undefined ? '' : ` ${value}`}`.padEnd(22)}${help}`)
    .join('\n')
}

/** Undefined for what nobody foresaw. */
function explained(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  if (error instanceof AppError) return new CommandError(EXIT_OF[error.code] ?? EXIT.config, error.message)
  if (error instanceof ApiError) return new CommandError(exitCodeOf(error), answered(error))
  if (!(error instanceof Error)) return undefined
  // What `fetch` throws: the reason is one level down.
  if (error.message === 'fetch failed') {
    const reason =
      error.cause instanceof Error ? error.cause.message || ('code' in error.cause ? String(error.cause.code) : '') : ''
    return new CommandError(
      EXIT.unavailable,
      `The service cannot be reached: ${reason}. Is it running, and is --url right?`,
    )
  }
  return 'syscall' in error
    ? new CommandError(EXIT_OF_FILE[(error as NodeJS.ErrnoException).code ?? ''] ?? EXIT.ioError, error.message)
    : undefined
}

const EXIT_OF: Partial<Record<ErrorCode, ExitCode>> = {
  DATA_IN_USE: EXIT.tryAgain,
  RECORD_MISSING: EXIT.noInput,
  RECORD_EXISTS: EXIT.cannotCreate,
  RECORD_IN_USE: EXIT.tryAgain,
  RECORD_DAMAGED: EXIT.data,
  BACKUP_EXISTS: EXIT.cannotCreate,
  BACKUP_INVALID: EXIT.data,
  STORE_FULL: EXIT.ioError,
  STORE_UNAVAILABLE: EXIT.tryAgain,
}

const EXIT_OF_FILE: Record<string, ExitCode> = {
  ENOENT: EXIT.noInput,
  EISDIR: EXIT.noInput,
  EEXIST: EXIT.cannotCreate,
  EACCES: EXIT.noPermission,
  EPERM: EXIT.noPermission,
}

function exitCodeOf({ status }: ApiError): ExitCode {
  if (status === 401 || status === 403) return EXIT.noPermission
  if (status === 429 || status === 503) return EXIT.tryAgain
  return status >= 500 ? EXIT.unavailable : EXIT.data
}

const answered = ({ detail, status, request_id }: ApiError): string =>
  `${detail}${status >= 500 && request_id !== null ? ` (HTTP ${status}, request ${request_id})` : ''}`
