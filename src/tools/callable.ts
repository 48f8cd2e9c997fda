// Something to call that is written here: its arguments are checked by the schema that the model is told.
import { z } from 'zod'
import type { Passage } from '../domain/passage.ts'
import type { Callable, ToolResult, ToolRun } from './tool.ts'

interface Definition<S extends z.ZodObject> {
  name: string
  description: string
  arguments: S
  call(args: z.output<S>, run: ToolRun): Promise<ToolResult>
}

export function callable<S extends z.ZodObject>({ name, description, call, ...it }: Definition<S>): Callable {
  const { $schema: _, ...parameters } = z.toJSONSchema(it.arguments, { io: 'input' })
  return {
    name,
    description,
    parameters,
    async call(args, run) {
      const read = it.arguments.safeParse(args)
      return read.success ? call(read.data, run) : failed(argumentFault(read.error))
    },
  }
}

export const said = (text: string, passages: readonly Passage[] = []): ToolResult => ({
  text,
  passages,
  isError: false,
})

export const failed = (text: string): ToolResult => ({ text, passages: [], isError: true })

/** The first argument that does not fit, and why. */
export function argumentFault({ issues: [issue] }: z.ZodError): string {
  const path = (issue?.path ?? []).map(String).join('.')
  const reason = issue?.message ?? 'Invalid input'
  return path === '' ? `The arguments do not fit. ${reason}.` : `The argument "${path}" does not fit. ${reason}.`
}
