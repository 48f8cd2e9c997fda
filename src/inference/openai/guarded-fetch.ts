// The `fetch` given to the OpenAI client for an address that an administrator entered: it goes through `egress`.
import { Readable } from 'node:stream'
import type { ClientOptions } from 'openai'
import type { EgressCaller } from '../../domain/egress-refusal.ts'
import type { Egress } from '../../egress/egress.ts'

export type ClientFetch = NonNullable<ClientOptions['fetch']>

/** Each concurrent answer from a server keeps a connection until its end. */
const MAX_CONNECTIONS = 512
const FETCH_LIMITS = { bytes: 64 << 20, timeoutMs: 30 * 60_000, redirects: 0 }
/** The response headers that are passed on. */
const FORWARDED_HEADERS = ['content-type', 'retry-after', 'retry-after-ms']

export const createGuardedFetch =
  (egress: Egress, asker: EgressCaller): ClientFetch =>
  async (input, { method, headers, body, signal } = {}) => {
    const answer = await egress.fetch(String(input), {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: withoutClientHeaders(new Headers(headers)),
      ...(typeof body === 'string' && { body }),
      signal: signal ?? new AbortController().signal,
      profile: 'admin-target',
      asker,
      limits: FETCH_LIMITS,
      connections: MAX_CONNECTIONS,
    })
    const kept = FORWARDED_HEADERS.flatMap((name) =>
      answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]],
    )
    return new Response(statusHasBody(answer.status) ? Readable.toWeb(answer.body) : null, {
      status: normalizeStatus(answer.status),
      headers: Object.fromEntries(kept),
    })
  }

/** Drops the headers in which the client describes this machine. */
const withoutClientHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !name.startsWith('x-stainless-')))

const statusHasBody = (status: number) => ![101, 204, 205, 304].includes(status)

/** Treats a status outside the HTTP range as a server error. */
const normalizeStatus = (status: number) => (status >= 200 && status <= 599 ? status : 500)
