// MCP tools among the tools of a model.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Right, Subject } from '../../src/domain/subject.ts'
import { openEgress } from '../../src/egress/egress.ts'
import { insertMcpServer, updateMcpServer } from '../../src/store/tools/mcp-servers.ts'
import { listMcpToolSnapshots, setEnabledMcpTools } from '../../src/store/tools/mcp-tools.ts'
import { refreshTools } from '../../src/tools/mcp/remote-server.ts'
import { startRemote } from '../remote-mcp.ts'
import { openToolFixture, runOf } from './tool-fixture.ts'

const remote = await startRemote()
const egress = openEgress({ allow: remote.origin.replace('http://', ''), proxy: '', own: () => [], isApproved: null })
after(() => egress.close())
const { db, secrets, tools, idOf } = await openToolFixture({ egress })
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

const person = (user_id: string): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id,
  person_id: null,
  usage_id: user_id,
  email: null,
  groups: [],
  curated_groups: [],
  role: 'basic',
  rights: new Set<Right>(['chat', 'tools']),
  scopes: null,
})
const ann = person('ann')
const server = await insertMcpServer(
  db,
  ann,
  {
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
  },
  1,
)
const callTokens = { issue: () => assert.fail('no token is asked for here') }
const { signal } = new AbortController()
await refreshTools(
  { db, secrets, egress, logger: quiet, now: Date.now, callTokens },
  { server, subject: ann, headers: {}, signal },
)
const ids = (await listMcpToolSnapshots(db, [server.id])).map((it) => it.id)

test('MCP tools are offered with the built-in ones to users with access to the server', async () => {
  const calculator = await idOf('CalculatorTool')
  const names = async (subject: Subject) => (await tools.toolsFor(subject, [calculator, ...ids])).map((it) => it.name)
  assert.deepEqual(await names(ann), ['calculator', 'lookup', 'cancel', 'fail', 'pictures', 'huge', 'hang'])
  assert.deepEqual(await names(person('bob')), ['calculator'])
  await updateMcpServer(db, ann, server.id, { users: ['bob'] }, { now: 1 })
  assert.equal((await names(person('bob'))).length, 7)
})

test('MCP tools are called like other tools', async () => {
  const [lookup] = await tools.toolsFor(ann, ids)
  const { text, isError } = await lookup!.callables[0]!.call({ id: '7' }, runOf(ann))
  assert.deepEqual([text, isError], ['Order 7 is on its way.', false])
})

test('an unselected MCP tool is not offered', async () => {
  await setEnabledMcpTools(db, ann, { serverId: server.id, names: ['cancel'] }, 1)
  assert.deepEqual(
    (await tools.toolsFor(ann, ids)).map((it) => it.name),
    ['cancel'],
  )
})
