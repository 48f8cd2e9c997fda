// The one way of the pages to the service: the generated client, with the cookie of the session.
import { ApiError, openApi } from '../../src/client/api.ts'

export const api = openApi({
  url: '/api',
  fetch: (url, init) =>
    // The header tells the service that it is a page of its own that asks.
    fetch(url, {
      ...init,
      headers: { ...init.headers, 'x-requested-with': 'pharos' },
      credentials: 'same-origin',
    }).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : new Unreachable({ cause })
    }),
})

/** No answer came: the network, or the service, is not there. */
export class Unreachable extends Error {
  constructor(options: ErrorOptions) {
    super('The service cannot be reached. Check the network, or whether it is running.', options)
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** What went wrong, as a person can use it. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfterMs === null ? '' : ` Try again in ${Math.ceil(error.retryAfterMs / 1_000)} s.`
    return error.detail + wait
  }
  if (error instanceof Unreachable) return error.message
  return `This page has a fault: ${error instanceof Error ? error.message : String(error)}`
}
