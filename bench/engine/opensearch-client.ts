// Requests to a running OpenSearch.

export type Ask = <T = unknown>(method: string, path: string, body?: string) => Promise<T>

export const createRequester =
  (url: string): Ask =>
  async <T>(method: string, path: string, body?: string): Promise<T> => {
    const type = path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json'
    const sent = body === undefined ? {} : { body, headers: { 'content-type': type } }
    const response = await fetch(new URL(path, url), { method, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`OpenSearch answered ${method} ${path} with ${response.status}: ${text}`)
    // The response has the shape that the OpenSearch reference documents.
    return JSON.parse(text) as T
  }

interface Stats {
  _all: { primaries: { merges: { current: number }; store: { size_in_bytes: number } } }
}

/** Waits until merges have ended, as for our own index. */
export async function settle(ask: Ask, index: string): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    const { _all } = await ask<Stats>('GET', `/${index}/_stats/merge`)
    idle = _all.primaries.merges.current === 0 ? idle + 1 : 0
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

export const sizeOf = async (ask: Ask, index: string): Promise<number> =>
  (await ask<Stats>('GET', `/${index}/_stats/store`))._all.primaries.store.size_in_bytes
