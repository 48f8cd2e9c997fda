// Row types of people, groups, keys, tokens and sessions.
import type { Generated } from 'kysely'
import type { SessionMethod } from '../../domain/sign-in/session-method.ts'
import type { Role } from '../../domain/subject.ts'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface PersonRow {
  id: string
  email: string
  /** The address in lower case, see `emailKeyOf`. */
  email_key: string
  name: string | null
  role: Role
  is_active: SqlFlag
  is_verified: SqlFlag
  password_hash: string | null
  password_changed_at: EpochMillis | null
  time_created: EpochMillis
  time_updated: EpochMillis
  last_seen_at: EpochMillis | null
  /** JSON, see domain/values/preferences.ts. */
  preferences: JsonText | null
}

export interface UserGroupRow {
  id: Generated<number>
  name: string
  origin: string
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface ApiKeyRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  display: string
  name: string | null
  role: Role
  scopes: JsonText | null
  /** The id of the key itself: what a key without a person creates is filed under it. */
  user_id: string
  /** Before there were people: their address. The first start moves it to `person_id`. */
  user_email: string | null
  /** Before there were groups: their names. The first start moves them to `user_group_key`. */
  user_group_ids: JsonText
  created_at: EpochMillis
  expires_at: EpochMillis | null
  last_used_at: EpochMillis | null
  daily_token_limit: number | null
  person_id: Generated<string | null>
  has_person_groups: Generated<SqlFlag>
}

export interface PatRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  display: string
  name: string
  scopes: JsonText | null
  owner_kid: string
  created_at: EpochMillis
  expires_at: EpochMillis | null
  last_used_at: EpochMillis | null
}

export interface SessionRow {
  id: Generated<number>
  token_hash: string
  owner_kid: string
  created_at: EpochMillis
  last_used_at: EpochMillis
  /** Null for sessions that older programs opened. */
  method: Generated<SessionMethod | null>
  user_agent: Generated<string | null>
  address: Generated<string | null>
}

export interface AccountLinkRow {
  id: Generated<number>
  token_hash: string
  purpose: 'first_admin' | 'invitation' | 'reset' | 'registration'
  /** Null if the person who opens the link says it. */
  email: string | null
  email_key: string | null
  role: Role
  /** Names. */
  user_groups: JsonText
  /** The person whose password it replaces. */
  person_id: string | null
  created_by: string
  time_created: EpochMillis
  expires_at: EpochMillis
}

export interface PersonTotpRow {
  id: Generated<number>
  person_id: string
  /** Sealed. */
  secret: string
  /** Null until the person has entered a first code. */
  confirmed_at: EpochMillis | null
  /** The time step of the last accepted code: that code and earlier ones are not accepted again. */
  last_used_step: Generated<number>
  time_created: EpochMillis
}

export interface PasskeyRow {
  id: Generated<number>
  person_id: string
  /** base64url, as `public_key`. */
  credential_id: string
  /** COSE. */
  public_key: string
  counter: number
  transports: JsonText
  name: string
  /** Whether the passkey is synchronized between devices. */
  is_backed_up: SqlFlag
  time_created: EpochMillis
  last_used_at: EpochMillis | null
}

export interface PasskeyChallengeRow {
  id: Generated<number>
  challenge_hash: string
  /** The person who adds a passkey; null for a sign-in. */
  person_id: string | null
  expires_at: EpochMillis
}

export interface ScimTokenRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  display: string
  name: string
  is_active: SqlFlag
  created_at: EpochMillis
  last_used_at: EpochMillis | null
}

export interface ScimUserRow {
  person_id: string
  user_name: string
  user_name_key: string
  external_id: string | null
  formatted_name: string | null
  display_name: string | null
  given_name: string | null
  family_name: string | null
  /** Whether SCIM made the person, instead of finding one. */
  made_person: SqlFlag
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface ScimEmailRow {
  person_id: string
  position: number
  value: string
  value_key: string
  type: string | null
  is_primary: SqlFlag
}

export interface ScimRemovalRow {
  id: Generated<number>
  person_id: string
  kind: 'suspend' | 'delete'
  /** `uncounted`: the directory had just made the person. */
  state: 'done' | 'uncounted' | 'held' | 'approved' | 'discarded'
  asked_at: EpochMillis
  decided_at: EpochMillis | null
  /** Whether the removal is the reason why the person is suspended. Then the directory may undo it. */
  is_in_effect: SqlFlag
}

export interface IdentityTables {
  scim_token: ScimTokenRow
  scim_user: ScimUserRow
  scim_email: ScimEmailRow
  scim_group: { group_id: number; external_id: string | null }
  scim_removal: ScimRemovalRow
  person: PersonRow
  user_group: UserGroupRow
  user_group_member: { group_id: number; person_id: string; is_curator: SqlFlag }
  user_group_key: { group_id: number; api_key_id: number }
  api_key: ApiKeyRow
  pat: PatRow
  session: SessionRow
  account_link: AccountLinkRow
  registration_domain: { domain: string; time_created: EpochMillis }
  person_totp: PersonTotpRow
  recovery_code: { id: Generated<number>; person_id: string; code_hash: string }
  passkey: PasskeyRow
  passkey_challenge: PasskeyChallengeRow
}
