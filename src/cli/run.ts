// Runs the command named in the arguments, or prints help.
import { ApiError } from '../client/api.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { errorCode } from '../domain/values/node-error.ts'
import { type Command, CommandError, type CommandOptions } from './command.ts'
import { backup } from './commands/backup.ts'
import { firstAdmin } from './commands/first-admin.ts'
import { ingest } from './commands/ingest.ts'
import { key } from './commands/key.ts'
import { model } from './commands/model.ts'
import { record } from './commands/record.ts'
import { reindex } from './commands/reindex.ts'
import { restore } from './commands/restore.ts'
import { search } from './commands/search.ts'
import { secrets } from './commands/secrets.ts'
import { status } from './commands/status.ts'
import { trash } from './commands/trash.ts'
import { upgrade } from './commands/upgrade.ts'
import type { CommandContext } from './context.ts'
import { EXIT, EXIT_HELP, type ExitCode } from './exit-code.ts'
import { toPlainText } from './terminal.ts'

const COMMANDS: readonly Command[] = [
  ingest,
  search,
  status,
  key,
  firstAdmin,
  backup,
  restore,
  reindex,
  model,
  secrets,
  record,
  trash,
  upgrade,
]
const SERVE = 'serve'

export async function runCommand(context: CommandContext, args: readonly string[]): Promise<ExitCode> {
  const { terminal } = context
  const [name = 'help', ...rest] = args
  try {
    if (['help', '--help', '-h'].includes(name)) return showHelp(context, rest[0])
    if (['version', '--version'].includes(name)) {
      terminal.print(`Pharos ${context.version}`)
      return 0
    }
    const command = COMMANDS.find((it) => it.name === name)
    if (command === undefined) throw unknownCommand(name)
    if (rest.includes('--help') || rest.includes('-h')) return showHelp(context, name)
    return await command.run(context, rest)
  } catch (error) {
    if (context.signal.aborted) {
      terminal.note(error instanceof CommandError ? error.message : 'Stopped.')
      return EXIT.interrupted
    }
    const commandError = toCommandError(error)
    if (commandError === undefined) throw error
    terminal.note(commandError.message.split('\n').map(toPlainText).join('\n'))
    return commandError.exitCode
  }
}

function unknownCommand(name: string): CommandError {
  const names = [SERVE, ...COMMANDS.map((it) => it.name)].join(', ')
  return new CommandError(
    EXIT.usage,
    `There is no command "${name}". The commands are ${names}. "pharos help" describes them.`,
  )
}

function showHelp({ terminal }: CommandContext, name: string | undefined): ExitCode {
  const text = name === undefined ? commandOverview() : BUILT_IN_HELP[name]?.()
  if (text !== undefined) {
    terminal.print(text)
    return 0
  }
  const command = COMMANDS.find((it) => it.name === name)
  if (command === undefined) throw unknownCommand(name ?? '')
  terminal.print(
    `${command.summary}\n\nUsage: npm run pharos -- ${name} ${command.usage}\n\n${command.help}\n\nOptions:\n${optionList(command.options)}`,
  )
  return 0
}

/** Help topics other than the commands with options. */
const BUILT_IN_HELP: Record<string, () => string> = {
  [SERVE]: () => `Starts the service, as "npm start" does. Ctrl-C stops it.

Usage: npm run pharos -- ${SERVE}

It takes no options. Settings are environment variables, which docs/settings.md lists. The first start prints where
the administrator key is stored.

  npm start
  PORT=9000 DATA_DIR=/srv/pharos npm run pharos -- ${SERVE}`,
  help: () => `Describes a command, or lists all commands.

Usage: npm run pharos -- help [COMMAND]

  pharos help
  pharos help ingest`,
  version: () => `Prints the version of this program.

Usage: npm run pharos -- version`,
}

export function commandOverview(): string {
  const rows = COMMANDS.map((it) => `  ${it.name.padEnd(10)}${it.summary}`)
  return `Pharos: enterprise search in one process.

Usage: npm run pharos -- COMMAND [words and options]

  ${SERVE.padEnd(10)}Starts the service, as "npm start" does.
${rows.join('\n')}
  help      Describes a command: npm run pharos -- help ingest
  version   Prints the version of this program.

Commands use the service at PHAROS_URL with the key in PHAROS_API_KEY, by default the service of this machine with the
administrator key in DATA_DIR. Results go to standard output, everything else to standard error.

${EXIT_HELP}`
}

function optionList(options: CommandOptions): string {
  return Object.entries(options)
    .map(([name, { value, help }]) => `  ${`--${name}${value === undefined ? '' : ` ${value}`}`.padEnd(22)}${help}`)
    .join('\n')
}

/** Undefined for unexpected errors. */
function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error
  if (error instanceof AppError) return new CommandError(EXIT_CODE_OF_ERROR[error.code] ?? EXIT.config, error.message)
  if (error instanceof ApiError) return new CommandError(exitCodeOf(error), describeApiError(error))
  if (!(error instanceof Error)) return undefined
  // `fetch` puts the reason into `cause`.
  if (error.message === 'fetch failed') {
    const reason =
      error.cause instanceof Error ? error.cause.message || ('code' in error.cause ? String(error.cause.code) : '') : ''
    return new CommandError(
      EXIT.unavailable,
      `The service cannot be reached: ${reason}. Check that it is running and that --url is correct.`,
    )
  }
  return 'syscall' in error
    ? new CommandError(EXIT_CODE_OF_FILE_ERROR[errorCode(error) ?? ''] ?? EXIT.ioError, error.message)
    : undefined
}

const EXIT_CODE_OF_ERROR: Partial<Record<ErrorCode, ExitCode>> = {
  DATA_IN_USE: EXIT.tryAgain,
  RECORD_MISSING: EXIT.noInput,
  RECORD_GONE: EXIT.noInput,
  RECORD_EXISTS: EXIT.cannotCreate,
  RECORD_IN_USE: EXIT.tryAgain,
  RECORD_DAMAGED: EXIT.data,
  BACKUP_EXISTS: EXIT.cannotCreate,
  BACKUP_INVALID: EXIT.data,
  STORE_FULL: EXIT.ioError,
  STORE_UNAVAILABLE: EXIT.tryAgain,
  STORE_READ_ONLY: EXIT.tryAgain,
}

const EXIT_CODE_OF_FILE_ERROR: Record<string, ExitCode> = {
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

const describeApiError = ({ detail, status, request_id }: ApiError): string =>
  `${detail}${status >= 500 && request_id !== null ? ` (HTTP ${status}, request ${request_id})` : ''}`
