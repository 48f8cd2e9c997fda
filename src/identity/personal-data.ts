// Exports and deletes the data about a person. docs/people.md lists every table.
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { AuditEntry, AuditFilter } from '../domain/audit.ts'
import { deleteChatsByOwner, listChatsByOwner } from '../store/chats/chats.ts'
import { listMessages } from '../store/chats/messages.ts'
import type { Database } from '../store/database/database.ts'
import {
  findDocumentsOfPerson,
  type PersonDocument,
  removePersonFromDocuments,
} from '../store/documents/person-documents.ts'
import type { Blobs } from '../store/files/blobs.ts'
import { removeUserFiles } from '../store/files/user-files.ts'
import { listVerificationsByUsers } from '../store/freshness/verifications.ts'
import { findPseudonym } from '../store/identity/audit.ts'
import { changePerson } from '../store/identity/change-person.ts'
import { findPersonByEmail, readPreferences } from '../store/identity/people.ts'
import { deletePersonRecords, findPersonRecords, userIdsOf } from '../store/identity/person-records.ts'
import { listScimRecords } from '../store/identity/scim/personal-records.ts'
import { listFeedbackByUsers } from '../store/search/judgements.ts'
import { expireRecentQueries } from '../store/search/recent-queries.ts'
import { expireRecordedQueries, listQueriesByUsers, type StoredQuery } from '../store/search/recorded-queries.ts'
import { getSettings } from '../store/settings/settings.ts'
import { daysBefore } from '../wire/date-time.ts'
import type { AuditLog } from './audit-log.ts'

const DOCUMENT_BATCH_SIZE = 500

interface PersonalDataDeps {
  db: Database
  blobs: Blobs
  audit: Pick<AuditLog, 'streamAll'>
  now: () => number
}

type ExportDeps = Omit<PersonalDataDeps, 'blobs'>

/** Yields one object per record. The last one has the total number, so that an incomplete export is noticed. */
export async function* exportPerson(deps: ExportDeps, email: string): AsyncGenerator<Record<string, unknown>> {
  const { db, audit, now } = deps
  const pseudonym = (await findPseudonym(db, email)) ?? null
  const records = await findPersonRecords(db, email)
  yield { kind: 'person', email, pseudonym, exported_at: iso(now()) }
  let count = 1
  for await (const line of readOwnLines(deps, records)) {
    count += 1
    yield line
  }
  for await (const entry of readAuditEntries(audit, { email, pseudonym, keys: records.keys.map((it) => it.id) })) {
    count += 1
    yield auditLine(entry)
  }
  for await (const documents of readDocuments(db, { email, ids: userIdsOf(records) })) {
    for (const it of documents) {
      count += 1
      yield { kind: 'document', document_id: it.id, as: it.as }
    }
  }
  yield { kind: 'end', lines: count + 1 }
}

/**
 * What a person may have without an administrator. Left out: documents that name the person, which the person may not be
 * allowed to read, and what administrators did.
 */
export async function* exportOwnData(deps: ExportDeps, email: string): AsyncGenerator<Record<string, unknown>> {
  const { db, audit, now } = deps
  const records = await findPersonRecords(db, email)
  yield { kind: 'person', email, exported_at: iso(now()) }
  let count = 1
  for await (const line of readOwnLines(deps, records)) {
    count += 1
    yield line
  }
  for await (const entry of audit.streamAll({ ...ANY_ENTRY, actor: email })) {
    count += 1
    yield auditLine(entry)
  }
  yield { kind: 'end', lines: count + 1 }
}

/** The address of another person is no data of this one. */
function auditLine({ at, person: _, object_email: __, ...rest }: AuditEntry): Record<string, unknown> {
  return { kind: 'audit_entry', at: iso(at), ...rest }
}

/** The account, its objects, and its actions except those in the audit. */
async function* readOwnLines(
  { db }: ExportDeps,
  records: Awaited<ReturnType<typeof findPersonRecords>>,
): AsyncGenerator<Record<string, unknown>> {
  const scim = records.account === undefined ? [] : await listScimRecords(db, records.account.id)
  for (const it of scim) yield { kind: 'scim', ...withIsoTimes(it) }
  yield* recordLines(records)
  for await (const { id: _, user_id: __, query_key: ___, asked_at, ...rest } of readQueries(db, userIdsOf(records))) {
    yield { kind: 'recorded_query', ...rest, asked_at: iso(asked_at) }
  }
  for (const it of await listFeedbackByUsers(db, userIdsOf(records))) {
    yield { kind: 'search_feedback', ...it }
  }
  for (const it of await listVerificationsByUsers(db, userIdsOf(records))) {
    yield { kind: 'document_verification', ...withIsoTimes(it), verified_until: iso(it.verified_until) }
  }
  yield* readChats(db, ownersOf(records))
}

/** Deletes stored queries after the configured retention. */
export async function expireQueries({ db, now }: Pick<PersonalDataDeps, 'db' | 'now'>): Promise<void> {
  const settings = await getSettings(db)
  await expireRecentQueries(db, daysBefore(now(), settings.recent_query_retention_days))
  await expireRecordedQueries(db, daysBefore(now(), settings.recorded_query_retention_days))
}

function* recordLines(records: Awaited<ReturnType<typeof findPersonRecords>>): Generator<Record<string, unknown>> {
  if (records.account !== undefined) {
    const { password_hash: _, email_key: __, preferences, ...account } = records.account
    yield { kind: 'account', ...withIsoTimes(account), preferences: readPreferences(preferences) }
  }
  for (const it of records.groups) yield { kind: 'group', ...it }
  for (const { secret_hash: _, kid: __, scopes, ...it } of records.keys) {
    yield { kind: 'api_key', ...withIsoTimes(it), scopes: scopes && JSON.parse(scopes) }
  }
  for (const { secret_hash: _, kid: __, owner_kid: ___, scopes, ...it } of records.tokens) {
    yield { kind: 'token', ...withIsoTimes(it), scopes: scopes && JSON.parse(scopes) }
  }
  for (const it of records.provider_accounts) yield { kind: 'provider_account', ...withIsoTimes(it) }
  for (const it of records.account_links) yield { kind: 'account_link', ...withIsoTimes(it) }
  for (const it of records.second_factors) yield { kind: 'second_factor', ...withIsoTimes(it) }
  for (const it of records.passkeys) yield { kind: 'passkey', ...withIsoTimes(it) }
  for (const it of records.sessions) yield { kind: 'session', ...withIsoTimes(it) }
  for (const { blob: _, ...it } of records.files) yield { kind: 'file', ...withIsoTimes(it) }
  for (const it of records.credentials) yield { kind: 'credential', ...withIsoTimes(it) }
  for (const group_id of records.source_groups) yield { kind: 'source_group', group_id }
  for (const { query, asked_at } of records.recent_queries)
    yield { kind: 'recent_query', query, asked_at: iso(asked_at) }
  for (const it of records.token_usage) yield { kind: 'token_usage', ...it }
  for (const it of records.judgements) yield { kind: 'judgement', ...withIsoTimes(it) }
  for (const { active, ...it } of records.saved_prompts)
    yield { kind: 'saved_prompt', ...withIsoTimes(it), active: active === 1 }
  for (const it of records.alert_dismissals) yield { kind: 'alert_dismissal', ...withIsoTimes(it) }
  for (const it of records.alert_mails) yield { kind: 'alert_mail', ...withIsoTimes(it) }
  for (const it of records.projects) yield { kind: 'project', ...withIsoTimes(it) }
  for (const it of records.shared_chats) yield { kind: 'shared_chat', ...it }
  for (const it of records.cc_pairs) yield { kind: 'cc_pair', ...it }
  for (const it of records.connectors) yield { kind: 'connector', ...it }
  for (const it of records.tools) yield { kind: 'tool', ...it }
  for (const it of records.oauth_configs) yield { kind: 'oauth_config', ...it }
  for (const it of records.oauth_tokens) yield { kind: 'oauth_token', ...withIsoTimes(it) }
  for (const it of records.tool_failures) yield { kind: 'tool_failure', ...withIsoTimes(it) }
  for (const { users: _, ...it } of records.mcp_servers) yield { kind: 'mcp_server', ...it }
  for (const it of records.mcp_user_credentials) yield { kind: 'mcp_user_credential', ...withIsoTimes(it) }
  for (const it of records.passthrough_consents) yield { kind: 'passthrough_consent', ...withIsoTimes(it) }
  for (const it of records.personas) yield { kind: 'persona', ...it }
  for (const { id, name } of records.shared_personas) yield { kind: 'shared_persona', id, name }
  for (const it of records.egress_approvals) yield { kind: 'egress_approval', ...withIsoTimes(it) }
  for (const { users: _, ...it } of records.document_sets) yield { kind: 'document_set', ...it }
}

/** Nothing belongs to an empty id; SQL has no empty list. */
const ownersOf = (records: Awaited<ReturnType<typeof findPersonRecords>>) => ['', ...userIdsOf(records)]

const QUERY_BATCH_SIZE = 500

async function* readQueries(db: Database, userIds: readonly string[]): AsyncGenerator<StoredQuery> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const queries: StoredQuery[] = await listQueriesByUsers(db, userIds, { after, limit: QUERY_BATCH_SIZE })
    yield* queries
    // Only a full batch has a query at this place: then there may be more.
    after = queries[QUERY_BATCH_SIZE - 1]?.id
    if (after !== undefined) await turn()
  }
}

/** Each chat, followed by its messages without the documents of answers. */
async function* readChats(db: Database, owners: readonly string[]): AsyncGenerator<Record<string, unknown>> {
  for (const chat of await listChatsByOwner(db, owners)) {
    const { id, name, shared_status, time_created, time_updated } = chat
    yield { kind: 'chat', ...withIsoTimes({ id, name, shared_status, time_created, time_updated }) }
    for (const { message_type, message, files, feedback, time_sent } of await listMessages(db, id)) {
      yield { kind: 'chat_message', chat_id: id, message_type, message, files, feedback, time_sent: iso(time_sent) }
    }
    await turn()
  }
}

/** Actions of the person, and actions on the person and their keys. */
async function* readAuditEntries(
  audit: Pick<AuditLog, 'streamAll'>,
  { email, pseudonym, keys }: { email: string; pseudonym: string | null; keys: readonly number[] },
): AsyncGenerator<AuditEntry> {
  yield* audit.streamAll({ ...ANY_ENTRY, actor: email })
  const objects = [
    { object_type: 'person', object_id: email },
    ...keys.map((id) => ({ object_type: 'api_key', object_id: String(id) })),
  ]
  for (const object of objects) {
    for await (const entry of audit.streamAll({ ...ANY_ENTRY, ...object })) {
      if (entry.person === null || entry.person !== pseudonym) yield entry
    }
  }
}

const ANY_ENTRY: AuditFilter = {
  actor: null,
  action: null,
  object_type: null,
  object_id: null,
  outcome: null,
  request_id: null,
  from: null,
  until: null,
}

/** Scans all documents, and yields to other work between batches. */
async function* readDocuments(
  db: Database,
  person: { email: string; ids: readonly string[] },
): AsyncGenerator<PersonDocument[]> {
  for (let after: number | null = 0; after !== null; ) {
    const found: Awaited<ReturnType<typeof findDocumentsOfPerson>> = await findDocumentsOfPerson(db, person, {
      after,
      limit: DOCUMENT_BATCH_SIZE,
    })
    if (found.documents.length > 0) yield found.documents
    after = found.last
    await turn()
  }
}

export interface ForgetReport {
  /** The name of the person in the audit log; nothing leads from it to the person any more. */
  pseudonym: string
  deleted: { api_keys: number; tokens: number; files: number }
  anonymised: { documents: number; credentials: number; document_sets: number; egress_approvals: number }
  kept: { files: number; tools: number; personas: number; cc_pairs: number }
}

/**
 * Suspends the person first, so that nothing is created meanwhile. Deletes keys last, so that an interrupted call can be
 * repeated. LAST_ADMIN: nobody else who can sign in would be an administrator.
 */
export async function forgetPerson(
  { db, blobs, now }: Omit<PersonalDataDeps, 'audit'>,
  email: string,
  { isWithFiles, requestId, wake }: { isWithFiles: boolean; requestId: string; wake: (seq: number) => void },
): Promise<ForgetReport> {
  const person = await findPersonByEmail(db, email)
  if (person !== undefined) await changePerson(db, email, { is_active: false }, now())
  const pseudonym = (await findPseudonym(db, email)) ?? `person-${randomUUID()}`
  let documents = 0
  const records = await findPersonRecords(db, email)
  for await (const found of readDocuments(db, { email, ids: userIdsOf(records) })) {
    const { seq, count } = await removePersonFromDocuments(db, found, { now: now(), requestId })
    documents += count
    if (seq > 0) wake(seq)
  }
  const files = records.files.map((it) => it.id)
  if (isWithFiles) await removeUserFiles({ db, blobs }, files)
  await deleteChatsByOwner(db, ownersOf(records))
  await deletePersonRecords(db, records, email)
  return {
    pseudonym,
    deleted: { api_keys: records.keys.length, tokens: records.tokens.length, files: isWithFiles ? files.length : 0 },
    anonymised: {
      documents,
      credentials: records.credentials.length,
      document_sets: records.document_sets.length,
      egress_approvals: records.egress_approvals.length,
    },
    kept: {
      files: isWithFiles ? 0 : files.length,
      tools: records.tools.length,
      personas: records.personas.length,
      cc_pairs: records.cc_pairs.length,
    },
  }
}

const iso = (millis: number) => new Date(millis).toISOString()

const TIME = /_at$|^time_/

/** Converts times to the wire format. */
const withIsoTimes = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      TIME.test(name) && typeof value === 'number' ? iso(value) : value,
    ]),
  )
