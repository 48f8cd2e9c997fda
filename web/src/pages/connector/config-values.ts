// The configuration of a connector as texts of a form, by field, and back.
import type { ConnectorSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

export type FieldKind = 'text' | 'number' | 'flag' | 'lines' | 'json'

export interface ConfigField {
  name: string
  help: string | null
  kind: FieldKind
  /** Values that the source offers; any text if empty. */
  choices: readonly string[]
}

/** A text for each field; an empty one stands for none. */
export type ConfigTexts = Readonly<Record<string, string>>

type Schema = Readonly<Record<string, unknown>>
const isSchema = (it: unknown): it is Schema => typeof it === 'object' && it !== null && !Array.isArray(it)

/** Fields that older clients send and no connector reads. */
const IGNORED = /^Accepted for compatibility; ignored\b/

/** The fields of the schema, and those that only the stored configuration has. */
export function fieldsOf(schema: Schema | undefined, config: Readonly<Record<string, unknown>>): ConfigField[] {
  const properties = isSchema(schema?.properties) ? schema.properties : {}
  const names = [...new Set([...Object.keys(properties), ...Object.keys(config)])]
  return names.flatMap((name) => {
    const property = properties[name]
    const field = isSchema(property) ? fieldOf(name, property) : untypedField(name, config[name])
    return IGNORED.test(field.help ?? '') && config[name] === undefined ? [] : [field]
  })
}

function fieldOf(name: string, schema: Schema): ConfigField {
  const help = typeof schema.description === 'string' ? schema.description : null
  const options = alternativesOf(schema)
  const types = options.map((it) => it.type)
  const choices = options.flatMap((it) =>
    Array.isArray(it.enum) ? it.enum.filter((one) => typeof one === 'string') : [],
  )
  const kindOf = (): FieldKind => {
    if (options.some((it) => it.type === 'array' && isSchema(it.items) && it.items.type === 'string')) return 'lines'
    if (types.includes('array') || types.includes('object')) return 'json'
    if (types.includes('boolean')) return 'flag'
    if (types.includes('string')) return 'text'
    return types.includes('integer') || types.includes('number') ? 'number' : 'json'
  }
  return { name, help, kind: kindOf(), choices }
}

function alternativesOf(schema: Schema): Schema[] {
  if (!Array.isArray(schema.anyOf)) return [schema]
  return schema.anyOf.filter(isSchema).flatMap(alternativesOf)
}

function untypedField(name: string, value: unknown): ConfigField {
  const kinds: Record<string, FieldKind> = { string: 'text', number: 'number', boolean: 'flag' }
  return { name, help: null, kind: kinds[typeof value] ?? 'json', choices: [] }
}

export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((it) => typeof it === 'string')) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

const SCHEDULE = [
  ['refresh_freq', 60],
  ['prune_freq', 3_600],
] as const

export function textsOfConnector(connector: ConnectorSnapshot, fields: readonly ConfigField[]): ConfigTexts {
  const config = fields.map(({ name }) => [name, textOfValue(connector.connector_specific_config[name])] as const)
  const schedule = SCHEDULE.map(([name, unit]) => {
    const seconds = connector[name]
    return [`:${name}`, seconds === null ? '' : String(seconds / unit)] as const
  })
  return Object.fromEntries([...schedule, ...config])
}

/** Throws an error with a message for the person. */
export function connectorOfTexts(texts: ConfigTexts, fields: readonly ConfigField[]) {
  const config = fields.flatMap((field): [string, unknown][] => {
    const text = texts[field.name] ?? ''
    return text.trim() === '' ? [] : [[field.name, parseText(field, text)]]
  })
  const [refresh_freq = null, prune_freq = null] = SCHEDULE.map(([name, unit]) => {
    const text = (texts[`:${name}`] ?? '').trim()
    return text === '' ? null : Math.round(numberOf(text, labelOfField(`:${name}`)) * unit)
  })
  return { connector_specific_config: Object.fromEntries(config), refresh_freq, prune_freq }
}

function parseText({ kind, name }: ConfigField, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'flag') return text === 'true'
  if (kind === 'number') return numberOf(text, labelOfField(name))
  if (kind === 'lines')
    return text
      .split('\n')
      .map((it) => it.trim())
      .filter((it) => it !== '')
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(textsOf('admin.connector.config')('no_json', { field: labelOfField(name) }))
  }
}

function numberOf(text: string, field: string): number {
  const value = Number(text.trim().replace(',', '.'))
  if (!Number.isFinite(value) || value < 0) throw new Error(textsOf('admin.connector.config')('no_number', { field }))
  return value
}

/** The schedule is part of the form, but not of the configuration of the source. */
export function labelOfField(name: string): string {
  const t = textsOf('admin.connector.config')
  if (name === ':refresh_freq') return t('refresh')
  if (name === ':prune_freq') return t('prune')
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface Difference {
  name: string
  before: string
  after: string
}

export const differenceOf = (before: ConfigTexts, after: ConfigTexts): Difference[] =>
  Object.keys({ ...before, ...after }).flatMap((name) => {
    const [from, to] = [before[name] ?? '', after[name] ?? '']
    return from.trim() === to.trim() ? [] : [{ name, before: from, after: to }]
  })
