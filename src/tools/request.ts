// An operation and its arguments as a request. Whatever a model writes is a value in its place: it never becomes another
// path, another parameter or another host.
import { AppError } from '../domain/errors.ts'
import { isPlainData } from '../domain/wire-containers.ts'
import type { Operation, Parameter } from './operation.ts'

export interface ToolRequest {
  method: Operation['method']
  url: URL
  /** By lower-case name. */
  headers: Record<string, string>
  body: string | undefined
}

type Args = Readonly<Record<string, unknown>>

/** INVALID_INPUT names the argument that cannot be sent. */
export function requestOf(operation: Operation, args: Args): ToolRequest {
  const of = (it: Parameter) => (Object.hasOwn(args, it.argument) ? args[it.argument] : undefined)
  const given = operation.parameters.filter((it) => of(it) !== undefined && of(it) !== null)
  const inPlace = (place: Parameter['in']) => given.filter((it) => it.in === place).map((it) => [it, of(it)] as const)
  const query = inPlace('query').flatMap(([it, value]) => queryOf(it, value))
  const body = operation.bodyArgument === null ? undefined : args[operation.bodyArgument]
  return {
    method: operation.method,
    url: urlOf(operation, new Map(inPlace('path').map(([it, value]) => [it.name, pathOf(it, value)])), query),
    headers: {
      accept: 'application/json, text/*;q=0.9, */*;q=0.5',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(inPlace('header').map(([it, value]) => [it.name.toLowerCase(), headerOf(it, value)])),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

function urlOf(operation: Operation, values: ReadonlyMap<string, string>, query: readonly string[]): URL {
  const server = URL.parse(operation.server)
  if (server === null) throw invalid(`The address of the server, "${operation.server}", cannot be called.`)
  const written = operation.path
    .replaceAll('#', '%23')
    .replace(/\{([^{}]*)\}/g, (_, name: string) => values.get(name) ?? missing(name))
  const [path = '', ...fixed] = written.split('?')
  // WHATWG URL, 4.1: a segment of dots climbs, also when it is percent-encoded.
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path)) throw invalid('An argument of the path is "." or "..".')
  const base = server.pathname.replace(/\/$/, '')
  const search = [...(fixed.length > 0 ? [fixed.join('?')] : []), ...query].join('&')
  const url = new URL(`${server.origin}${base}${path}${search === '' ? '' : `?${search}`}`)
  if (url.origin !== server.origin) throw invalid('The request would leave the server of the definition.')
  return url
}

const missing = (name: string): never => {
  throw invalid(`The argument "${name}" is missing.`)
}

/** RFC 3986, 2.3: all but what is unreserved. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)

const whole = (it: Parameter, value: unknown): unknown => (it.isJson ? JSON.stringify(value) : value)

function pathOf(it: Parameter, given: unknown): string {
  const value = whole(it, given)
  const text = styledPath(it, value)
  // DELETE /users/{id} without an id is another request.
  if (text === '' || (typeof value === 'string' && value === ''))
    throw invalid(`The argument "${it.argument}" is empty.`)
  return text
}

function styledPath({ name, style, explode }: Parameter, value: unknown): string {
  if (style === 'label') return `.${listed(value, explode, explode ? '.' : ',')}`
  if (style !== 'matrix') return listed(value, explode, ',')
  if (!explode || !isMany(value)) return `;${encoded(name)}=${listed(value, false, ',')}`
  return pairsOf(name, value)
    .map(([key, text]) => `;${key}=${text}`)
    .join('')
}

function queryOf(it: Parameter, given: unknown): string[] {
  const value = whole(it, given)
  const name = encoded(it.name)
  if (!isMany(value)) return [`${name}=${encoded(textOf(value))}`]
  if (it.style === 'deepObject' && isPlainData(value)) {
    return Object.entries(value).map(([key, text]) => `${encoded(`${it.name}[${key}]`)}=${encoded(textOf(text))}`)
  }
  if (it.explode) return pairsOf(it.name, value).map(([key, text]) => `${key}=${text}`)
  const between = it.style === 'spaceDelimited' ? '%20' : it.style === 'pipeDelimited' ? '%7C' : ','
  const text = listed(value, false, between)
  return text === '' ? [] : [`${name}=${text}`]
}

function headerOf(it: Parameter, given: unknown): string {
  const value = whole(it, given)
  const text = isMany(value)
    ? partsOf(value, it.explode)
        .map(([, part]) => part)
        .join(',')
    : textOf(value)
  // RFC 9110, 5.5.
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  throw invalid(`The argument "${it.argument}" holds a character that no header can.`)
}

const isMany = (value: unknown): value is readonly unknown[] | Record<string, unknown> =>
  Array.isArray(value) || isPlainData(value)

/** Of a list its items; of an object its names and values in turn, or `name=value` when they are kept together. */
function partsOf(value: readonly unknown[] | Record<string, unknown>, isTogether: boolean): [string | null, string][] {
  if (Array.isArray(value)) return value.map((it) => [null, textOf(it)])
  return Object.entries(value).flatMap(([key, it]): [string | null, string][] =>
    isTogether
      ? [[key, `${key}=${textOf(it)}`]]
      : [
          [null, key],
          [null, textOf(it)],
        ],
  )
}

function listed(value: unknown, explode: boolean, between: string): string {
  if (!isMany(value)) return encoded(textOf(value))
  if (Array.isArray(value) || !explode)
    return partsOf(value, false)
      .map(([, it]) => encoded(it))
      .join(between)
  return pairsOf('', value)
    .map(([key, text]) => `${key}=${text}`)
    .join(between)
}

/** Encoded. */
const pairsOf = (name: string, value: readonly unknown[] | Record<string, unknown>): [string, string][] =>
  Array.isArray(value)
    ? value.map((it) => [encoded(name), encoded(textOf(it))])
    : Object.entries(value).map(([key, it]) => [encoded(key), encoded(textOf(it))])

const invalid = (reason: string) => new AppError('INVALID_INPUT', { reason })
