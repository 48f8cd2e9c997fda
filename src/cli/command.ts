// What a command is: its name, its options, the help that teaches it, and what it does.
import { parseArgs } from 'node:util'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'

export interface Option {
  type: 'string' | 'boolean'
  multiple?: boolean
  help: string
  /** How the value is called in the help. */
  value?: string
}
export type Options = Readonly<Record<string, Option>>

type Value<O extends Option> = O['type'] extends 'boolean' ? boolean : O extends { multiple: true } ? string[] : string
export type Values<O extends Options> = { [K in keyof O]?: Value<O[K]> }

export interface Definition<O extends Options> {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** What stands after the name: "SOURCE [options]". */
  usage: string
  /** How many words it takes beside its options. */
  words: { min: number; max: number }
  options: O
  /** What it does, and examples. */
  help: string
  run(context: Context, input: { values: Values<O>; words: string[] }): Promise<ExitCode>
}

export interface Command extends Pick<Definition<Options>, 'name' | 'summary' | 'usage' | 'options' | 'help'> {
  run(context: Context, args: readonly string[]): Promise<ExitCode>
}

/** Ends a command with a sentence for the person who gave it. */
export class CommandError extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export function command<const O extends Options>(definition: Definition<O>): Command {
  const { name, words, usage } = definition
  return {
    ...definition,
    run(context, args) {
      const input = parsed(definition.options, args, name)
      const wrong = input.words.length < words.min || input.words.length > words.max
      if (wrong) throw new CommandError(EXIT.usage, `Usage: pharos ${name} ${usage}\n"pharos help ${name}" says more.`)
      return definition.run(context, input)
    },
  }
}

function parsed<O extends Options>(
  options: O,
  args: readonly string[],
  name: string,
): { values: Values<O>; words: string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as Values<O>, words: positionals }
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. To specify a positional') : [String(error)]
    throw new CommandError(EXIT.usage, `${reason}\n"pharos help ${name}" lists the options.`, { cause: error })
  }
}

/** A whole number, of which the option is named if it is none. */
export function wholeNumber(
  text: string | undefined,
  option: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  throw new CommandError(EXIT.usage, `--${option} must be a whole number from ${min} to ${max}, not "${text}".`)
}

export function oneOf<T extends string>(text: string | undefined, option: string, known: readonly T[]): T | undefined {
  if (text === undefined || (known as readonly string[]).includes(text)) return text as T | undefined
  throw new CommandError(EXIT.usage, `--${option} must be one of ${known.join(', ')}, not "${text}".`)
}

export const JSON_OPTION = { type: 'boolean', help: 'print the result as JSON, for programs' } as const
export const ONLINE_OPTIONS = {
  url: { type: 'string', value: 'URL', help: 'address of the service (else PHAROS_URL, else this machine)' },
  key: {
    type: 'string',
    value: 'KEY',
    help: 'API key (else PHAROS_API_KEY, else DATA_DIR/admin-api-key of this machine)',
  },
  json: JSON_OPTION,
} as const
