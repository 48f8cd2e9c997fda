// The `fetch` that the client of OpenAI is given for an address that an administrator typed: it leaves through `egress`.
import { Readable } from 'node:stream'
import type { ClientOptions } from 'openai'
import type { Asker } from '../domain/refusal.ts'
import type { Egress } from '../egress/egress.ts'

export type Fetch = NonNullable<ClientOptions['fetch']>

/** As many answers may be read from one server at once: each keeps its connection until the last word. */
const CONNECTIONS = 512
const LIMITS = { bytes: 64 << 20, timeoutMs: 30 * 60_000, redirects: 0 }
/** What is read of an answer's headers. */
const READ = ['content-type', 'retry-after', 'retry-after-ms']

export const guardedFetch =
  (egress: Egress, asker: Asker): Fetch =>
  async (input, { method, headers, body, signal } = {}) => {
    const answer = await egress.fetch(String(input), {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: sentHeaders(new Headers(headers)),
      ...(typeof body === 'string' && { body }),
      signal: signal ?? new AbortController().signal,
      profile: 'admin-target',
      asker,
      limits: LIMITS,
      connections: CONNECTIONS,
    })
    const kept = READ.flatMap((name) => (answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]]))
    return new Response(statusHasBody(answer.status) ? Readable.toWeb(answer.body) : null, {
      status: knownStatus(answer.status),
      headers: Object.fromEntries(kept),
    })
  }

/** Without what the client tells of this machine. */
const sentHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !name.startsWith('x-stainless-')))

const statusHasBody = (status: number) => ![101, 204, 205, 304].includes(status)

/** A number that is none of HTTP's counts as a server that does not work. */
const knownStatus = (status: number) => (status >= 200 && status <= 599 ? status : 500)
