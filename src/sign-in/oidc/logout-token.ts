// Logout tokens with which a provider ends sessions (OpenID Connect Back-Channel Logout 1.0).
import { createHash } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload } from 'jose'
import { AppError } from '../../domain/errors.ts'
import type { Database } from '../../store/database/database.ts'
import { endProviderSessions, markAssertionUsed } from '../../store/identity/providers/provider-sessions.ts'
import { explainFailure } from './failure-of.ts'
import type { OidcProvider, ProviderClient } from './provider-clients.ts'

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Tokens are sent at once; an older one is refused, so ids need not be remembered longer. */
const MAX_AGE_S = 300
const REMEMBERED_MS = 3_600_000
const MAX_TEXT = 255

/** Returns the number of ended sessions. LOGOUT_TOKEN_INVALID: the token is not valid, or was used before. */
export async function endSessionsByToken(
  { db, now }: { db: Database; now: () => number },
  { id: provider_id, settings: { oidc } }: OidcProvider,
  { configuration, keys }: ProviderClient,
  token: string,
): Promise<number> {
  const payload = await keys
    .verify(token, {
      ...{ issuer: configuration.serverMetadata().issuer, audience: oidc.client_id },
      ...{ clockTolerance: oidc.clock_skew_seconds, maxTokenAge: MAX_AGE_S },
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
    })
    .catch((error: unknown) => {
      const explained = explainFailure(error)
      if (explained === undefined) throw error
      throw invalid(explained.detail, error)
    })
  const { subject, sid, jti } = readPayload(payload, token)
  const id_hash = createHash('sha256').update(jti).digest('base64url')
  // Longer than the token counts, with any clock skew that can be set.
  if (!(await markAssertionUsed(db, { provider_id, id_hash, expires_at: now() + REMEMBERED_MS })))
    throw invalid('it was used before.')
  return endProviderSessions(db, { provider_id, subject, sid })
}

function readPayload(payload: JWTPayload, token: string): { subject: string | null; sid: string | null; jti: string } {
  const { typ } = decodeProtectedHeader(token)
  // An ID token, which many parties see, is no logout token.
  if (typ !== undefined && !['logout+jwt', 'application/logout+jwt', 'jwt'].includes(typ.toLowerCase()))
    throw invalid('its type is another one.')
  if ('nonce' in payload) throw invalid('it has a nonce.')
  const { events, jti = '', sub, sid } = payload
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, LOGOUT_EVENT))
    throw invalid('it has no logout event.')
  const subject = isName(sub) ? sub : null
  const session = isName(sid) ? sid : null
  if (subject === null && session === null) throw invalid('it names neither sub nor sid.')
  if (!isName(jti)) throw invalid('its jti is empty or too long.')
  return { subject, sid: session, jti }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && !value.includes('\u0000')

const invalid = (reason: string, cause?: unknown) => new AppError('LOGOUT_TOKEN_INVALID', { reason }, { cause })
