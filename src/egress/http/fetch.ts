// Sends a request and follows redirects. Every hop is authorized.
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { EgressCaller, EgressProfile } from '../../domain/egress-refusal.ts'
import { rejectOnAbort } from '../../flow/reject-on-abort.ts'
import { EgressError } from '../egress-error.ts'
import { authorizeTarget, type GuardSettings } from '../policy/guard.ts'
import { type CallSignals, toEgressError } from '../to-egress-error.ts'
import type { ConnectionPools } from '../transport/connection-pools.ts'
import { collectBytes, readBody } from './body.ts'
import { firstHop, hostOf, nextHop, type OutgoingRequest, portOf, type RequestHop } from './hop.ts'

export interface FetchLimits {
  /** Limit on the body, both compressed and decompressed. */
  bytes: number
  /** From DNS resolution to the last byte of the body. */
  timeoutMs: number
  redirects: number
}

export interface EgressRequest extends OutgoingRequest {
  signal: AbortSignal
  profile: EgressProfile
  /** Recorded with a refusal. */
  asker: EgressCaller
  limits?: Partial<FetchLimits>
  /** If true, redirects to another origin are not followed. */
  isBound?: boolean
  /** A PEM certificate trusted in addition to the system's. */
  ca?: string
  /** Maximum concurrent connections to the host. Default: 8. */
  connections?: number
}

export interface EgressResponse {
  status: number
  /** Keys are lower-case. Repeated headers are joined by a comma. */
  headers: Readonly<Record<string, string>>
  /** The final URL, after redirects. */
  url: string
  /** Decompressed. Must be read or destroyed; otherwise it ends at the time limit. */
  body: Readable
  bytes(): Promise<Buffer>
  /** Decodes the body as UTF-8. */
  text(): Promise<string>
}

export const DEFAULT_FETCH_LIMITS: Readonly<FetchLimits> = { bytes: 20 << 20, timeoutMs: 60_000, redirects: 5 }
/** Bytes of a redirect's body that are drained to reuse the connection. */
const DISCARDED_BODY_BYTES = 16_384
const EMPTY_STATUSES = [204, 304]

export interface FetchSettings {
  guard: GuardSettings
  pools: ConnectionPools
}

export async function fetchGuarded(
  settings: FetchSettings,
  url: string | URL,
  request: EgressRequest,
): Promise<EgressResponse> {
  const limits = { ...DEFAULT_FETCH_LIMITS, ...request.limits }
  const deadline = AbortSignal.timeout(limits.timeoutMs)
  const signal = AbortSignal.any([request.signal, deadline])
  const callSignals: CallSignals = { caller: request.signal, deadline, timeoutMs: limits.timeoutMs }
  let hop = firstHop(url, request)
  try {
    for (let left = limits.redirects; ; left -= 1) {
      const answer = await sendHop(settings, hop, request, signal)
      const next = nextHop(hop, answer.statusCode, answer.headers.location)
      if (next === undefined) return toEgressResponse(hop, answer, limits.bytes, callSignals)
      await answer.body.dump({ limit: DISCARDED_BODY_BYTES, signal })
      if (left === 0) throw new EgressError('redirects', hop.url.hostname, { limit: limits.redirects })
      if (request.isBound === true && next.url.origin !== hop.url.origin) {
        throw new EgressError('elsewhere', hop.url.hostname, { target: next.url.hostname })
      }
      hop = next
    }
  } catch (error) {
    throw toEgressError(error, hop.url.hostname, callSignals)
  }
}

async function sendHop(
  { guard, pools }: FetchSettings,
  { url, method, headers, body, isAsked }: RequestHop,
  { profile, asker, ca, connections }: EgressRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const target = { host: hostOf(url), port: portOf(url), profile, asker, isAsked }
  const route = await rejectOnAbort(signal, authorizeTarget(guard, target))
  const pool = await pools.poolFor(url, route, { ca, connections })
  return await pool.request({
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': 'Pharos', ...headers, 'accept-encoding': 'gzip, deflate, br' },
    body: body ?? null,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function toEgressResponse(
  hop: RequestHop,
  answer: Dispatcher.ResponseData,
  maxBytes: number,
  callSignals: CallSignals,
): EgressResponse {
  const { 'content-encoding': encoding = '', ...headers } = flattenHeaders(answer.headers)
  const isEmpty = hop.method === 'HEAD' || EMPTY_STATUSES.includes(answer.statusCode)
  const host = hop.url.hostname
  const body = readBody(answer.body, {
    host,
    encoding: isEmpty ? '' : encoding,
    maxBytes,
    toError: (error) => toEgressError(error, host, callSignals),
  })
  return {
    status: answer.statusCode,
    headers,
    url: hop.url.href,
    body,
    bytes: () => collectBytes(body),
    text: async () => new TextDecoder().decode(await collectBytes(body)),
  }
}

/** Omits content-length, which counts the compressed body. */
const flattenHeaders = ({
  'content-length': _,
  ...headers
}: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]))
