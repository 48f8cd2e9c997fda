// Checks what routes declare. test/api/audited-operations.test.ts calls them and reads the audit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsTokens } from './route.ts'
import { routes } from './routes.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const isBuilt = ({ errors }: { errors?: readonly string[] }) => errors?.includes('NOT_IMPLEMENTED') !== true
const changing = routes.filter((it) => it.method !== 'GET' && isBuilt(it))

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
  'POST /admin/ranking/preview': 'changes nothing',
  'PATCH /admin/ranking': 'changes the order of results, not access',
  'POST /admin/reindex': 'changes the index, not access',
  'DELETE /admin/reindex': 'changes the index, not access',
  'DELETE /admin/llm/provider/{provider_id}': 'ends access',
  'POST /admin/llm/default': 'selects a model that an API key has set up',
  'POST /admin/llm/default-vision': 'selects a model that an API key has set up',
  'POST /admin/llm/default-chat-naming': 'selects a model that an API key has set up',
  'DELETE /admin/llm/default-chat-naming': 'falls back to the chat model, which an API key has set up',
  'DELETE /admin/llm/default-vision': 'leaves pictures to the chat model, which an API key has set up',
  'POST /admin/llm/test': 'changes nothing',
  'POST /admin/llm/available-models': 'changes nothing',
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
