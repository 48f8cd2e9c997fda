// Decides about unknown fields of a request: rejected if they resemble a known field, otherwise ignored and reported.
// docs/wire.md describes the rules.
import { z } from 'zod'
import { isPlainObject } from '../../wire/containers.ts'
import { problem } from '../../wire/problem.ts'
import type { AnyRoute } from '../route.ts'
import { definitionOf, findUnknownFields, type UnknownField } from './unknown-fields.ts'
import { locSegment, type ValidationError } from './validation.ts'

export interface UnknownFieldReport {
  errors: ValidationError[]
  /** Paths of ignored fields, such as `body.document.colour`. */
  ignored: string[]
}

/** Routes with these access policies ignore unknown fields instead of rejecting them. */
const LENIENT_ACCESS = new Set(['public', 'authenticated', 'metrics', 'chat', 'read:chat', 'files'])

export const rejectsUnknownFields = ({ access }: Pick<AnyRoute, 'access'>): boolean =>
  (Array.isArray(access) ? access : [access]).some((it) => !LENIENT_ACCESS.has(it))

/** Checks query and body, and detects fields that belong in the other one. */
export function checkRequestFields(
  it: AnyRoute,
  { query, body }: { query: unknown; body: unknown },
): UnknownFieldReport {
  const queryReport = checkUnknownFields(it, { schema: it.query ?? EMPTY_SCHEMA, input: query, root: ['query'] })
  const bodyReport =
    it.body === undefined ? EMPTY_REPORT : checkUnknownFields(it, { schema: it.body, input: body, root: ['body'] })
  if (!rejectsUnknownFields(it)) return mergeReports(queryReport, bodyReport)
  return mergeReports(
    withMisplacedFields(queryReport, { root: 'query', fields: fieldNamesOf(it.body), sent: body }),
    withMisplacedFields(bodyReport, { root: 'body', fields: fieldNamesOf(it.query), sent: query }),
  )
}

const EMPTY_SCHEMA = z.object({})
const EMPTY_REPORT: UnknownFieldReport = { errors: [], ignored: [] }

const mergeReports = (left: UnknownFieldReport, right: UnknownFieldReport): UnknownFieldReport => ({
  errors: [...left.errors, ...right.errors],
  ignored: [...left.ignored, ...right.ignored],
})

export interface CheckedInput {
  schema: z.ZodType
  input: unknown
  root: readonly string[]
  /** Fields of the outermost object that clients may send and that nothing uses. */
  ignoredFields?: readonly string[] | undefined
}

export function checkUnknownFields(
  it: Pick<AnyRoute, 'access'>,
  { schema, input, root, ignoredFields }: CheckedInput,
): UnknownFieldReport {
  const { fields, hasMore } = findUnknownFields(schema, input, { root, ignoredFields })
  const isRejected = (field: UnknownField) => field.allowedFields !== null || field.suggestions.length > 0
  const rejected = rejectsUnknownFields(it) ? fields.filter(isRejected) : []
  const errors = rejected.map((field) => ({
    loc: field.loc.map(locSegment),
    type: 'extra_forbidden',
    msg: unknownFieldMessage(field),
  }))
  if (hasMore && rejectsUnknownFields(it)) errors.push({ loc: [...root], ...problem('too_many_unknown') })
  return { errors, ignored: fields.filter((field) => !rejected.includes(field)).map(dottedPath) }
}

function unknownFieldMessage({ suggestions, allowedFields }: UnknownField): string {
  if (suggestions.length > 0) return `Unknown field. Did you mean ${joinWithOr(suggestions)}?`
  return `Unknown field. Allowed fields: ${(allowedFields ?? []).join(', ')}.`
}

const joinWithOr = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

const dottedPath = ({ loc }: UnknownField): string => loc.map((it) => locSegment(it)).join('.')

/** Turns ignored fields that the other part of the request knows into errors. */
function withMisplacedFields(
  { errors, ignored }: UnknownFieldReport,
  { root, fields, sent }: { root: 'query' | 'body'; fields: readonly string[]; sent: unknown },
): UnknownFieldReport {
  const absent = fields.filter((it) => !isPlainObject(sent) || !Object.hasOwn(sent, it))
  const found = absent.filter((it) => ignored.includes(`${root}.${it}`))
  const msg =
    root === 'query'
      ? 'Send this field in the body, not in the query.'
      : 'Send this field in the query, not in the body.'
  return {
    errors: [...errors, ...found.map((it) => ({ loc: [root, it], type: 'extra_forbidden', msg }))],
    ignored: ignored.filter((it) => !found.includes(it.slice(root.length + 1))),
  }
}

/** Field names of the outermost object. */
function fieldNamesOf(schema: z.core.$ZodType | undefined): string[] {
  const def = schema && definitionOf(schema)
  switch (def?.type) {
    case 'object':
      return Object.keys(def.shape)
    case 'optional':
    case 'nullable':
    case 'default':
      return fieldNamesOf(def.innerType)
    case 'pipe':
      return fieldNamesOf(def.in)
  }
  return []
}
