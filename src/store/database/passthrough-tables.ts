// Row types of consents to tools and of tokens that tools received, for the query builder.
import type { Generated } from 'kysely'
import type { PassthroughRecipient } from '../../domain/tools/passthrough.ts'
import type { EpochMillis } from './column-types.ts'

export interface PassthroughConsentRow {
  id: Generated<number>
  owner: string
  recipient_kind: PassthroughRecipient['kind']
  recipient_id: number
  given_at: EpochMillis
}

export interface CallTokenRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  owner: string
  owner_credential: string
  recipient_kind: PassthroughRecipient['kind']
  recipient_id: number
  expires_at: EpochMillis
}

export interface PassthroughTables {
  passthrough_consent: PassthroughConsentRow
  call_token: CallTokenRow
}
