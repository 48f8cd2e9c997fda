// An OAuth 2 provider from which users obtain tokens for a tool, and our client there.
import { z } from 'zod'
import { problem } from '../../wire/problem.ts'
import { wireType } from '../../wire/schema-type.ts'
import { nullish, WITHOUT_NUL, wireArray, wireBoolean, wireName, wireObject, wireString } from '../../wire/schemas.ts'

const MAX_URL = 2_000

/** Checks only the form; whether the address may be called is checked when it is stored and at each call. */
const providerUrl = () =>
  wireType<string>(
    (value) => {
      if (typeof value !== 'string') return problem('string_type')
      if (value.length > MAX_URL) return problem('string_too_long', MAX_URL)
      const url = URL.parse(value)
      if (url === null || !['http:', 'https:'].includes(url.protocol)) {
        return problem('value_error', 'an address starts with https:// or http://')
      }
      if (url.username !== '' || url.password !== '') {
        return problem('value_error', 'an address must not contain a user name or password')
      }
      return url.hash === '' ? value : problem('value_error', 'the address of a provider must not contain #')
    },
    { type: 'string', format: 'uri', maxLength: MAX_URL },
  )

const name = wireName()
const clientCredential = wireString({ min: 1, max: 10_000, pattern: WITHOUT_NUL })
/** RFC 6749, 3.3. */
const scopes = wireArray(wireString({ min: 1, max: 1_000, pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/ }), { max: 100 })
const additionalParams = wireObject(wireString({ max: 10_000, pattern: WITHOUT_NUL }), { max: 50 })
const PARAMS_NOTE = 'Additional parameters of the authorization URL; those of the flow itself cannot be overridden.'

export const OauthConfigCreate = z
  .object({
    name,
    authorization_url: providerUrl(),
    token_url: providerUrl(),
    client_id: clientCredential,
    client_secret: clientCredential,
    scopes: nullish(scopes),
    additional_params: nullish(additionalParams).describe(PARAMS_NOTE),
  })
  .meta({ id: 'OAuthConfigCreate' })
export type OauthConfigCreate = z.infer<typeof OauthConfigCreate>

/** Absent and null leave a field unchanged. */
export const OauthConfigUpdate = z
  .object({
    name: nullish(name),
    authorization_url: nullish(providerUrl()),
    token_url: nullish(providerUrl()),
    client_id: nullish(clientCredential),
    client_secret: nullish(clientCredential),
    scopes: nullish(scopes),
    additional_params: nullish(additionalParams).describe(PARAMS_NOTE),
    clear_client_id: nullish(wireBoolean()),
    clear_client_secret: nullish(wireBoolean()),
  })
  .meta({ id: 'OAuthConfigUpdate' })
export type OauthConfigUpdate = z.infer<typeof OauthConfigUpdate>

export const OauthConfigSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    authorization_url: z.string(),
    token_url: z.string(),
    client_id: z.string().nullable().describe('Not secret: it is part of the authorization URL.'),
    scopes: z.array(z.string()).nullable(),
    additional_params: z.record(z.string(), z.string()).describe(PARAMS_NOTE),
    has_client_credentials: z.boolean(),
    tool_count: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'OAuthConfigSnapshot' })
export type OauthConfigSnapshot = z.infer<typeof OauthConfigSnapshot>
