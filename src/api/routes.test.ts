// Every route that changes something either declares an audit rule or is listed here with a reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsTokens } from './route.ts'
import { routes } from './routes.ts'

const OWN_FILES = 'changes only own files; their rows contain user and time'
const OWN_ACCOUNT = 'changes only the own account at a provider'
const OWN_CONSENT = 'changes only the own consent; its row contains the time'
const OWN_CHATS = 'changes only own chats'
const OWN_SIGN_IN = 'changes only own credentials for a remote server'
const NOT_AUDITED: Record<string, string> = {
  'POST /service-api/ingestion': 'routine work; the receipt records it',
  'POST /service-api/ingestion/batch': 'routine work; the receipts record it',
  'POST /auth/session': 'audited by its handler, which knows the subject',
  'POST /auth/login': 'audited by its handler, which knows the subject',
  'POST /auth/passkey/login': 'audited by its handler, which knows the subject',
  'POST /auth/ldap/login': 'audited by its handler, which knows the subject',
  'POST /auth/reset-password': 'audited by its handler, which knows the person',
  'POST /auth/forgot-password': 'each mail is audited, after the answer',
  'POST /auth/registration-link': 'each mail is audited, after the answer',
  'POST /auth/passkey/options': 'gives out a random number',
  'POST /auth/passkeys/options': 'gives out a random number',
  'POST /auth/register': 'audited by its handler, which knows the subject',
  'POST /auth/link': 'changes nothing',
  'POST /auth/oidc/backchannel-logout/{slug}': 'audited by its handler, which knows the provider',
  'POST /auth/refresh': 'replaces the token of an own session; the sign-in is audited',
  'POST /search': 'changes nothing',
  'POST /search/suggest': 'changes nothing',
  'POST /search/send-search-message': 'changes nothing',
  'POST /mcp': 'changes nothing',
  'POST /mcp/user-credentials': OWN_SIGN_IN,
  'POST /mcp/oauth/connect': OWN_SIGN_IN,
  'POST /mcp/oauth/callback': OWN_SIGN_IN,
  'POST /admin/relevance/replay': 'changes nothing',
  'POST /search/feedback': 'feedback on an own search; the export of the person contains it',
  'DELETE /search/recent': 'changes only the own list',
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
  'POST /chat/send-chat-message': 'changes nothing',
  'POST /chat/stop-chat-session/{chat_session_id}': OWN_CHATS,
  'POST /chat/confirm-tool-call': OWN_CHATS,
  'POST /chat/create-chat-session': OWN_CHATS,
  'PUT /chat/rename-chat-session': OWN_CHATS,
  'PATCH /chat/chat-session/{chat_session_id}': OWN_CHATS,
  'DELETE /chat/delete-chat-session/{chat_session_id}': OWN_CHATS,
  'DELETE /chat/delete-all-chat-sessions': OWN_CHATS,
  'PUT /chat/update-chat-session-model': OWN_CHATS,
  'PUT /chat/update-chat-session-temperature': OWN_CHATS,
  'PUT /chat/update-chat-session-reasoning': OWN_CHATS,
  'POST /chat/create-chat-message-feedback': OWN_CHATS,
  'DELETE /chat/remove-chat-message-feedback': OWN_CHATS,
  'PUT /chat/set-message-as-latest': OWN_CHATS,
  'PUT /chat/set-preferred-response': OWN_CHATS,
  'POST /user/file/upload': OWN_FILES,
  'POST /user/projects/file/upload': OWN_FILES,
  'DELETE /user/projects/file/{file_id}': OWN_FILES,
  'POST /user/projects/file/statuses': 'changes nothing',
  'POST /admin/persona/upload-image': OWN_FILES,
}

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const isBuilt = ({ errors }: { errors?: readonly string[] }) => errors?.includes('NOT_IMPLEMENTED') !== true
const changing = routes.filter((it) => it.method !== 'GET' && isBuilt(it))

for (const it of changing.filter((it) => NOT_AUDITED[nameOf(it)] === undefined)) {
  test(`${nameOf(it)} is audited`, () => {
    assert.match(it.audit?.action ?? 'it declares no `audit`', /^[a-z_]+\.[a-z_]+$/)
  })
}

test('every listed exception exists and has no audit rule', () => {
  for (const name of Object.keys(NOT_AUDITED)) {
    const it = changing.find((route) => nameOf(route) === name)
    assert.deepEqual([name, it !== undefined, it?.audit], [name, true, undefined])
  }
})

test('the audited object is a path parameter', () => {
  for (const it of routes) {
    const object = it.audit?.object
    if (typeof object === 'string') assert.ok(it.path.includes(`{${object}}`), `${nameOf(it)} has no {${object}}`)
  }
})

/** Administrative routes reject tokens unless they are listed here with the reason why no effect outlives the token. */
const ALLOWED_FOR_TOKENS: Record<string, string> = {
  'POST /admin/search': 'changes nothing',
  'POST /admin/query-history/start-export': 'changes nothing; the download requires the right again',
  'POST /admin/relevance/replay': 'changes nothing',
  'PATCH /admin/ranking': 'changes the order of results, not access',
  'POST /admin/reindex': 'changes the index, not access',
  'DELETE /admin/reindex': 'changes the index, not access',
  'DELETE /admin/llm/provider/{provider_id}': 'ends access',
  'POST /admin/llm/default': 'selects a model that an API key has set up',
  'POST /admin/llm/default-vision': 'selects a model that an API key has set up',
  'POST /admin/llm/default-chat-naming': 'selects a model that an API key has set up',
  'DELETE /admin/llm/default-chat-naming': 'falls back to the chat model, which an API key has set up',
  'POST /admin/llm/test': 'changes nothing',
  'POST /admin/llm/test/default': 'changes nothing',
  'DELETE /admin/webhook/{webhook_id}': 'ends access',
  'POST /admin/webhook/{webhook_id}/test': 'sends one message to a URL that an API key has set up',
  'DELETE /admin/egress/approval/{approval_id}': 'ends access',
  'DELETE /admin/tool/{tool_id}/passthrough-grant': 'ends access',
  'DELETE /admin/mcp/server/{server_id}/passthrough-grant': 'ends access',
  'POST /admin/egress/check': 'changes nothing',
  'PATCH /admin/persona/{persona_id}/listed': 'changes the listing of a persona, not access',
  'PATCH /admin/persona/{persona_id}/featured': 'changes the listing of a persona, not access',
  'PATCH /admin/persona/{persona_id}/undelete': 'restores a persona for its former users',
}

test('administrative routes reject tokens unless they are listed', () => {
  const lasting = changing.filter(({ access }) => [access].flat().some((it) => it === 'admin' || it === 'pats'))
  assert.ok(lasting.length > 20)
  assert.deepEqual(lasting.filter(acceptsTokens).map(nameOf).sort(), Object.keys(ALLOWED_FOR_TOKENS).sort())
  assert.deepEqual(routes.filter((it) => it.allowsTokens === false).map(nameOf), [])
})
