// Row types of the providers that say who a person is.
import type { Generated } from 'kysely'
import type { ProviderType, SignInPurpose } from '../../domain/sign-in/provider.ts'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface SignInProviderRow {
  id: Generated<number>
  type: ProviderType
  slug: string
  name: string
  is_enabled: SqlFlag
  settings: JsonText
  /** Sealed JSON. */
  secrets: string | null
  verdict: JsonText | null
  verdict_at: EpochMillis | null
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface PersonIdentityRow {
  provider_id: number
  subject: string
  person_id: string
  time_created: EpochMillis
  last_used_at: EpochMillis
}

export interface SignInStateRow {
  id: Generated<number>
  state_hash: string
  browser_hash: string
  provider_id: number
  purpose: SignInPurpose
  next_path: string
  /** Sealed JSON of the protocol. */
  details: string
  /** The client's. */
  address: string
  expires_at: EpochMillis
}

export interface ProviderSessionRow {
  /** The id of the browser session. */
  id: number
  provider_id: number
  subject: string
  sid: string | null
  /** Sealed. */
  id_token: string | null
}

export interface SignInTables {
  sign_in_provider: SignInProviderRow
  person_identity: PersonIdentityRow
  sign_in_state: SignInStateRow
  provider_session: ProviderSessionRow
  used_assertion: { provider_id: number; id_hash: string; expires_at: EpochMillis }
}
