// Requests tokens from an OAuth provider with a code or a refresh token: RFC 6749, 4.1.3 and 6.

import { z } from 'zod'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import type { Egress } from '../../egress/egress.ts'
import type { OauthClient } from '../../store/tools/oauth-configs.ts'

export interface TokenEndpointDeps {
  egress: Pick<Egress, 'fetch'>
  now: () => number
}

export const PROVIDER_TIMEOUT_MS = 30_000
const MAX_BYTES = 1 << 20

/** An error response of the provider. */
export class OauthProviderError extends Error {
  readonly error: string
  constructor(error: string, description: string | undefined) {
    super(`The provider refused the request: ${sanitizeQuote(description ?? error)}.`)
    this.error = error
  }
}

/**
 * RFC 6749, 2.3.1: sends the credentials in the header, which every provider must accept, and in the body if a
 * provider does not.
 */
export async function requestToken(
  deps: TokenEndpointDeps,
  client: OauthClient,
  grant: Record<string, string>,
  signal: AbortSignal,
) {
  if (client.client_id === null) throw new OauthProviderError('', `"${client.name}" no longer has a client_id`)
  if (client.client_secret === null) return postTokenRequest(deps, client, { form: grant, isInBody: true }, signal)
  try {
    return await postTokenRequest(deps, client, { form: grant, isInBody: false }, signal)
  } catch (error) {
    if (!(error instanceof OauthProviderError) || error.error !== 'invalid_client') throw error
    return postTokenRequest(deps, client, { form: grant, isInBody: true }, signal)
  }
}

const seconds = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
const OauthTokenResponse = z.object({
  access_token: z
    .string()
    .min(1)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z.string().optional(),
  expires_in: seconds.nullish(),
  refresh_token: z.string().min(1).nullish(),
})
const TokenErrorResponse = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) })

async function postTokenRequest(
  { egress, now }: TokenEndpointDeps,
  { token_url, client_id, client_secret }: OauthClient,
  { form, isInBody }: { form: Record<string, string>; isInBody: boolean },
  signal: AbortSignal,
): Promise<{ access_token: string; refresh_token: string | null; expires_at: number | null }> {
  const clientFields = { client_id: client_id ?? '', ...(client_secret !== null && { client_secret }) }
  const answer = await egress.fetch(token_url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!isInBody && { authorization: `Basic ${basicCredentials(client_id ?? '', client_secret ?? '')}` }),
    },
    body: new URLSearchParams({ ...form, ...(isInBody && clientFields) }).toString(),
    profile: 'admin-target',
    asker: { kind: 'tool', id: null },
    isBound: true,
    limits: { bytes: MAX_BYTES, timeoutMs: PROVIDER_TIMEOUT_MS },
    signal,
  })
  const json = parseJson(await answer.text())
  const refusal = TokenErrorResponse.safeParse(json)
  if (refusal.success) throw new OauthProviderError(refusal.data.error, refusal.data.error_description)
  const token = OauthTokenResponse.safeParse(json)
  if (answer.status >= 400 || !token.success) {
    throw new OauthProviderError('', `it responded with status ${answer.status} and no valid token`)
  }
  const { access_token, token_type = 'bearer', expires_in, refresh_token } = token.data
  if (token_type.toLowerCase() !== 'bearer')
    throw new OauthProviderError('', `its token type is ${token_type} instead of bearer`)
  const expires_at = typeof expires_in === 'number' ? now() + expires_in * 1_000 : null
  return { access_token, refresh_token: refresh_token ?? null, expires_at }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** RFC 6749, 2.3.1: both values are form-encoded first. */
function basicCredentials(id: string, secret: string): string {
  const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')
}

/** Cleans text of a provider for use in a message. */
export const sanitizeQuote = (text: string) =>
  trimEndCharacters(text.replace(/[\p{C}\s]+/gu, ' '), ' .')
    .slice(0, 300)
    .toWellFormed()
