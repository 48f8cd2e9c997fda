import { listPersonalAccessTokens, listSessions } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const sessionsQuery = {
  queryKey: ['sessions'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listSessions(api, { signal }),
}

export const MAX_TOKENS = 200

/** The newest. */
export const tokensQuery = {
  queryKey: ['tokens'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listPersonalAccessTokens(api, { limit: MAX_TOKENS, signal }),
}
