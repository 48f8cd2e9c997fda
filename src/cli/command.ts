// Defines commands: names, options, help and implementation.
import { parseArgs } from 'node:util'
import type { CommandContext } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'

export interface CommandOption {
  type: 'string' | 'boolean'
  multiple?: boolean
  help: string
  /** The placeholder for the value in the help. */
  value?: string
}
export type CommandOptions = Readonly<Record<string, CommandOption>>

type OptionValue<O extends CommandOption> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string
export type OptionValues<O extends CommandOptions> = { [K in keyof O]?: OptionValue<O[K]> }

/** Undefined if there are too few or too many arguments. */
export type ReadPositionals<P> = (given: readonly string[]) => P | undefined

export const onePositional: ReadPositionals<string> = ([only, ...more]) => (more.length === 0 ? only : undefined)

export const noPositionals: ReadPositionals<readonly string[]> = (given) => (given.length === 0 ? given : undefined)

export const somePositionals: ReadPositionals<readonly string[]> = (given) => (given.length > 0 ? given : undefined)

export interface CommandDefinition<O extends CommandOptions, P> {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** The arguments after the name, such as "SOURCE [options]". */
  usage: string
  positionals: ReadPositionals<P>
  options: O
  /** Describes the command, with examples. */
  help: string
  run(context: CommandContext, input: { values: OptionValues<O>; positionals: P }): Promise<ExitCode>
}

export interface Command
  extends Pick<CommandDefinition<CommandOptions, unknown>, 'name' | 'summary' | 'usage' | 'options' | 'help'> {
  run(context: CommandContext, args: readonly string[]): Promise<ExitCode>
}

/** Ends a command with an exit code and a message for the user. */
export class CommandError extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export function defineCommand<const O extends CommandOptions, P>(definition: CommandDefinition<O, P>): Command {
  const { name, usage } = definition
  return {
    ...definition,
    run(context, args) {
      const input = parseInput(definition.options, args, name)
      const positionals = definition.positionals(input.positionals)
      if (positionals === undefined)
        throw new CommandError(EXIT.usage, `Usage: pharos ${name} ${usage}\nSee "pharos help ${name}".`)
      return definition.run(context, { values: input.values, positionals })
    },
  }
}

function parseInput<O extends CommandOptions>(
  options: O,
  args: readonly string[],
  name: string,
): { values: OptionValues<O>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as OptionValues<O>, positionals: positionals }
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. To specify a positional') : [String(error)]
    throw new CommandError(EXIT.usage, `${reason}\n"pharos help ${name}" lists the options.`, { cause: error })
  }
}

/** Parses a whole number; the error names the option. */
export function parseWholeNumber(
  text: string | undefined,
  option: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  throw new CommandError(EXIT.usage, `--${option} must be a whole number from ${min} to ${max}, not "${text}".`)
}

export function parseChoice<T extends string>(text: string, option: string, known: readonly T[]): T {
  const choice = known.find((it) => it === text)
  if (choice !== undefined) return choice
  throw new CommandError(EXIT.usage, `--${option} must be one of ${known.join(', ')}, not "${text}".`)
}

export const JSON_OPTION = { type: 'boolean', help: 'print the result as JSON, for programs' } as const
export const SERVICE_OPTIONS = {
  url: { type: 'string', value: 'URL', help: 'address of the service (default: PHAROS_URL, then this machine)' },
  key: {
    type: 'string',
    value: 'KEY',
    help: 'API key (default: PHAROS_API_KEY, then DATA_DIR/admin-api-key of this machine)',
  },
  json: JSON_OPTION,
} as const
