// Reads the JSON Schema of an object as the fields of a form, and the values of the form as that object.

type Json = Record<string, unknown>

export type FieldKind =
  | { type: 'text' | 'secret' | 'date' | 'json'; maxLength?: number }
  | { type: 'number'; min?: number; max?: number; isWhole: boolean }
  | { type: 'boolean' }
  | { type: 'choice'; choices: readonly string[] }
  | { type: 'list'; isNumeric: boolean }
  | { type: 'rows'; columns: readonly string[] }

export interface Field {
  name: string
  kind: FieldKind
  isRequired: boolean
  /** The description of the schema, for fields without a text of their own. */
  description: string
  /** The effect of an absent value, if the schema tells it. */
  usual: string
}

/** A list has a line for each item, rows have JSON, a boolean is `true`, `false` or empty. */
export type Values = Readonly<Record<string, string>>

/** Undefined if there is none. A field may have any name, such as `constructor`. */
export const valueIn = (values: Values, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Fields that have no effect of their own are left out. */
export function readFields(schema: Json): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(asObject(schema.properties)).map(([name, it]) => {
    const property = asObject(it)
    const usual = property['x-default'] ?? property.default
    return {
      isHidden: property['x-hidden'] === true,
      name,
      kind: readKind(property),
      isRequired: required.includes(name) || property['x-required'] === true,
      description: typeof property.description === 'string' ? property.description : '',
      usual: usual === undefined || usual === null ? '' : String(usual),
    }
  })
  return fields.filter((it) => !it.isHidden)
}

function readKind(property: Json): FieldKind {
  const branches = [property.anyOf ?? property.oneOf ?? property].flat().map(asObject)
  const inner = branches.find((it) => it.type !== 'null') ?? {}
  // A choice in any case is a choice or a text.
  if (Array.isArray(inner.anyOf)) return readKind(inner)
  const { type, format, maxLength } = inner
  if (Array.isArray(inner.enum)) return { type: 'choice', choices: inner.enum.map(String) }
  if (type === 'boolean') return { type: 'boolean' }
  if (type === 'integer' || type === 'number') {
    const { minimum, maximum } = inner
    return { type: 'number', isWhole: type === 'integer', ...numbers({ min: minimum, max: maximum }) }
  }
  if (type === 'array') return readList(asObject(inner.items))
  if (type !== 'string') return { type: 'json' }
  const kind = property.writeOnly === true ? 'secret' : format === 'date' || format === 'date-time' ? 'date' : 'text'
  return { type: kind, ...numbers({ maxLength }) }
}

function readList(items: Json): FieldKind {
  const columns = Object.keys(asObject(items.properties))
  if (columns.length > 0) return { type: 'rows', columns }
  return { type: 'list', isNumeric: items.type === 'integer' || items.type === 'number' }
}

const numbers = <Name extends string>(given: Record<Name, unknown>): Partial<Record<Name, number>> => {
  const found: Partial<Record<Name, number>> = {}
  for (const name in given) {
    const it = given[name]
    if (typeof it === 'number' && Number.isFinite(it)) found[name] = it
  }
  return found
}

const asObject = (it: unknown): Json => (typeof it === 'object' && it !== null && !Array.isArray(it) ? { ...it } : {})

/** Empty fields are left out, so that the defaults of the service apply; a required switch is always sent. */
export function toObject(fields: readonly Field[], values: Values): Json {
  const given = fields.flatMap((field): [string, unknown][] => {
    const value = toValue(field, valueIn(values, field.name) ?? '')
    return value === undefined ? [] : [[field.name, value]]
  })
  return Object.fromEntries(given)
}

function toValue({ kind, isRequired, usual }: Field, text: string): unknown {
  if (kind.type === 'boolean') {
    const isOn = text === '' ? usual === 'true' : text === 'true'
    return isRequired || String(isOn) !== usual ? isOn : undefined
  }
  if (text.trim() === '') return undefined
  if (kind.type === 'number') return toNumber(text)
  if (kind.type === 'list') {
    const items = linesOf(text)
    return kind.isNumeric ? items.map(toNumber) : items
  }
  if (kind.type === 'rows') return readRows(text).filter((row) => Object.values(row).some((it) => it !== ''))
  if (kind.type === 'json') return parseJson(text)
  // Spaces may belong to a password; around an address they are a slip.
  return kind.type === 'secret' ? text : text.trim()
}

/** The service explains what is wrong with a text. */
const toNumber = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The rows of a field of that kind. */
export function readRows(text: string): Record<string, string>[] {
  const rows = parseJson(text === '' ? '[]' : text)
  if (!Array.isArray(rows)) return []
  return rows.map((row) => Object.fromEntries(Object.entries(asObject(row)).map(([key, it]) => [key, String(it)])))
}

export type FieldErrors = Readonly<Record<string, string>>

/** Sorts the errors of an answer: those below `root` belong to fields, the others to nobody. */
export function errorsAtFields(
  errors: readonly { loc: readonly (string | number)[]; msg: string }[],
  root: string,
  fields: readonly Field[],
): { atFields: FieldErrors; others: string[] } {
  const atFields: Record<string, string> = {}
  const others: string[] = []
  for (const { loc, msg } of errors) {
    const name = String(loc[loc.indexOf(root) + 1] ?? '')
    if (loc.includes(root) && fields.some((it) => it.name === name)) atFields[name] ??= msg
    else others.push(msg)
  }
  return { atFields, others }
}
