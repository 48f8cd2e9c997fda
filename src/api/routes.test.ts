// Every act of administration is written down: a route that changes something either declares so, or stands here with
// the reason why it is none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from './routes.ts'

const OWN_FILES = 'work with one’s own files: their rows say who and when'
const OWN_ACCOUNT = 'work with one’s own account elsewhere, which nobody else uses'
const OWN_CHATS = 'work with one’s own chats, which nobody looks after but who leads them'
const OWN_SIGN_IN = 'what somebody may do elsewhere is between them and the server there'
const NO_ACT: Record<string, string> = {
  'POST /service-api/ingestion': 'the work of the service: the receipt has it',
  'POST /service-api/ingestion/batch': 'the work of the service: the receipts have it',
  'POST /auth/session': 'written down by its handler: only that knows who asks',
  'POST /search': 'a question',
  'POST /search/suggest': 'a question',
  'POST /mcp': 'a question',
  'POST /mcp/user-credentials': OWN_SIGN_IN,
  'POST /mcp/oauth/connect': OWN_SIGN_IN,
  'POST /mcp/oauth/callback': OWN_SIGN_IN,
  'POST /admin/relevance/replay': 'a question',
  'POST /search/feedback': 'what somebody did with an own search; their own export has it',
  'DELETE /search/recent': 'one’s own list, which nobody else sees',
  'POST /admin/egress/check': 'a question',
  'POST /admin/search': 'a question',
  'POST /manage/admin/connector/indexing-status': 'a question',
  'POST /admin/tool/custom/validate': 'a question',
  'POST /manage/admin/connector/preview': 'a question',
  'POST /admin/tool/{tool_id}/diff': 'a question',
  'POST /oauth-config/initiate': OWN_ACCOUNT,
  'POST /oauth-config/callback': OWN_ACCOUNT,
  'DELETE /oauth-config/{oauth_config_id}/token': OWN_ACCOUNT,
  'POST /chat/send-chat-message': 'a question',
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
  'POST /user/projects/file/statuses': 'a question',
  'POST /admin/persona/upload-image': OWN_FILES,
}

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const changing = routes.filter((it) => it.method !== 'GET')

for (const it of changing.filter((it) => NO_ACT[nameOf(it)] === undefined)) {
  test(`${nameOf(it)} is written down in the audit`, () => {
    assert.match(it.audit?.action ?? 'it declares no `audit`', /^[a-z_]+\.[a-z_]+$/)
  })
}

test('what is said to be no act is there, and declares none', () => {
  for (const name of Object.keys(NO_ACT)) {
    const it = changing.find((route) => nameOf(route) === name)
    assert.deepEqual([name, it !== undefined, it?.audit], [name, true, undefined])
  }
})

test('an object that is a parameter is one of the path', () => {
  for (const it of routes) {
    const object = it.audit?.object
    if (typeof object === 'string') assert.ok(it.path.includes(`{${object}}`), `${nameOf(it)} has no {${object}}`)
  }
})
