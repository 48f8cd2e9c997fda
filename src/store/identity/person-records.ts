// Where a person occurs in the record. E-mail addresses are compared in lower case.
import type { Selectable } from 'kysely'
import { emailKeyOf, PERSON_PREFIX } from '../../domain/subject.ts'
import { deleteAlertRecords, findAlertRecords } from '../alerts/personal-records.ts'
import { type ChatRecords, deleteChatRecords, findChatRecords } from '../chats/personal-records.ts'
import type { JsonText } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { PatRow, SessionRow } from '../database/identity-tables.ts'
import type { UserFileRow } from '../database/tables.ts'
import { isSameEmail } from '../documents/person-documents.ts'
import { deleteClickCountsOfUsers } from '../popularity/click-counts.ts'
import { listSourceGroups } from '../sources/source-access.ts'
import { listKeysOfPerson, type StoredApiKey } from './api-keys.ts'
import { type GroupMembership, listMemberships } from './groups.ts'
import { findPersonByEmail, type StoredPerson } from './people.ts'
import { listAccountsOfPerson } from './providers/person-identities.ts'
import { deleteScimRecords } from './scim/personal-records.ts'
import { deletePasskeysOf } from './sign-in/passkeys.ts'
import { deleteSecondFactor } from './sign-in/second-factors.ts'

/** Everything except documents and audit entries, which may be many. */
export interface PersonRecords extends ChatRecords {
  /** Undefined if the address occurs in the record, but belongs to no person who uses the service. */
  account: StoredPerson | undefined
  groups: GroupMembership[]
  keys: StoredApiKey[]
  tokens: Selectable<PatRow>[]
  sessions: Pick<Selectable<SessionRow>, 'method' | 'user_agent' | 'address' | 'created_at' | 'last_used_at'>[]
  provider_accounts: { provider: string; subject: string; time_created: number; last_used_at: number }[]
  account_links: { purpose: string; time_created: number; expires_at: number }[]
  second_factors: { time_created: number; confirmed_at: number | null }[]
  passkeys: { name: string; time_created: number; last_used_at: number | null }[]
  files: Selectable<UserFileRow>[]
  credentials: { id: number; name: string | null; source: string; time_created: number }[]
  cc_pairs: { id: number; name: string }[]
  connectors: { id: number; name: string }[]
  tools: { id: number; name: string }[]
  oauth_configs: { id: number; name: string }[]
  oauth_tokens: { oauth_config_id: number; time_updated: number }[]
  tool_failures: { tool_id: number; operation: string; reason: string; failed_at: number }[]
  mcp_servers: { id: number; name: string; users: string }[]
  passthrough_consents: { recipient_kind: string; recipient_id: number; given_at: number }[]
  mcp_user_credentials: { mcp_server_id: number; time_updated: number }[]
  personas: { id: number; name: string }[]
  /** Personas of others that name the person. */
  shared_personas: { id: number; name: string; users: string }[]
  document_sets: { id: number; name: string; users: string }[]
  egress_approvals: { id: number; host: string; port: number | null; reason: string; time_created: number }[]
  /** Groups of sources to which the address belongs. */
  source_groups: string[]
  recent_queries: { query: string; asked_at: number }[]
  token_usage: { day: string; model: string; input_tokens: number; output_tokens: number; calls: number }[]
  judgements: { id: number; query: string; document_id: string; grade: number; judged_at: number }[]
  saved_prompts: { id: number; prompt: string; content: string; active: number; time_created: number }[]
  alert_dismissals: { alert_id: number; until: number | null; time_created: number }[]
  alert_mails: { alert_id: number; event: string; sent_at: number | null }[]
}

const readUsers = (users: JsonText): string[] => JSON.parse(users)

/** No row has this id; SQL has no empty list. */
const NO_ID = ''

export async function findPersonRecords(db: Queryable, email: string): Promise<PersonRecords> {
  const account = await findPersonByEmail(db, email)
  const keys = account === undefined ? [] : await listKeysOfPerson(db, account.id)
  const userIds = userIdsOf({ account, keys })
  const ids = [NO_ID, ...userIds]
  return {
    account,
    groups: account === undefined ? [] : await listMemberships(db, account.id),
    keys,
    ...(await findSignInRecords(db, credentialNamesOf({ account, keys }))),
    provider_accounts: account === undefined ? [] : await listAccountsOfPerson(db, account.id),
    account_links: await db
      .selectFrom('account_link')
      .select(['purpose', 'time_created', 'expires_at'])
      .where('email_key', '=', emailKeyOf(email))
      .orderBy('id')
      .execute(),
    ...(await findFactorRecords(db, account?.id ?? NO_ID)),
    ...(await findAlertRecords(db, userIds)),
    ...(await findChatRecords(db, email, ids)),
    ...(await findConfiguredRecords(db, ids)),
    ...(await findUsageRecords(db, ids)),
    ...(await findRecordsThatNamePeople(db, email, userIds)),
    passthrough_consents: await db
      .selectFrom('passthrough_consent')
      .select(['recipient_kind', 'recipient_id', 'given_at'])
      .where('owner', 'in', ids)
      .orderBy('id')
      .execute(),
    source_groups: await listSourceGroups(db, email),
  }
}

/** The ids under which the record files what belongs to the person. */
export const userIdsOf = ({ account, keys }: Pick<PersonRecords, 'account' | 'keys'>): string[] => [
  ...(account === undefined ? [] : [account.id]),
  ...keys.map((it) => it.user_id),
]

const credentialNamesOf = ({ account, keys }: Pick<PersonRecords, 'account' | 'keys'>): string[] => [
  account === undefined ? NO_ID : PERSON_PREFIX + account.id,
  ...keys.map((it) => it.kid),
]

const findSignInRecords = async (db: Queryable, kids: readonly string[]) => ({
  tokens: await db.selectFrom('pat').selectAll().where('owner_kid', 'in', kids).orderBy('id').execute(),
  sessions: await db
    .selectFrom('session')
    .select(['method', 'user_agent', 'address', 'created_at', 'last_used_at'])
    .where('owner_kid', 'in', kids)
    .orderBy('id')
    .execute(),
})

const findFactorRecords = async (db: Queryable, personId: string) => ({
  second_factors: await db
    .selectFrom('person_totp')
    .select(['time_created', 'confirmed_at'])
    .where('person_id', '=', personId)
    .execute(),
  passkeys: await db
    .selectFrom('passkey')
    .select(['name', 'time_created', 'last_used_at'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute(),
})

const listCreated = (db: Queryable, table: 'cc_pair' | 'connector', ids: readonly string[]) =>
  db.selectFrom(table).select(['id', 'name']).where('creator', 'in', ids).orderBy('id').execute()
const listOwned = (db: Queryable, table: 'tool' | 'oauth_config', ids: readonly string[]) =>
  db.selectFrom(table).select(['id', 'name']).where('user_id', 'in', ids).orderBy('id').execute()

/** The things that the person uploaded, connected and configured. */
const findConfiguredRecords = async (db: Queryable, ids: readonly string[]) => ({
  files: await db.selectFrom('user_file').selectAll().where('user_id', 'in', ids).orderBy('id').execute(),
  cc_pairs: await listCreated(db, 'cc_pair', ids),
  connectors: await listCreated(db, 'connector', ids),
  tools: await listOwned(db, 'tool', ids),
  oauth_configs: await listOwned(db, 'oauth_config', ids),
  oauth_tokens: await db
    .selectFrom('oauth_token')
    .select(['oauth_config_id', 'time_updated'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute(),
  mcp_user_credentials: await db
    .selectFrom('mcp_user_credential')
    .select(['mcp_server_id', 'time_updated'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute(),
})

/** The traces of the use of the service. */
const findUsageRecords = async (db: Queryable, ids: readonly string[]) => ({
  tool_failures: await db
    .selectFrom('tool_failure')
    .select(['tool_id', 'operation', 'reason', 'failed_at'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute(),
  recent_queries: await db
    .selectFrom('recent_query')
    .select(['query', 'asked_at'])
    .where('user_id', 'in', ids)
    .orderBy('asked_at')
    .execute(),
  token_usage: await db
    .selectFrom('token_usage')
    .select(['day', 'model', 'input_tokens', 'output_tokens', 'calls'])
    .where('user_id', 'in', ids)
    .orderBy('day')
    .orderBy('model')
    .execute(),
  saved_prompts: await db
    .selectFrom('saved_prompt')
    .select(['id', 'prompt', 'content', 'active', 'time_created'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute(),
  judgements: await db
    .selectFrom('judgement')
    .select(['id', 'query', 'document_id', 'grade', 'judged_at'])
    .where('user_id', 'in', ids)
    .orderBy('id')
    .execute(),
})

/** These rows name people by address or in lists, so all of them are read and compared here. */
async function findRecordsThatNamePeople(db: Queryable, email: string, own: readonly string[]) {
  const credentials = await db
    .selectFrom('credential')
    .select(['id', 'name', 'source', 'time_created', 'user_email', 'user_id'])
    .orderBy('id')
    .execute()
  const sets = await db.selectFrom('document_set').select(['id', 'name', 'users']).orderBy('id').execute()
  const personas = await db.selectFrom('persona').select(['id', 'name', 'users', 'user_id']).orderBy('id').execute()
  const approvals = await db.selectFrom('egress_approval').selectAll().orderBy('id').execute()
  const servers = await db.selectFrom('mcp_server').select(['id', 'name', 'users', 'user_id']).orderBy('id').execute()
  const isNamed = (users: JsonText) => readUsers(users).some((it) => isSameEmail(it, email) || own.includes(it))
  const isOwn = (userId: string | null) => userId !== null && own.includes(userId)
  return {
    credentials: credentials
      .filter((it) => isSameEmail(it.user_email, email) || isOwn(it.user_id))
      .map(({ user_email: _, user_id: __, ...it }) => it),
    mcp_servers: servers
      .filter((it) => isNamed(it.users) || own.includes(it.user_id))
      .map(({ user_id: _, ...it }) => it),
    personas: personas.filter((it) => isOwn(it.user_id)).map(({ id, name }) => ({ id, name })),
    shared_personas: personas.filter((it) => isNamed(it.users)),
    document_sets: sets.filter((it) => isNamed(it.users)),
    egress_approvals: approvals
      .filter((it) => isSameEmail(it.user_email, email) || own.includes(it.user_id))
      .map(({ user_email: _, user_id: __, ...it }) => it),
  }
}

/**
 * Deletes the person's keys with their tokens, and the address wherever else it occurs. Repeating a call is harmless.
 */
export const deletePersonRecords = (
  db: Database,
  { account, keys, credentials, document_sets, shared_personas, mcp_servers, egress_approvals }: PersonRecords,
  email: string,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const ids = [NO_ID, ...userIdsOf({ account, keys })]
    const names = credentialNamesOf({ account, keys })
    const without = (users: JsonText) =>
      JSON.stringify(readUsers(users).filter((it) => !isSameEmail(it, email) && !ids.includes(it)))
    for (const { id, users } of document_sets) {
      await trx
        .updateTable('document_set')
        .set({ users: without(users) })
        .where('id', '=', id)
        .execute()
    }
    for (const { id, users } of shared_personas) {
      await trx
        .updateTable('persona')
        .set({ users: without(users) })
        .where('id', '=', id)
        .execute()
    }
    for (const { id, users } of mcp_servers) {
      await trx
        .updateTable('mcp_server')
        .set({ users: without(users) })
        .where('id', '=', id)
        .execute()
    }
    await trx.deleteFrom('passthrough_consent').where('owner', 'in', ids).execute()
    await trx.deleteFrom('call_token').where('owner', 'in', ids).execute()
    await trx.deleteFrom('mcp_user_credential').where('user_id', 'in', ids).execute()
    await trx.deleteFrom('mcp_oauth_flow').where('user_id', 'in', ids).execute()
    for (const { id } of credentials) {
      await trx.updateTable('credential').set({ user_email: null }).where('id', '=', id).execute()
    }
    for (const { id } of egress_approvals) {
      await trx.updateTable('egress_approval').set({ user_email: null }).where('id', '=', id).execute()
    }
    await trx.deleteFrom('source_group_member').where('email', '=', email.toLowerCase()).execute()
    await trx.deleteFrom('oauth_token').where('user_id', 'in', ids).execute()
    await trx.deleteFrom('oauth_state').where('user_id', 'in', ids).execute()
    await trx.deleteFrom('tool_failure').where('user_id', 'in', ids).execute()
    await trx.deleteFrom('recent_query').where('user_id', 'in', ids).execute()
    await trx.deleteFrom('saved_prompt').where('user_id', 'in', ids).execute()
    await deleteClickCountsOfUsers(trx, ids)
    await trx.deleteFrom('search_feedback').where('user_id', 'in', ids).execute()
    await trx.updateTable('document_verification').set({ verified_by: null }).where('verified_by', 'in', ids).execute()
    await trx.deleteFrom('recorded_query').where('user_id', 'in', ids).execute()
    await deleteAlertRecords(trx, ids)
    await deleteChatRecords(trx, email, ids)
    await trx.deleteFrom('pat').where('owner_kid', 'in', names).execute()
    await trx.deleteFrom('session').where('owner_kid', 'in', names).execute()
    await trx.deleteFrom('account_link').where('email_key', '=', emailKeyOf(email)).execute()
    await deleteAccount(trx, { account, keys })
    await trx.deleteFrom('audit_person').where('email', '=', email.toLowerCase()).execute()
  })

async function deleteAccount(
  trx: Queryable,
  { account, keys }: Pick<PersonRecords, 'account' | 'keys'>,
): Promise<void> {
  for (const { id } of keys) {
    await trx.deleteFrom('user_group_key').where('api_key_id', '=', id).execute()
    await trx.deleteFrom('api_key').where('id', '=', id).execute()
  }
  if (account === undefined) return
  await trx.deleteFrom('user_group_member').where('person_id', '=', account.id).execute()
  await deleteSecondFactor(trx, account.id)
  await deletePasskeysOf(trx, account.id)
  await deleteScimRecords(trx, account.id)
  await trx.deleteFrom('person').where('id', '=', account.id).execute()
}
