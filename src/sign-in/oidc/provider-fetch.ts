// The requests to a provider, through egress, with limits on size and time. Redirects are not followed.
import type { Egress } from '../../egress/egress.ts'

const LIMITS = { bytes: 512 << 10, timeoutMs: 10_000, redirects: 0 }

interface FetchOptions {
  method?: string
  headers?: Headers | Record<string, string> | [string, string][]
  body?: unknown
  signal?: AbortSignal | null | undefined
}

/** A `fetch` for libraries. Rejects with an `EgressError`. */
export const createProviderFetch =
  (egress: Pick<Egress, 'fetch'>, providerId: number | null, limits = LIMITS) =>
  async (url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> => {
    const answer = await egress.fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body) }),
      profile: 'admin-target',
      asker: { kind: 'sign_in_provider', id: providerId },
      isBound: true,
      limits,
      signal: signal ?? new AbortController().signal,
    })
    const { 'transfer-encoding': _, connection: __, ...kept } = answer.headers
    return new Response(await answer.text(), { status: answer.status, headers: kept })
  }
