// The API client of the pages: the generated client with the session cookie.
import { ApiError, createApiClient } from '../../src/client/api.ts'
import { textsOf } from './text/texts.ts'

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
    // `errorMessage` has the text. The first request may fail before the texts are here.
    super(undefined, options)
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** The resource does not exist or is not visible to the caller. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** A message to show to the user. */
export function errorMessage(error: unknown): string {
  const t = textsOf('parts.errors')
  if (error instanceof ApiError) {
    const { detail, retryAfterMs } = error
    return retryAfterMs === null ? detail : t('wait', { detail, seconds: Math.ceil(retryAfterMs / 1_000) })
  }
  if (error instanceof UnreachableError) return t('unreachable')
  return t('page', { error: error instanceof Error ? error.message : String(error) })
}
