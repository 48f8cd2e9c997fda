// Defines a built-in callable. The schema that the model gets also validates its arguments.
import { z } from 'zod'
import type { Passage } from '../../domain/chat/passage.ts'
import type { Callable, ToolResult, ToolRun } from '../tool.ts'

interface CallableDefinition<S extends z.ZodObject> {
  name: string
  description: string
  arguments: S
  call(args: z.output<S>, run: ToolRun): Promise<ToolResult>
}

export function defineCallable<S extends z.ZodObject>({
  name,
  description,
  call,
  ...it
}: CallableDefinition<S>): Callable {
  const { $schema: _, ...parameters } = z.toJSONSchema(it.arguments, { io: 'input' })
  return {
    name,
    description,
    parameters,
    async call(args, run) {
      const read = it.arguments.safeParse(args)
      return read.success ? call(read.data, run) : errorResult(describeArgumentError(read.error))
    },
  }
}

export const okResult = (text: string, passages: readonly Passage[] = []): ToolResult => ({
  text,
  passages,
  isError: false,
})

export const errorResult = (text: string): ToolResult => ({ text, passages: [], isError: true })

/** Describes the first invalid argument. */
export function describeArgumentError({ issues: [issue] }: z.ZodError): string {
  const path = (issue?.path ?? []).map(String).join('.')
  const reason = issue?.message ?? 'Invalid input'
  return path === '' ? `The arguments are invalid. ${reason}.` : `The argument "${path}" is invalid. ${reason}.`
}
