// schemathesis, a property-based tester of HTTP interfaces, over what the running program publishes of itself. It takes
// up new operations by itself; only an object that it cannot make needs a word here, in `seed`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { asking } from '../api/ask.ts'
import { form, formHeaders, png } from '../api/form.ts'
import { documentOf, stepsOf } from '../api/steps.ts'
import { SCHEMATHESIS } from '../needs.ts'
import { chooseSeed } from '../random.ts'
import { type Server, startServer } from '../server.ts'

export const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

interface Run {
  role: Role
  /** How many requests schemathesis makes up for an operation, beside those that look for its edges. */
  cases: number
  /** All that schemathesis has, unless said otherwise. */
  phases?: string
  env?: Record<string, string>
  timeoutMs: number
}

/** Nobody listens there: what is made up must not reach a host that somebody has. */
const NO_WAY_OUT = { EGRESS_PROXY: 'http://127.0.0.1:1' }
/** A slow machine is no finding. */
const ANSWER_WITHIN_S = 120
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'

/** Fails with what schemathesis found; answers how often each operation gave which status. */
export async function fuzz(t: TestContext, run: Run): Promise<Map<string, number[]>> {
  const { role, cases, phases = ALL_PHASES, env = {}, timeoutMs } = run
  const server = await startServer({ env: { LOG_LEVEL: 'warn', ...NO_WAY_OUT, ...env } })
  const { key, seeds } = await seed(server, role)
  const folder = mkdtempSync(join(tmpdir(), 'pharos-schemathesis-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const calls = join(folder, 'calls')
  const words = [
    ...['--no-color', 'run', `${server.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`],
    ...['--checks', 'all', '--phases', phases, '--mode', 'all', '--continue-on-failure'],
    ...['--request-timeout', String(ANSWER_WITHIN_S), '--max-response-time', String(ANSWER_WITHIN_S)],
    ...['--max-examples', String(cases), '--seed', String(chooseSeed((line) => t.diagnostic(line)))],
    // Two threads that read source text at once fail in Python 3.11: https://github.com/python/cpython/issues/106905
    ...['--workers', '1'],
    ...['--suppress-health-check', 'all', '--generation-database', 'none'],
  ]
  const { isClean, output } = await schemathesis(words, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CALLS: calls,
      SEEDS: JSON.stringify(seeds),
      SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    timeout: timeoutMs,
    signal: t.signal,
  })
  assert.ok(isClean, output)
  assert.deepEqual(server.output().match(/.*"level":(?:50|60).*/g), null, 'the log has an error')
  assert.equal((await server.api('GET', '/health')).status, 200)
  const answers = Map.groupBy(linesOf(calls), (it) => it.slice(0, it.lastIndexOf(' ')))
  return new Map([...answers].map(([operation, lines]) => [operation, lines.map((it) => Number(it.split(' ').at(-1)))]))
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trim().split('\n')

/** What succeeds only beside another server, at one moment, or with a body that no schema tells of; each has its tests in `test/api`. */
const OTHERWISE = new Set([
  'POST /search/feedback',
  'POST /manage/admin/connector/run-once',
  'GET /manage/admin/cc-pair/{cc_pair_id}/prune',
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune',
  'PUT /manage/admin/credential/swap',
  'POST /auth/session',
  'POST /admin/tool/{tool_id}/try',
  'POST /oauth-config/initiate',
  'GET /chat/chat-session/{chat_session_id}/resume-stream',
  'POST /chat/confirm-tool-call',
  'DELETE /chat/remove-chat-message-feedback',
  'PUT /chat/set-preferred-response',
  'POST /mcp',
  'POST /admin/mcp/server',
  'PATCH /admin/mcp/server/{server_id}',
  'DELETE /admin/mcp/server/{server_id}',
  'PATCH /admin/mcp/server/{server_id}/status',
  'GET /admin/mcp/servers/{server_id}',
  'POST /admin/mcp/servers/create',
  'POST /admin/mcp/servers/update',
  'GET /admin/mcp/server/{server_id}/tools',
  'GET /admin/mcp/server/{server_id}/tools/snapshots',
  'GET /admin/mcp/server/{server_id}/db-tools',
  'GET /mcp/server/{server_id}/tools',
  'POST /mcp/user-credentials',
  'POST /mcp/oauth/connect',
  'POST /mcp/oauth/callback',
  'PUT /admin/llm/provider',
  'DELETE /admin/llm/provider/{provider_id}',
  'POST /admin/llm/default',
  'POST /admin/llm/default-vision',
  'POST /admin/llm/default-chat-naming',
  'POST /admin/llm/test',
  'POST /admin/llm/test/default',
  // `DELETE /chat/delete-all-chat-sessions` may come before them.
  'GET /chat/get-chat-session/{chat_session_id}',
  'PUT /chat/rename-chat-session',
  'PATCH /chat/chat-session/{chat_session_id}',
  'DELETE /chat/delete-chat-session/{chat_session_id}',
  'PUT /chat/update-chat-session-model',
  'PUT /chat/update-chat-session-temperature',
  'PUT /chat/update-chat-session-reasoning',
  'GET /chat/available-context-tokens/{chat_session_id}',
  'PUT /chat/set-message-as-latest',
  'POST /chat/stop-chat-session/{chat_session_id}',
  'POST /chat/create-chat-message-feedback',
])

/** A run that saw nothing but refusals would have tested the refusals alone. */
export async function allSucceeded(answers: Map<string, number[]>): Promise<void> {
  const { api } = await startServer()
  const { paths } = (await api('GET', '/openapi.json')).body as { paths: Record<string, Record<string, unknown>> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const never = operations
    .filter((it) => !OTHERWISE.has(it))
    .filter((it) => !answers.get(it)?.some((status) => status >= 200 && status < 300))
  assert.deepEqual(never, [], 'no request of these succeeded: see `seed` in test/servers/schemathesis.ts')
}

function schemathesis(words: string[], options: object): Promise<{ isClean: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      join(SCHEMATHESIS, 'bin/schemathesis'),
      words,
      { ...options, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ isClean: error === null, output: `${stdout}\n${stderr}` }),
    )
  })
}

/** So much that an index is not made before it can be given up. */
const LARGE_DOCUMENTS = 20
const LARGE_TEXT = Array.from({ length: 20_000 }, (_, at) => `word${at * 7919}`).join(' ')

const NO_CHAT = { chat_session_id: 'none', message_id: 0 }
type Ok = ReturnType<typeof stepsOf>['ok']
/** With a question and its answer. */
const makeChat = async (ok: Ok): Promise<{ chat_session_id: string; message_id: number }> =>
  ok('POST', '/chat/send-chat-message', { body: { message: 'seeded', stream: false } })

/** A key of the role, and one object of each kind that schemathesis does not find a way to. */
async function seed(server: Server, role: Role) {
  const ask = asking(server)
  const { ok, push, makeConnector, makePair, makeKey } = stepsOf(ask)
  const key = role === 'admin' ? server.key : await makeKey({ role })
  const cc_pair_id = await makePair('Seeded')
  await push(documentOf('seeded', { id: 'seeded' }), { cc_pair_id })
  const set = { description: '', cc_pair_ids: [cc_pair_id], is_public: true, users: [], groups: [] }
  const id = await ok('POST', '/manage/admin/document-set', { body: { name: 'Seeded', ...set } })
  const connector_id = await makeConnector('Swapped')
  await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  const doomed = await makeConnector('Doomed')
  await ok('PUT', `/manage/admin/connector/${doomed}/credential/0`)
  const secret = { credential_json: {}, admin_public: true, source: 'web' }
  const credential = await ok('POST', '/manage/credential', { body: secret })
  const uploaded = await ask('POST', '/user/file/upload', { key, headers: formHeaders, bytes: form(png) })
  const reader = await makeConnector('Reader', { source: 'file', connector_specific_config: { file_locations: ['a'] } })
  await ok('PUT', `/manage/admin/connector/${reader}/credential/0`)
  const approval = { host: 'approved.invalid', reason: 'Seeded' }
  const { id: approval_id } = await ok('POST', '/admin/egress/approval', { body: approval })
  const [chat, doomedChat] = role === 'admin' ? [await makeChat(ok), await makeChat(ok)] : [NO_CHAT, NO_CHAT]
  const { chat_session_id } = chat
  for (let at = 0; at < LARGE_DOCUMENTS; at++) await push(documentOf(LARGE_TEXT, { id: `large ${at}` }))
  return {
    key,
    seeds: {
      url: server.url,
      key,
      parameters: { cc_pair_id, document_id: 'seeded', file_id: uploaded.body.id ?? 'none', chat_session_id },
      paths: {
        'GET /manage/admin/connector/{connector_id}/files': { connector_id: reader },
        'POST /manage/admin/connector/{connector_id}/files/update': { connector_id: reader },
        'DELETE /admin/egress/approval/{approval_id}': { approval_id },
        'DELETE /chat/delete-chat-session/{chat_session_id}': { chat_session_id: doomedChat.chat_session_id },
      },
      bodies: {
        'PATCH /manage/admin/document-set': { id, ...set },
        'PUT /manage/admin/credential/swap': { connector_id, new_credential_id: credential.id },
        'PUT /manage/admin/cc-pair/{cc_pair_id}/property': { name: 'refresh_frequency', value: '3600' },
        'POST /admin/persona/upload-image': { file: ['GIF89a'] },
        'POST /manage/admin/deletion-attempt': { connector_id: doomed, credential_id: 0 },
        'PUT /chat/rename-chat-session': { chat_session_id },
        'PUT /chat/update-chat-session-model': { chat_session_id },
        'PUT /chat/update-chat-session-temperature': { chat_session_id },
        'PUT /chat/update-chat-session-reasoning': { chat_session_id },
        'POST /chat/create-chat-message-feedback': { chat_message_id: chat.message_id, is_positive: true },
        'PUT /chat/set-message-as-latest': { message_id: chat.message_id },
        'PATCH /admin/tool/status': { tool_ids: [1], enabled: true },
        'POST /admin/egress/approval': { host: 'opened.invalid', port: null, reason: 'Opened' },
      },
      // There is an index to give up only while one is made.
      before: role === 'admin' ? { 'DELETE /admin/reindex': 'POST /admin/reindex' } : {},
    },
  }
}
