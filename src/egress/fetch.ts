// One request and its redirects, each of them judged anew.
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Asker, Profile } from '../domain/refusal.ts'
import { bytesOf, readBody } from './body.ts'
import { EgressError } from './egress-error.ts'
import { type Call, explain } from './explain.ts'
import { type GuardSettings, judge } from './guard.ts'
import { firstHop, type Hop, hostOf, nextHop, portOf, type Sent } from './hop.ts'
import type { Pools } from './pools.ts'
import { until } from './until.ts'

export interface Limits {
  /** Of the body, packed and unpacked. */
  bytes: number
  /** For everything, from the resolver to the last byte of the body. */
  timeoutMs: number
  redirects: number
}

export interface EgressRequest extends Sent {
  signal: AbortSignal
  profile: Profile
  /** Who is told of in the list of refusals. */
  asker: Asker
  limits?: Partial<Limits>
  /** Redirects to another origin are not followed. */
  isBound?: boolean
  /** A PEM that is trusted beside the certificates of the system. */
  ca?: string
  /** As many may be open to the host at once, for answers that take their time; else 8. */
  connections?: number
}

export interface EgressAnswer {
  status: number
  /** By lower-case name; a repeated header is joined by a comma. */
  headers: Readonly<Record<string, string>>
  /** After the redirects. */
  url: string
  /** Unpacked. It must be read or destroyed; the limits end it otherwise. */
  body: Readable
  bytes(): Promise<Buffer>
  /** As UTF-8. */
  text(): Promise<string>
}

export const LIMITS: Readonly<Limits> = { bytes: 20 << 20, timeoutMs: 60_000, redirects: 5 }
/** What is read of a redirect's body to keep its connection. */
const DUMPED_BYTES = 16_384
const EMPTY_STATUSES = [204, 304]

export interface FetchSettings {
  guard: GuardSettings
  pools: Pools
}

export async function fetchGuarded(
  settings: FetchSettings,
  url: string | URL,
  request: EgressRequest,
): Promise<EgressAnswer> {
  const limits = { ...LIMITS, ...request.limits }
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([request.signal, deadline])
  const call: Call = { caller: request.signal, deadline, timeoutMs: limits.timeoutMs }
  let hop = firstHop(url, request)
  try {
    for (let left = limits.redirects; ; left -= 1) {
      const answer = await exchange(settings, hop, request, signal)
      const next = nextHop(hop, answer.statusCode, answer.headers.location)
      if (next === undefined) return answerOf(hop, answer, limits.bytes, call)
      await answer.body.dump({ limit: DUMPED_BYTES, signal })
      if (left === 0) throw new EgressError('redirects', hop.url.hostname, { limit: limits.redirects })
      if (request.isBound === true && next.url.origin !== hop.url.origin) {
        throw new EgressError('elsewhere', hop.url.hostname, { target: next.url.hostname })
      }
      hop = next
    }
  } catch (error) {
    throw explain(error, hop.url.hostname, call)
  }
}

async function exchange(
  { guard, pools }: FetchSettings,
  { url, method, headers, body, isAsked }: Hop,
  { profile, asker, ca, connections }: EgressRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const target = { host: hostOf(url), port: portOf(url), profile, asker, isAsked }
  const route = await until(signal, judge(guard, target))
  return await pools.poolFor(url, route, { ca, connections }).request({
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': 'Pharos', ...headers, 'accept-encoding': 'gzip, deflate, br' },
    body: body ?? null,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function answerOf(hop: Hop, answer: Dispatcher.ResponseData, maxBytes: number, call: Call): EgressAnswer {
  const { 'content-encoding': encoding = '', ...headers } = flat(answer.headers)
  const isEmpty = hop.method === 'HEAD' || EMPTY_STATUSES.includes(answer.statusCode)
  const host = hop.url.hostname
  const body = readBody(answer.body, {
    host,
    encoding: isEmpty ? '' : encoding,
    maxBytes,
    explain: (error) => explain(error, host, call),
  })
  return {
    status: answer.statusCode,
    headers,
    url: hop.url.href,
    body,
    bytes: () => bytesOf(body),
    text: async () => new TextDecoder().decode(await bytesOf(body)),
  }
}

/** Without the length, which is that of the packed body. */
const flat = ({ 'content-length': _, ...headers }: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]))
