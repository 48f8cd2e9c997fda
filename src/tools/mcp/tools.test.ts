// Tools of a remote MCP server, called as in a chat, over real HTTP.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { startRemote } from '../../../test/remote-mcp.ts'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import type { PacketObject } from '../../domain/chat/packet.ts'
import type { Right, Subject } from '../../domain/subject.ts'
import { openEgress } from '../../egress/egress.ts'
import { createKeyRing, deriveSecretKey } from '../../store/secrets/key-ring.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import {
  insertMcpServer,
  type McpServerPatch,
  type NewMcpServer,
  type StoredMcpServer,
  updateMcpServer,
} from '../../store/tools/mcp-servers.ts'
import type { PendingCall, ToolResult, ToolRun } from '../tool.ts'
import type { McpClientDeps } from './fetch.ts'
import { refreshTools } from './remote-server.ts'
import { loadMcpTools } from './tools.ts'

const remote = await startRemote()
const { db } = await temporaryDatabase()
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const secrets = createSecretBox(createKeyRing([], deriveSecretKey('a secret key for this test', 'SECRET_KEY')))
const egress = openEgress({ allow: remote.origin.replace('http://', ''), proxy: '', own: () => [], isApproved: null })
let needs: McpClientDeps
let server: StoredMcpServer

const person = (user_id: string, groups: string[] = []): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id,
  person_id: null,
  usage_id: user_id,
  email: `${user_id}@example.com`,
  groups,
  curated_groups: [],
  role: 'basic',
  rights: new Set<Right>(['chat', 'tools']),
  scopes: null,
})
const ann = person('ann')
const boss: Subject = { ...person('boss'), role: 'admin', rights: new Set<Right>(['admin', 'connectors', 'tools']) }
const callTokens = { issue: async (subject: Subject) => `token-of-${subject.user_id}` }
const NEW: NewMcpServer = {
  name: 'Orders',
  description: '',
  server_url: remote.url,
  transport: 'STREAMABLE_HTTP',
  auth_type: 'NONE',
  auth_performer: 'ADMIN',
  auth_template: null,
  oauth: { scopes: [], authorization_url: null, token_url: null },
  status: 'CREATED',
  is_public: false,
  users: [],
  groups: [],
  tool_policies: {},
}

before(async () => {
  needs = { db, secrets, egress, logger: quiet, now: () => 1, callTokens }
  const { id } = await insertMcpServer(db, ann, NEW, 1)
  server = await change(id, {})
  const call = { server, subject: ann, headers: {}, signal: new AbortController().signal }
  await refreshTools(needs, call)
})
beforeEach(async () => {
  remote.guard = null
  await change(server.id, { status: 'CONNECTED', tool_policies: {}, auth_type: 'NONE', users: [], groups: [] })
})
after(() => egress.close())
const change = (id: number, patch: McpServerPatch) => updateMcpServer(db, boss, id, patch, { now: 1 })

interface FakeToolRun {
  result: ToolResult
  packets: PacketObject[]
  asked: PendingCall[]
}

async function call(
  name: string,
  args: Record<string, unknown> = {},
  more: Partial<ToolRun> & { answer?: boolean } = {},
): Promise<FakeToolRun> {
  const tool = (await loadMcpTools(needs, ann)).find((it) => it.name === name)
  const packets: PacketObject[] = []
  const asked: PendingCall[] = []
  const run: ToolRun = {
    subject: ann,
    filters: {},
    question: '',
    remoteHeaders: {},
    emit: (packet) => void packets.push(packet),
    confirm: async (pending) => {
      asked.push(pending)
      return more.answer ?? true
    },
    signal: new AbortController().signal,
    ...more,
  }
  return { result: await tool!.callables[0]!.call(args, run), packets, asked }
}

test('a read-only tool runs, and the person sees its request and response', async () => {
  const { result, packets, asked } = await call('lookup', { id: '7' })
  assert.deepEqual(result, { text: 'Order 7 is on its way.', passages: [], isError: false })
  const tool = {
    tool_name: `mcp${server.id}_lookup`,
    tool_id: packets[0] && 'tool_id' in packets[0] ? packets[0].tool_id : 0,
  }
  assert.deepEqual(packets, [
    { type: 'custom_tool_start', ...tool },
    { type: 'custom_tool_args', tool_name: tool.tool_name, tool_args: { id: '7' } },
    {
      type: 'custom_tool_delta',
      ...tool,
      file_ids: null,
      response_type: 'json',
      data: { id: '7', state: 'sent' },
      error: null,
    },
  ])
  assert.deepEqual(asked, [])
})

test('a writing tool asks first, with host and arguments, and is not called after a refusal', async () => {
  const { result, asked } = await call('cancel', { id: '7' })
  assert.deepEqual([result.isError, asked[0]?.url, asked[0]?.tool_args], [false, remote.origin, { id: '7' }])
  const before = remote.seen.length
  const refused = await call('cancel', { id: '7' }, { answer: false })
  assert.deepEqual([refused.result.isError, remote.seen.length], [true, before])
  assert.match(refused.result.text, /did not allow/)
})

test('a policy takes precedence over what a server declares about its tools', async () => {
  await change(server.id, { tool_policies: { cancel: 'allow', lookup: 'ask' } })
  assert.equal((await call('cancel', { id: '7' })).asked.length, 0)
  assert.equal((await call('lookup', { id: '7' })).asked.length, 1)
})

for (const args of [{}, { id: 7 }, { id: null }]) {
  test(`invalid arguments ${JSON.stringify(args)} are named, and the person is not asked`, async () => {
    const { result, asked } = await call('cancel', args)
    assert.deepEqual([result.isError, asked.length], [true, 0])
    assert.match(result.text, /"id"/)
  })
}

test('an error of a remote tool is an error result with its text', async () => {
  const { result, packets } = await call('fail')
  assert.deepEqual(result, { text: 'The warehouse is closed.', passages: [], isError: true })
  const shown = packets.at(-1)
  assert.ok(shown?.type === 'custom_tool_delta' && shown.error !== null && shown.data === 'The warehouse is closed.')
})

test('embedded texts and links are returned, and other content is named', async () => {
  const { result } = await call('pictures')
  assert.deepEqual(result.text.split('\n\n'), [
    '[image of type image/png, 30 bytes, not read]',
    'file:///a.txt\nThe text of a.',
    'The file b: https://example.com/b',
  ])
})

test('an endless response is aborted with a reason', async () => {
  const { result } = await call('huge')
  assert.equal(result.isError, true)
  assert.match(result.text, /larger than 1048576 bytes/)
})

test('stopping the chat ends the call', async () => {
  const stop = new AbortController()
  const reason = new Error('the person has stopped')
  const hanging = call('hang', {}, { signal: stop.signal })
  const seen = async () => {
    while (!remote.seen.some((it) => it.body.includes('"hang"'))) await new Promise((resolve) => setImmediate(resolve))
  }
  await seen()
  stop.abort(reason)
  await assert.rejects(hanging, reason)
})

test('client headers reach the server, except reserved ones', async () => {
  const remoteHeaders = { 'X-Tenant': 'port', Authorization: 'Bearer stolen', 'Mcp-Session-Id': 'x', Cookie: 'a=b' }
  await call('lookup', { id: '7' }, { remoteHeaders })
  const { headers } = remote.seen.at(-1)!
  assert.deepEqual(
    [headers['x-tenant'], headers.authorization, headers['mcp-session-id'], headers.cookie],
    ['port', undefined, undefined, undefined],
  )
})

test('a server that rejects the credentials is reported with a remedy', async () => {
  remote.guard = (_, response) => {
    response.writeHead(401).end()
    return true
  }
  const { result, packets } = await call('lookup', { id: '7' })
  assert.match(result.text, /The person who connected "Orders" must update its credentials/)
  const shown = packets.at(-1)
  assert.ok(shown?.type === 'custom_tool_delta' && shown.error?.is_auth_error === true)
})

test('an unreachable server fails with a reason', async () => {
  remote.guard = (_, response) => {
    response.destroy()
    return true
  }
  const { result } = await call('lookup', { id: '7' })
  assert.equal(result.isError, true)
  assert.match(result.text, /"Orders" could not be called/)
})

test('only tools of connected servers that the person may use are available', async () => {
  const names = async (subject: Subject) => (await loadMcpTools(needs, subject)).map((it) => it.name)
  assert.equal((await names(ann)).length, 6)
  assert.deepEqual(await names(person('bob')), [])
  await change(server.id, { users: ['BOB@example.com'], groups: ['port'] })
  assert.equal((await names(person('bob'))).length, 6)
  assert.equal((await names(person('cid', ['port']))).length, 6)
  assert.deepEqual(await names(person('dan', ['board'])), [])
  await change(server.id, { status: 'DISCONNECTED' })
  assert.deepEqual(await names(ann), [])
})

test('loading can be limited to chosen tools', async () => {
  const [first] = await loadMcpTools(needs, ann)
  assert.deepEqual(
    (await loadMcpTools(needs, ann, [first!.id, 999])).map((it) => it.id),
    [first!.id],
  )
})
