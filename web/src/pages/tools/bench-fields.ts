// The arguments of an operation as fields of a form. The properties of an object, such as the body of a request, are
// fields of their own.
import { type Field, readFields, toObject, type Values, valueIn } from '../../parts/schema-form/fields.ts'

type Json = Record<string, unknown>

const isObject = (it: unknown): it is Json => typeof it === 'object' && it !== null && !Array.isArray(it)

export interface BenchField {
  /** An argument, or an argument and its property. */
  path: readonly string[]
  field: Field
}

export function benchFieldsOf(schema: Json): BenchField[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  return readFields(schema).flatMap((field) => {
    const property = ownValue(properties, field.name)
    const inner = isObject(property) && isObject(property.properties) ? readFields(property) : []
    if (inner.length === 0) return [toBenchField([field.name], field, property)]
    const innerProperties = isObject(property) && isObject(property.properties) ? property.properties : {}
    return inner.map((it) =>
      toBenchField(
        [field.name, it.name],
        { ...it, isRequired: field.isRequired && it.isRequired },
        ownValue(innerProperties, it.name),
      ),
    )
  })
}

/** Every value keeps its type: numbers to choose from, and lists of objects, are written as JSON. */
function toBenchField(path: readonly string[], field: Field, schema: unknown): BenchField {
  const { kind } = field
  const hasOtherChoices =
    isObject(schema) && Array.isArray(schema.enum) && schema.enum.some((it) => typeof it !== 'string')
  const wanted: Field['kind'] =
    kind.type === 'rows' || (kind.type === 'choice' && hasOtherChoices)
      ? { type: 'json' }
      : kind.type === 'date'
        ? { type: 'text' }
        : kind
  return { path, field: { ...field, kind: wanted, usual: '', name: path.join('.') } }
}

/** A switch that the person has not touched is left out. */
export function argumentsOf(fields: readonly BenchField[], values: Values): Json {
  const made = new Map<string, unknown>()
  for (const { path, field } of fields) {
    if (field.kind.type === 'boolean' && valueIn(values, field.name) === undefined) continue
    const value = ownValue(toObject([field], values), field.name)
    if (value === undefined) continue
    const [argument = '', property] = path
    const former = made.get(argument)
    made.set(argument, property === undefined ? value : { ...(isObject(former) && former), [property]: value })
  }
  return Object.fromEntries(made)
}

/** The values of the form that send these arguments. */
export function valuesOfArguments(fields: readonly BenchField[], given: Json): Values {
  const found = fields.flatMap(({ path, field }): [string, string][] => {
    const [argument = '', property] = path
    const outer = ownValue(given, argument)
    const value = property === undefined ? outer : ownValue(outer, property)
    return value === undefined ? [] : [[field.name, textOf(value, field)]]
  })
  return Object.fromEntries(found)
}

const ownValue = (it: unknown, name: string): unknown =>
  isObject(it) && Object.hasOwn(it, name) ? it[name] : undefined

function textOf(value: unknown, { kind }: Field): string {
  if (kind.type === 'list' && Array.isArray(value)) return value.map(String).join('\n')
  return typeof value === 'string' && kind.type !== 'json' ? value : JSON.stringify(value)
}
