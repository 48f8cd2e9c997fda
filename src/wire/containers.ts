// Arrays, records and unions of the wire format: zod's own, with Pydantic's errors and a limit on their number.
import { z } from 'zod'
import { type Problem, problem } from './problem.ts'
import { addProblem } from './schema-type.ts'

/** A body of a million invalid items must not produce a million errors. */
export const MAX_PROBLEMS = 100

interface WireArrayDef extends z.core.$ZodArrayDef {
  min: number
  max: number
}

/** Checks the length first: an array that is too long reports no other error. */
export const WireArray: z.core.$constructor<z.ZodArray, WireArrayDef> = z.core.$constructor(
  'WireArray',
  (inst, def) => {
    z.ZodArray.init(inst, def)
    if (def.min > 0) inst._zod.bag.minimum = def.min
    if (def.max < Number.POSITIVE_INFINITY) inst._zod.bag.maximum = def.max
    inst._zod.parse = (payload, context) => {
      const list: unknown = payload.value
      const fault = listProblem(list, def)
      if (!Array.isArray(list) || fault !== undefined) return addProblem(payload, inst, fault ?? problem('list_type'))
      const items = new Array(list.length)
      for (let index = 0; index < list.length && payload.issues.length < MAX_PROBLEMS; index++) {
        items[index] = parseInner(def.element, list[index], index, payload, context)
      }
      payload.value = items
      return payload
    }
  },
)

function listProblem(list: unknown, { min, max }: WireArrayDef): Problem | undefined {
  if (list === undefined) return problem('missing')
  if (!Array.isArray(list)) return problem('list_type')
  if (list.length > max) return problem('too_long', max, list.length)
  return list.length < min ? problem('too_short', min, list.length) : undefined
}

interface WireRecordDef extends z.core.$ZodRecordDef {
  max: number
}

/** Unlike zod's record it keeps a key named `__proto__`, as plain data. Counts the keys before reading them. */
export const WireRecord: z.core.$constructor<z.ZodRecord, WireRecordDef> = z.core.$constructor(
  'WireRecord',
  (inst, def) => {
    z.ZodRecord.init(inst, def)
    inst._zod.parse = (payload, context) => {
      const input: unknown = payload.value
      if (input === undefined) return addProblem(payload, inst, problem('missing'))
      if (!isPlainObject(input)) return addProblem(payload, inst, problem('dict_type'))
      const keys = Object.keys(input)
      if (keys.length > def.max) return addProblem(payload, inst, problem('too_many_keys', def.max, keys.length))
      const output = {}
      for (const key of keys) {
        if (payload.issues.length >= MAX_PROBLEMS) break
        const { issues } = runSchema(def.keyType, key, context)
        if (issues.length > 0) payload.issues.push(...prefixed(key, prefixed('[key]', issues)))
        setOwn(output, key, parseInner(def.valueType, input[key], key, payload, context))
      }
      payload.value = output
      return payload
    }
  },
)

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Assigning to `__proto__` would change the prototype; defining it creates an ordinary key. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

interface WireUnionDef extends z.core.$ZodUnionDef {
  names: readonly string[]
}

/** The first matching branch wins. If none matches, the errors of each branch are listed under its name. */
export const WireUnion: z.core.$constructor<z.ZodUnion, WireUnionDef> = z.core.$constructor(
  'WireUnion',
  (inst, def) => {
    z.ZodUnion.init(inst, def)
    inst._zod.parse = (payload, context) => {
      if (payload.value === undefined) return addProblem(payload, inst, problem('missing'))
      const issues: z.core.$ZodRawIssue[] = []
      for (const [index, option] of def.options.entries()) {
        const branch = runSchema(option, payload.value, context)
        if (branch.issues.length === 0) {
          payload.value = branch.value
          return payload
        }
        issues.push(...prefixed(def.names[index] ?? index, branch.issues))
      }
      payload.issues.push(...issues)
      return payload
    }
  },
)

function parseInner(
  schema: z.core.$ZodType,
  value: unknown,
  key: PropertyKey,
  outer: z.core.ParsePayload,
  context: z.core.ParseContextInternal,
): unknown {
  const inner = runSchema(schema, value, context)
  if (inner.issues.length > 0) outer.issues.push(...prefixed(key, inner.issues))
  return inner.value
}

const prefixed = (key: PropertyKey, issues: z.core.$ZodRawIssue[]) =>
  z.core.util.prefixIssues(key, issues.slice(0, MAX_PROBLEMS))

/** The wire format has no asynchronous schemas. */
function runSchema(schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal): z.core.ParsePayload {
  const result = schema._zod.run({ value, issues: [] }, context)
  if (result instanceof Promise) throw new z.core.$ZodAsyncError()
  return result
}
