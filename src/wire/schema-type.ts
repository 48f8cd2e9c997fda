// Defines a lax wire type as a zod schema: a function that parses a value, and the JSON Schema of the strict form.
import { z } from 'zod'
import { Problem, problem } from './problem.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** A schema whose `read` returns a value or a problem. An absent value never reaches `read`. */
export const wireType = <T>(
  read: (value: unknown) => T | Problem,
  input: JsonSchema,
  output: JsonSchema = input,
): z.ZodType<T, unknown> => new WireType({ type: 'custom', read, input, output }) as z.ZodType<T, unknown>

/** Adds an issue in the form that `api/validation.ts` expects, with the type in `params`. */
export function addProblem(
  payload: z.core.ParsePayload,
  inst: z.core.$ZodType,
  { type, msg }: Problem,
): z.core.ParsePayload {
  payload.issues.push({ code: 'custom', input: payload.value, inst, message: msg, params: { type } })
  return payload
}

interface WireTypeDef extends z.core.$ZodTypeDef {
  type: 'custom'
  read: (value: unknown) => unknown
  input: JsonSchema
  output: JsonSchema
}

interface WireTypeInternals extends z.core.$ZodTypeInternals {
  def: WireTypeDef
}

/** Cheaper than `z.unknown().transform(…)`; also required within objects, and supported by `z.toJSONSchema`. */
const WireType: z.core.$constructor<z.ZodType<unknown, unknown, WireTypeInternals>> = z.core.$constructor(
  'WireType',
  (inst, def) => {
    z.ZodType.init(inst, def)
    inst._zod.parse = (payload) => {
      const result = payload.value === undefined ? problem('missing') : def.read(payload.value)
      if (result instanceof Problem) return addProblem(payload, inst, result)
      payload.value = result
      return payload
    }
    inst._zod.processJSONSchema = (context, json) =>
      Object.assign(json, context.io === 'input' ? def.input : def.output)
  },
)
