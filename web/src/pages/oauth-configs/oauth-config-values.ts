// The texts of the form of an OAuth configuration, and what the API takes.
import type { OAuthConfigCreate, OAuthConfigSnapshot, OAuthConfigUpdate } from '../../../../src/client/schemas.ts'

export interface OauthConfigValues {
  name: string
  authorization_url: string
  token_url: string
  client_id: string
  /** Empty: the stored one stays. */
  client_secret: string
  /** A line for each. */
  scopes: string
  /** Lines `name=value`. */
  params: string
}

export const valuesOf = (config: OAuthConfigSnapshot | undefined): OauthConfigValues => ({
  name: config?.name ?? '',
  authorization_url: config?.authorization_url ?? '',
  token_url: config?.token_url ?? '',
  client_id: config?.client_id ?? '',
  client_secret: '',
  scopes: (config?.scopes ?? []).join('\n'),
  params: Object.entries(config?.additional_params ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n'),
})

export const toNewConfig = ({ scopes, params, ...values }: OauthConfigValues): OAuthConfigCreate => ({
  ...values,
  client_id: values.client_id.trim(),
  scopes: wordsOf(scopes),
  additional_params: readParams(params),
})

/** Sends only what the person changed, so that a change by another person meanwhile stays. */
export function toConfigChange(before: OauthConfigValues, after: OauthConfigValues): OAuthConfigUpdate {
  const texts = (['name', 'authorization_url', 'token_url', 'client_id', 'client_secret'] as const).filter(
    (it) => before[it] !== after[it],
  )
  return {
    ...Object.fromEntries(texts.map((it) => [it, after[it]])),
    ...(before.scopes !== after.scopes && { scopes: wordsOf(after.scopes) }),
    ...(before.params !== after.params && { additional_params: readParams(after.params) }),
  }
}

/** Whether saving ends the connections of everybody. */
export const endsConnections = (before: OauthConfigValues, after: OauthConfigValues): boolean =>
  before.token_url !== after.token_url || before.client_id !== after.client_id

const wordsOf = (text: string): string[] => text.split(/\s/).filter((it) => it !== '')

function readParams(text: string): Record<string, string> {
  const lines = text.split('\n').filter((it) => it.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}
