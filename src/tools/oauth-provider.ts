// What an OAuth provider gives for a code or a refresh token, or why not: RFC 6749, 4.1.3 and 6.
import { z } from 'zod'
import type { Egress } from '../egress/egress.ts'
import type { OauthClient } from '../store/oauth-configs.ts'

export interface ProviderNeeds {
  egress: Pick<Egress, 'fetch'>
  now: () => number
}

export const PROVIDER_TIMEOUT_MS = 30_000
const MAX_BYTES = 1 << 20

/** What the provider said against it. */
export class ProviderError extends Error {
  readonly error: string
  constructor(error: string, description: string | undefined) {
    super(`The provider refused: ${said(description ?? error)}.`)
    this.error = error
  }
}

/** RFC 6749, 2.3.1: by header first, as every provider must take it; in the body where one does not. */
export async function askForToken(
  needs: ProviderNeeds,
  client: OauthClient,
  grant: Record<string, string>,
  signal: AbortSignal,
) {
  if (client.client_id === null) throw new ProviderError('', `"${client.name}" has no client_id any more`)
  if (client.client_secret === null) return exchange(needs, client, { form: grant, isInBody: true }, signal)
  try {
    return await exchange(needs, client, { form: grant, isInBody: false }, signal)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.error !== 'invalid_client') throw error
    return exchange(needs, client, { form: grant, isInBody: true }, signal)
  }
}

const seconds = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
const TokenAnswer = z.object({
  access_token: z
    .string()
    .min(1)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z.string().optional(),
  expires_in: seconds.nullish(),
  refresh_token: z.string().min(1).nullish(),
})
const ErrorAnswer = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) })

async function exchange(
  { egress, now }: ProviderNeeds,
  { token_url, client_id, client_secret }: OauthClient,
  { form, isInBody }: { form: Record<string, string>; isInBody: boolean },
  signal: AbortSignal,
): Promise<{ access_token: string; refresh_token: string | null; expires_at: number | null }> {
  const own = { client_id: client_id ?? '', ...(client_secret !== null && { client_secret }) }
  const answer = await egress.fetch(token_url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!isInBody && { authorization: `Basic ${basic(client_id ?? '', client_secret ?? '')}` }),
    },
    body: new URLSearchParams({ ...form, ...(isInBody && own) }).toString(),
    profile: 'admin-target',
    asker: { kind: 'tool', id: null },
    isBound: true,
    limits: { bytes: MAX_BYTES, timeoutMs: PROVIDER_TIMEOUT_MS },
    signal,
  })
  const json = parsed(await answer.text())
  const refusal = ErrorAnswer.safeParse(json)
  if (refusal.success) throw new ProviderError(refusal.data.error, refusal.data.error_description)
  const token = TokenAnswer.safeParse(json)
  if (answer.status >= 400 || !token.success) {
    throw new ProviderError('', `it answers ${answer.status}, and no token as RFC 6749 has it`)
  }
  const { access_token, token_type = 'bearer', expires_in, refresh_token } = token.data
  if (token_type.toLowerCase() !== 'bearer') throw new ProviderError('', `its token is a ${token_type}, not a bearer`)
  const expires_at = typeof expires_in === 'number' ? now() + expires_in * 1_000 : null
  return { access_token, refresh_token: refresh_token ?? null, expires_at }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As forms are encoded, then as Basic is. */
function basic(id: string, secret: string): string {
  const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')
}

/** A stranger's text in a sentence of ours. */
export const said = (text: string) =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[\s.]+$/, '')
    .slice(0, 300)
    .toWellFormed()
