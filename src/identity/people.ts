// What is kept about a person, and how it goes. docs/people.md lists every table.
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { AuditEntry, AuditFilter } from '../domain/audit.ts'
import { DAY_MS } from '../domain/date-time.ts'
import { findPseudonym } from '../store/audit.ts'
import type { Blobs } from '../store/blobs.ts'
import { listMessages } from '../store/chat-messages.ts'
import { deleteChatsOf, listChatsOf } from '../store/chats.ts'
import type { Database } from '../store/database.ts'
import { listFeedbackOf } from '../store/judgements.ts'
import {
  type DocumentOfPerson,
  findInDocuments,
  findPersonRecords,
  forgetInDocuments,
  forgetRecords,
} from '../store/people.ts'
import { expireRecentQueries } from '../store/recent-queries.ts'
import { expireRecordedQueries, listQueriesOf, type StoredQuery } from '../store/recorded-queries.ts'
import { getSettings } from '../store/settings.ts'
import { removeUserFiles } from '../store/user-files.ts'
import type { AuditLog } from './audit.ts'

const DOCUMENTS_AT_ONCE = 500

interface Needs {
  db: Database
  blobs: Blobs
  audit: Pick<AuditLog, 'all'>
  now: () => number
}

/** What was found, one thing after the other; the last one says how many there were, so a broken export shows. */
export async function* exportPerson(
  { db, audit, now }: Omit<Needs, 'blobs'>,
  email: string,
): AsyncGenerator<Record<string, unknown>> {
  const pseudonym = (await findPseudonym(db, email)) ?? null
  const records = await findPersonRecords(db, email)
  yield { kind: 'person', email, pseudonym, exported_at: iso(now()) }
  let count = 1
  for (const line of linesOf(records)) {
    count += 1
    yield line
  }
  for await (const { id: _, user_id: __, query_key: ___, asked_at, ...rest } of queriesOf(db, ownIds(records))) {
    count += 1
    yield { kind: 'recorded_query', ...rest, asked_at: iso(asked_at) }
  }
  for (const it of await listFeedbackOf(db, ownIds(records))) {
    count += 1
    yield { kind: 'search_feedback', ...it }
  }
  for await (const line of chatsOf(db, [email.toLowerCase(), ...ownIds(records)])) {
    count += 1
    yield line
  }
  for await (const entry of entriesAbout(audit, { email, pseudonym, keys: records.keys.map((it) => it.id) })) {
    count += 1
    const { at, person: _, ...rest } = entry
    yield { kind: 'audit_entry', at: iso(at), ...rest }
  }
  for await (const documents of documentsOf(db, email)) {
    for (const it of documents) {
      count += 1
      yield { kind: 'document', document_id: it.id, as: it.as }
    }
  }
  yield { kind: 'end', lines: count + 1 }
}

/** What was looked for is remembered as long as the administrator has set. */
export async function expireQueries({ db, now }: Pick<Needs, 'db' | 'now'>): Promise<void> {
  const settings = await getSettings(db)
  await expireRecentQueries(db, now() - settings.recent_query_retention_days * DAY_MS)
  await expireRecordedQueries(db, now() - settings.recorded_query_retention_days * DAY_MS)
}

function* linesOf(records: Awaited<ReturnType<typeof findPersonRecords>>): Generator<Record<string, unknown>> {
  for (const { secret_hash: _, kid: __, scopes, user_group_ids, ...it } of records.keys) {
    const lists = { scopes: scopes && JSON.parse(scopes), user_group_ids: JSON.parse(user_group_ids) }
    yield { kind: 'api_key', ...withTimes(it), ...lists }
  }
  for (const { secret_hash: _, kid: __, owner_kid: ___, scopes, ...it } of records.tokens) {
    yield { kind: 'token', ...withTimes(it), scopes: scopes && JSON.parse(scopes) }
  }
  for (const it of records.sessions) yield { kind: 'session', ...withTimes(it) }
  for (const { blob: _, ...it } of records.files) yield { kind: 'file', ...withTimes(it) }
  for (const it of records.credentials) yield { kind: 'credential', ...withTimes(it) }
  for (const group_id of records.source_groups) yield { kind: 'source_group', group_id }
  for (const { query, asked_at } of records.recent_queries)
    yield { kind: 'recent_query', query, asked_at: iso(asked_at) }
  for (const it of records.token_usage) yield { kind: 'token_usage', ...it }
  for (const it of records.judgements) yield { kind: 'judgement', ...withTimes(it) }
  for (const it of records.cc_pairs) yield { kind: 'cc_pair', ...it }
  for (const it of records.tools) yield { kind: 'tool', ...it }
  for (const it of records.oauth_configs) yield { kind: 'oauth_config', ...it }
  for (const it of records.oauth_tokens) yield { kind: 'oauth_token', ...withTimes(it) }
  for (const it of records.tool_failures) yield { kind: 'tool_failure', ...withTimes(it) }
  for (const { users: _, ...it } of records.mcp_servers) yield { kind: 'mcp_server', ...it }
  for (const it of records.mcp_user_credentials) yield { kind: 'mcp_user_credential', ...withTimes(it) }
  for (const it of records.personas) yield { kind: 'persona', ...it }
  for (const { id, name } of records.shared_personas) yield { kind: 'shared_persona', id, name }
  for (const it of records.egress_approvals) yield { kind: 'egress_approval', ...withTimes(it) }
  for (const { users: _, ...it } of records.document_sets) yield { kind: 'document_set', ...it }
}

const ownIds = ({ keys }: Awaited<ReturnType<typeof findPersonRecords>>) => keys.map((it) => it.user_id)

const QUERIES_AT_ONCE = 500

async function* queriesOf(db: Database, userIds: readonly string[]): AsyncGenerator<StoredQuery> {
  for (let after = 0; ; ) {
    const queries: StoredQuery[] = await listQueriesOf(db, userIds, { after, limit: QUERIES_AT_ONCE })
    yield* queries
    if (queries.length < QUERIES_AT_ONCE) return
    after = queries.at(-1)!.id
    await turn()
  }
}

/** Each session, then what was said in it; of an answer its words, not the documents beside it. */
async function* chatsOf(db: Database, owners: readonly string[]): AsyncGenerator<Record<string, unknown>> {
  for (const chat of await listChatsOf(db, owners)) {
    const { id, name, shared_status, time_created, time_updated } = chat
    yield { kind: 'chat', ...withTimes({ id, name, shared_status, time_created, time_updated }) }
    for (const { message_type, message, files, feedback, time_sent } of await listMessages(db, id)) {
      yield { kind: 'chat_message', chat_id: id, message_type, message, files, feedback, time_sent: iso(time_sent) }
    }
    await turn()
  }
}

/** What the person did, and what was done to them and to their keys. */
async function* entriesAbout(
  audit: Pick<AuditLog, 'all'>,
  { email, pseudonym, keys }: { email: string; pseudonym: string | null; keys: readonly number[] },
): AsyncGenerator<AuditEntry> {
  yield* audit.all({ ...ALL, actor: email })
  if (pseudonym !== null) yield* audit.all({ ...ALL, object_type: 'person', object_id: pseudonym })
  for (const id of keys) {
    for await (const entry of audit.all({ ...ALL, object_type: 'api_key', object_id: String(id) })) {
      if (entry.person === null || entry.person !== pseudonym) yield entry
    }
  }
}

const ALL: AuditFilter = {
  actor: null,
  action: null,
  object_type: null,
  object_id: null,
  outcome: null,
  request_id: null,
  from: null,
  until: null,
}

/** Every document is looked at: so others get their turn in between. */
async function* documentsOf(db: Database, email: string): AsyncGenerator<DocumentOfPerson[]> {
  for (let after: number | null = 0; after !== null; ) {
    const found: Awaited<ReturnType<typeof findInDocuments>> = await findInDocuments(db, email, {
      after,
      limit: DOCUMENTS_AT_ONCE,
    })
    if (found.documents.length > 0) yield found.documents
    after = found.last
    await turn()
  }
}

export interface Forgotten {
  /** Under which the person stands in the audit; nothing leads from it to the person any more. */
  pseudonym: string
  deleted: { api_keys: number; tokens: number; files: number }
  anonymised: { documents: number; credentials: number; document_sets: number; egress_approvals: number }
  kept: { files: number; tools: number; personas: number; cc_pairs: number }
}

/** Documents first and the keys last: whoever was interrupted simply calls again. */
export async function forgetPerson(
  { db, blobs, now }: Omit<Needs, 'audit'>,
  email: string,
  { isWithFiles, requestId, wake }: { isWithFiles: boolean; requestId: string; wake: (seq: number) => void },
): Promise<Forgotten> {
  const pseudonym = (await findPseudonym(db, email)) ?? `person-${randomUUID()}`
  let documents = 0
  for await (const found of documentsOf(db, email)) {
    const { seq, count } = await forgetInDocuments(db, found, { now: now(), requestId })
    documents += count
    if (seq > 0) wake(seq)
  }
  const records = await findPersonRecords(db, email)
  const files = records.files.map((it) => it.id)
  if (isWithFiles) await removeUserFiles({ db, blobs }, files)
  await deleteChatsOf(db, [email.toLowerCase(), ...ownIds(records)])
  await forgetRecords(db, records, email)
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

/** Times as the wire has them. */
const withTimes = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      TIME.test(name) && typeof value === 'number' ? iso(value) : value,
    ]),
  )
