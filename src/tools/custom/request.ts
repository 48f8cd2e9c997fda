// Builds a request from an operation and its arguments. A value that a model writes cannot change the path, add a
// parameter or reach another host.
import { AppError } from '../../domain/errors.ts'
import { isPlainObject } from '../../wire/containers.ts'
import type { Operation, Parameter } from './operation.ts'

export interface ToolRequest {
  method: Operation['method']
  url: URL
  /** Names are in lower case. */
  headers: Record<string, string>
  body: string | undefined
}

type ToolArguments = Readonly<Record<string, unknown>>

/** INVALID_INPUT names the argument that cannot be sent. */
export function buildRequest(operation: Operation, args: ToolArguments): ToolRequest {
  const argumentOf = (it: Parameter) => (Object.hasOwn(args, it.argument) ? args[it.argument] : undefined)
  const present = operation.parameters.filter((it) => argumentOf(it) !== undefined && argumentOf(it) !== null)
  const valuesIn = (place: Parameter['in']) =>
    present.filter((it) => it.in === place).map((it) => [it, argumentOf(it)] as const)
  const query = valuesIn('query').flatMap(([it, value]) => queryPairs(it, value))
  const body = operation.bodyArgument === null ? undefined : args[operation.bodyArgument]
  return {
    method: operation.method,
    url: buildUrl(operation, new Map(valuesIn('path').map(([it, value]) => [it.name, pathValue(it, value)])), query),
    headers: {
      accept: 'application/json, text/*;q=0.9, */*;q=0.5',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(valuesIn('header').map(([it, value]) => [it.name.toLowerCase(), headerValue(it, value)])),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

function buildUrl(operation: Operation, values: ReadonlyMap<string, string>, query: readonly string[]): URL {
  const server = URL.parse(operation.server)
  if (server === null) throw invalidInput(`The address of the server, "${operation.server}", is not a valid URL.`)
  const filledPath = operation.path
    .replaceAll('#', '%23')
    .replace(/\{([^{}]*)\}/g, (_, name: string) => values.get(name) ?? throwMissing(name))
  const [path = '', ...fixed] = filledPath.split('?')
  // WHATWG URL, 4.1: dot segments climb, also if they are percent-encoded.
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path))
    throw invalidInput('A path argument must not be "." or "..".')
  const base = server.pathname.replace(/\/$/, '')
  const search = [...(fixed.length > 0 ? [fixed.join('?')] : []), ...query].join('&')
  const url = new URL(`${server.origin}${base}${path}${search === '' ? '' : `?${search}`}`)
  if (url.origin !== server.origin) throw invalidInput('The request would leave the server in the definition.')
  return url
}

const throwMissing = (name: string): never => {
  throw invalidInput(`The argument "${name}" is missing.`)
}

/** RFC 3986, 2.3: encodes everything but unreserved characters. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

const stringifyValue = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)

const serializeJson = (it: Parameter, value: unknown): unknown => (it.isJson ? JSON.stringify(value) : value)

function pathValue(it: Parameter, given: unknown): string {
  const value = serializeJson(it, given)
  const text = styledPath(it, value)
  // Without its id, DELETE /users/{id} would be a different request.
  if (text === '' || (typeof value === 'string' && value === ''))
    throw invalidInput(`The argument "${it.argument}" is empty.`)
  return text
}

function styledPath({ name, style, explode }: Parameter, value: unknown): string {
  if (style === 'label') return `.${joinValue(value, explode, explode ? '.' : ',')}`
  if (style !== 'matrix') return joinValue(value, explode, ',')
  if (!explode || !isComposite(value)) return `;${percentEncode(name)}=${joinValue(value, false, ',')}`
  return encodePairs(name, value)
    .map(([key, text]) => `;${key}=${text}`)
    .join('')
}

function queryPairs(it: Parameter, given: unknown): string[] {
  const value = serializeJson(it, given)
  const name = percentEncode(it.name)
  if (!isComposite(value)) return [`${name}=${percentEncode(stringifyValue(value))}`]
  if (it.style === 'deepObject' && isPlainObject(value)) {
    return Object.entries(value).map(
      ([key, text]) => `${percentEncode(`${it.name}[${key}]`)}=${percentEncode(stringifyValue(text))}`,
    )
  }
  if (it.explode) return encodePairs(it.name, value).map(([key, text]) => `${key}=${text}`)
  const separator = it.style === 'spaceDelimited' ? '%20' : it.style === 'pipeDelimited' ? '%7C' : ','
  const text = joinValue(value, false, separator)
  return text === '' ? [] : [`${name}=${text}`]
}

function headerValue(it: Parameter, given: unknown): string {
  const value = serializeJson(it, given)
  const text = isComposite(value)
    ? flattenValue(value, it.explode)
        .map(([, part]) => part)
        .join(',')
    : stringifyValue(value)
  // RFC 9110, 5.5.
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  throw invalidInput(`The argument "${it.argument}" contains a character that headers cannot contain.`)
}

const isComposite = (value: unknown): value is readonly unknown[] | Record<string, unknown> =>
  Array.isArray(value) || isPlainObject(value)

/** Returns the items of a list, or the names and values of an object: in turn, or as `name=value` if exploded. */
function flattenValue(
  value: readonly unknown[] | Record<string, unknown>,
  isExploded: boolean,
): [string | null, string][] {
  if (Array.isArray(value)) return value.map((it) => [null, stringifyValue(it)])
  return Object.entries(value).flatMap(([key, it]): [string | null, string][] =>
    isExploded
      ? [[key, `${key}=${stringifyValue(it)}`]]
      : [
          [null, key],
          [null, stringifyValue(it)],
        ],
  )
}

function joinValue(value: unknown, explode: boolean, separator: string): string {
  if (!isComposite(value)) return percentEncode(stringifyValue(value))
  if (Array.isArray(value) || !explode)
    return flattenValue(value, false)
      .map(([, it]) => percentEncode(it))
      .join(separator)
  return encodePairs('', value)
    .map(([key, text]) => `${key}=${text}`)
    .join(separator)
}

/** Names and values are percent-encoded. */
const encodePairs = (name: string, value: readonly unknown[] | Record<string, unknown>): [string, string][] =>
  Array.isArray(value)
    ? value.map((it) => [percentEncode(name), percentEncode(stringifyValue(it))])
    : Object.entries(value).map(([key, it]) => [percentEncode(key), percentEncode(stringifyValue(it))])

const invalidInput = (reason: string) => new AppError('INVALID_INPUT', { reason })
