// The API client of the pages: the generated client with the session cookie.
import { ApiError, createApiClient } from '../../src/client/api.ts'

export const api = createApiClient({
  url: '/api',
  fetch: (url, init) =>
    // The service accepts writes of browsers with a cookie only with this header.
    fetch(url, {
      ...init,
      headers: { ...init.headers, 'x-requested-with': 'pharos' },
      credentials: 'same-origin',
    }).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : new UnreachableError({ cause })
    }),
})

/** No response arrived: the network or the service is down. */
export class UnreachableError extends Error {
  constructor(options: ErrorOptions) {
    super('The service cannot be reached. Check the network and whether the service is running.', options)
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** The resource does not exist or is not visible to the caller. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** A message to show to the user. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfterMs === null ? '' : ` Try again in ${Math.ceil(error.retryAfterMs / 1_000)} s.`
    return error.detail + wait
  }
  if (error instanceof UnreachableError) return error.message
  return `Something went wrong on this page: ${error instanceof Error ? error.message : String(error)}`
}
