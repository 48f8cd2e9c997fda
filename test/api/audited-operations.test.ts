// Calls every operation that changes something, and reads the entry that it leaves in the audit. An operation is in the
// table of audited ones, or listed here with the reason why nobody needs an entry.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import de from '../../web/src/text/de.json' with { type: 'json' }
import en from '../../web/src/text/en.json' with { type: 'json' }
import { createFixture, givenFor } from '../servers/schemathesis-seeds.ts'
import { startRemoteServers } from '../servers/start-remote-servers.ts'
import { AUDITED, type AuditedOperation, type AuditedRequest, ORIGIN } from './audited-operations.ts'
import type { Reply } from './request.ts'
import { start } from './setup.ts'

const nearby = await startRemoteServers()
const { server, ask, ok } = await start({ ...nearby.env, PUBLIC_URL: ORIGIN })
const fixture = createFixture({ server, nearby, key: server.key })
const OPERATOR = '00000000-0000-4000-8000-000000000000'

/** The actions that a language has sentences for. */
const TEXTS = [en, de].map(
  ({ admin }) =>
    new Set(Object.entries(admin.audit.done).flatMap(([type, it]) => Object.keys(it).map((verb) => `${type}.${verb}`))),
)

interface Entry {
  actor_id: string
  action: string
  object_id: string | null
  object_email: string | null
  outcome: string
}

let made = 0
for (const [operation, row] of Object.entries(AUDITED)) {
  test(`${operation} leaves the entry ${row[0]}`, async () => {
    const request: AuditedRequest = { ...(await givenFor(fixture, operation)), ...(await row[2]?.(fixture)) }
    const request_id = `audited-${++made}`
    const reply = await send(operation, request, request_id)
    assert.ok(reply.status < 300, `${reply.status} ${reply.text}`)
    const entries: Entry[] = await ok('GET', `/admin/audit?request_id=${request_id}`)
    const entry = entries.find((it) => it.action === row[0])
    assert.ok(entry !== undefined, `the entries are ${JSON.stringify(entries.map((it) => it.action))}`)
    assert.equal(entry.outcome, 'success')
    assert.match(entry.actor_id, patternOf(request.actor ?? OPERATOR))
    checkObject(row, entry, { request, reply })
    for (const { action } of entries)
      assert.ok(
        TEXTS.every((it) => it.has(action)),
        `${action} has no text`,
      )
    for (const secret of secretsIn([request, reply.body]))
      assert.ok(!JSON.stringify(entries).includes(secret), `an entry contains ${secret}`)
  })
}

function send(operation: string, request: AuditedRequest, request_id: string): Promise<Reply> {
  const [method = '', pattern = ''] = operation.split(' ')
  const path = pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(request.path[name])))
  const query = new URLSearchParams(request.query ?? {}).toString()
  const { body, bytes, key } = request
  return ask(method, query === '' ? path : `${path}?${query}`, {
    ...(bytes !== undefined ? { bytes } : body !== undefined && { body }),
    ...(key !== undefined && { key }),
    headers: { ...request.headers, 'x-request-id': request_id },
  })
}

const patternOf = (text: string | RegExp): RegExp =>
  text instanceof RegExp ? text : new RegExp(`^${RegExp.escape(text)}$`)

function checkObject(
  [, object]: AuditedOperation,
  entry: Entry,
  { request, reply }: { request: AuditedRequest; reply: Reply },
): void {
  if (typeof object === 'object' && object !== null && 'person' in object) {
    assert.equal(entry.object_email?.toLowerCase(), request.about)
    return
  }
  const expected = typeof object === 'function' ? object(request, reply) : readObject(object, { request, reply })
  assert.ok(expected !== undefined, 'the table names no object')
  if (expected === null) assert.equal(entry.object_id, null)
  else assert.match(String(entry.object_id), expected instanceof RegExp ? expected : patternOf(String(expected)))
}

function readObject(
  object: string | RegExp | null,
  { request, reply }: { request: AuditedRequest; reply: Reply },
): unknown {
  if (typeof object !== 'string') return object
  if (object.startsWith('{')) return request.path[object.slice(1, -1)]
  return object.startsWith('.') ? reply.body[object.slice(1)] : object
}

const SECRET_NAMES = /password|secret|token$|api_key$|link$|code$|credential_json|custom_headers/
const MIN_SECRET = 6

/** The canaries, and the texts under the names of secrets. */
function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string')
    return (isSecret && value.length >= MIN_SECRET) || value.startsWith('CANARY') ? [value] : []
  if (Buffer.isBuffer(value) || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, it]) => secretsIn(it, isSecret || SECRET_NAMES.test(name)))
}

const OWN_FILES = 'changes only own files; their rows contain user and time'
const OWN_ACCOUNT = 'changes only the own account at a provider'
const OWN_CONSENT = 'changes only the own consent; its row contains the time'
const OWN_CHATS = 'changes only own chats'
const OWN_PROMPTS = 'changes only own saved prompts'
const OWN_SIGN_IN = 'changes only own credentials for a remote server'
const NEVER = 'never succeeds: the operator chooses the embedding model'
const SIGN_INS = 'audited: sign-in-audit.test.ts'
const MAILS = 'each mail is audited, after the answer: sign-in-audit.test.ts'
const REMOVALS = 'audited: scim-removals.test.ts'
const KEYS = 'audited: secret-keys.test.ts'
const BACKUPS = 'audited: backup.test.ts'
const NOT_AUDITED: Record<string, string> = {
  'POST /service-api/ingestion': 'routine work; the receipt records it',
  'POST /service-api/ingestion/batch': 'routine work; the receipts record it',
  'POST /auth/passkey/login': SIGN_INS,
  'POST /auth/ldap/login': SIGN_INS,
  'POST /auth/saml/{slug}/callback': SIGN_INS,
  'POST /auth/oidc/backchannel-logout/{slug}': SIGN_INS,
  'POST /auth/forgot-password': MAILS,
  'POST /auth/registration-link': MAILS,
  'POST /admin/scim/held-removals/{removal_id}/approve': REMOVALS,
  'POST /admin/scim/held-removals/{removal_id}/discard': REMOVALS,
  'DELETE /admin/secret-key/{kid}': KEYS,
  'POST /admin/backup': BACKUPS,
  'POST /admin/backup/{backup_id}/download': BACKUPS,
  'GET /admin/backup/{backup_id}/file': BACKUPS,
  'DELETE /admin/backup/{backup_id}': BACKUPS,
  'PUT /admin/embedding/embedding-provider': NEVER,
  'DELETE /admin/embedding/embedding-provider/{provider_type}': NEVER,
  'POST /auth/passkey/options': 'gives out a random number',
  'POST /auth/passkeys/options': 'gives out a random number',
  'POST /auth/link': 'changes nothing',
  'POST /auth/refresh': 'replaces the token of an own session; the sign-in is audited',
  'POST /search': 'changes nothing',
  'POST /search/suggest': 'changes nothing',
  'POST /search/send-search-message': 'changes nothing',
  'POST /mcp': 'changes nothing',
  'POST /mcp/user-credentials': OWN_SIGN_IN,
  'POST /mcp/oauth/connect': OWN_SIGN_IN,
  'POST /mcp/oauth/callback': OWN_SIGN_IN,
  'POST /admin/relevance/replay': 'changes nothing',
  'POST /admin/ranking/preview': 'changes nothing',
  'POST /search/feedback': 'feedback on an own search; the export of the person contains it',
  'DELETE /search/recent': 'changes only the own list',
  'DELETE /search/feedback': 'deletes only own feedback',
  'PATCH /user/preferences': 'changes only how the pages look to the caller',
  'POST /admin/egress/check': 'changes nothing',
  'POST /admin/search': 'changes nothing',
  'POST /scim/v2/.search': 'changes nothing',
  'POST /scim/v2/Users/.search': 'changes nothing',
  'POST /scim/v2/Groups/.search': 'changes nothing',
  'POST /manage/admin/connector/indexing-status': 'changes nothing',
  'POST /admin/tool/custom/validate': 'changes nothing',
  'POST /admin/tool/{tool_id}/diff': 'changes nothing',
  'PUT /user/passthrough-consent': OWN_CONSENT,
  'DELETE /user/passthrough-consent/{consent_id}': OWN_CONSENT,
  'POST /oauth-config/initiate': OWN_ACCOUNT,
  'POST /oauth-config/callback': OWN_ACCOUNT,
  'DELETE /oauth-config/{oauth_config_id}/token': OWN_ACCOUNT,
  'POST /chat/send-chat-message': OWN_CHATS,
  'POST /chat/stop-chat-session/{chat_session_id}': OWN_CHATS,
  'POST /chat/confirm-tool-call': OWN_CHATS,
  'POST /chat/create-chat-session': OWN_CHATS,
  'PUT /chat/rename-chat-session': OWN_CHATS,
  'PATCH /chat/chat-session/{chat_session_id}': OWN_CHATS,
  'PUT /chat/chat-session/{chat_session_id}/readers': OWN_CHATS,
  'POST /user/projects/create': OWN_CHATS,
  'PATCH /user/projects/{project_id}': OWN_CHATS,
  'DELETE /user/projects/{project_id}': OWN_CHATS,
  'POST /user/projects/{project_id}/instructions': OWN_CHATS,
  'POST /user/projects/{project_id}/files/{file_id}': OWN_CHATS,
  'DELETE /user/projects/{project_id}/files/{file_id}': OWN_CHATS,
  'POST /user/projects/{project_id}/move_chat_session': OWN_CHATS,
  'POST /user/projects/remove_chat_session': OWN_CHATS,
  'DELETE /chat/delete-chat-session/{chat_session_id}': OWN_CHATS,
  'DELETE /chat/delete-all-chat-sessions': OWN_CHATS,
  'PUT /chat/update-chat-session-model': OWN_CHATS,
  'PUT /chat/update-chat-session-temperature': OWN_CHATS,
  'PUT /chat/update-chat-session-reasoning': OWN_CHATS,
  'POST /chat/create-chat-message-feedback': OWN_CHATS,
  'DELETE /chat/remove-chat-message-feedback': OWN_CHATS,
  'PUT /chat/set-message-as-latest': OWN_CHATS,
  'PUT /chat/set-preferred-response': OWN_CHATS,
  'POST /input_prompt': OWN_PROMPTS,
  'PATCH /input_prompt/{input_prompt_id}': OWN_PROMPTS,
  'DELETE /input_prompt/{input_prompt_id}': OWN_PROMPTS,
  'POST /user/file/upload': OWN_FILES,
  'POST /user/projects/file/upload': OWN_FILES,
  'DELETE /user/projects/file/{file_id}': OWN_FILES,
  'POST /user/projects/file/statuses': 'changes nothing',
  'POST /admin/persona/upload-image': OWN_FILES,
}

test('the tables have every operation that changes something or reads for an administrator with an entry', () => {
  const isBuilt = ({ errors }: { errors?: readonly string[] }) => errors?.includes('NOT_IMPLEMENTED') !== true
  const operations = routes
    .filter((it) => isBuilt(it) && (it.method !== 'GET' || it.audit !== undefined))
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual([...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].sort(), operations.sort())
})
