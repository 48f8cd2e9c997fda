// Defines a built-in tool: its row, and the function that models call. The schema that a model gets also validates its
// arguments.
import { z } from 'zod'
import type { Passage } from '../../domain/chat/passage.ts'
import type { BuiltInToolRow } from '../../store/tools/built-in-tools.ts'
import type { StoredTool } from '../../store/tools/tools.ts'
import type { Callable, ToolResult, ToolRun } from '../tool.ts'

interface BuiltInToolDefinition<D, S extends z.ZodObject> {
  /** Its id on the wire. Clients know a tool by it: it never changes. */
  in_code_tool_id: string
  /** For models and people; unique. */
  name: string
  display_name: string
  /** For people; the model gets `descriptionForModel`. */
  description: string
  descriptionForModel: string
  /** Whether a person may select it in a chat. Default: true. */
  chat_selectable?: boolean
  /** Whether persona 0 gets the tool when it is new. Default: false. */
  default_enabled?: boolean
  arguments: S
  call(deps: D, args: z.output<S>, run: ToolRun, tool: StoredTool): Promise<ToolResult>
}

export interface BuiltInTool<D> {
  /** The row of the tool in the record. */
  row: BuiltInToolRow
  /** The function for models. `tool` is the row of the record, with its id. */
  createCallable(deps: D, tool: StoredTool): Callable
}

export function defineBuiltInTool<D, S extends z.ZodObject>({
  descriptionForModel,
  arguments: schema,
  call,
  ...row
}: BuiltInToolDefinition<D, S>): BuiltInTool<D> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  return {
    row: { chat_selectable: true, default_enabled: false, ...row },
    createCallable: (deps, tool) => ({
      name: row.name,
      description: descriptionForModel,
      parameters,
      async call(args, run) {
        const read = schema.safeParse(args)
        return read.success ? call(deps, read.data, run, tool) : errorResult(describeArgumentError(read.error))
      },
    }),
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
