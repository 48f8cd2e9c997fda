// Egress administration. test/egress tests the rules themselves; no address is called here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { start } from './setup.ts'

const { server, ask, ok, makeKey, alterRecord } = await start({ LOG_LEVEL: 'info' })
const APPROVAL = '/admin/egress/approval'
const REFUSAL = '/admin/egress/refusal'
const CHECK = '/admin/egress/check'

const approve = (body: object, key?: string) => ask('POST', APPROVAL, { body, ...(key !== undefined && { key }) })
const check = (url: string, more: object = {}) => ok('POST', CHECK, { body: { url, ...more } })
const toolOf = (url: string) => ({
  name: 'Weather',
  passthrough_auth: false,
  definition: {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather', version: '1' },
    servers: [{ url }],
    paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
  },
})
const connectorOf = (name: string, source: string, connector_specific_config: object) => ({
  name,
  source,
  input_type: 'poll',
  access_type: 'public',
  connector_specific_config,
})

const WAY_OUT =
  'To allow it, start the service with EGRESS_ALLOW=10.0.0.1, or let an administrator approve the host: POST /admin/egress/approval {"host":"10.0.0.1"}.'

test('a check names the rule that rejects an address, and the remedy', async () => {
  assert.deepEqual(await check('http://10.0.0.1/wiki?token=canary-url-secret'), {
    is_allowed: false,
    reason: 'private',
    detail: `10.0.0.1 is not on the public internet. ${WAY_OUT}`,
    host: '10.0.0.1',
    addresses: [],
  })
})

test('a check of a public address shows the resolved target', async () => {
  assert.deepEqual(await check('http://93.184.216.34:8080/'), {
    is_allowed: true,
    reason: null,
    detail: null,
    host: '93.184.216.34',
    addresses: ['93.184.216.34'],
  })
  const { is_allowed, reason } = await check('http://93.184.216.34:8080/', { profile: 'public-only' })
  assert.deepEqual([is_allowed, reason], [false, 'port'])
})

const own = new URL(server.url).port
for (const [url, reason] of [
  ['file:///etc/passwd', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['http://user:secret@wiki.example/', 'userinfo'],
  ['not an address', 'url'],
  ['http://2130706433/', 'private'],
  ['http://localhost:9999/', 'private'],
  ['http://169.254.169.254/latest/meta-data/', 'never'],
  ['http://[::ffff:a9fe:a9fe]/', 'never'],
  [`http://127.0.0.1:${own}/`, 'own'],
  ['http://nobody.invalid/', 'resolve'],
] as const) {
  test(`a check rejects ${url.replace(own, 'PORT')} by the rule ${reason}`, async () => {
    const answer = await check(url)
    assert.deepEqual([answer.is_allowed, answer.reason], [false, reason])
    assert.match(answer.detail, /^.{10,}\.$/)
    assert.ok(!answer.detail.includes('secret'))
  })
}

for (const [body, loc] of [
  [{}, ['body', 'url']],
  [{ url: '' }, ['body', 'url']],
  [{ url: `http://${'x'.repeat(8_000)}` }, ['body', 'url']],
  [{ url: 'http://x', profile: 'anybody' }, ['body', 'profile']],
] as const) {
  test(`a check of ${JSON.stringify(body).slice(0, 40)} is 422`, async () => {
    const reply = await ask('POST', CHECK, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test('an approval opens its host at once, and its deletion closes it', async () => {
  const me = await ok('GET', '/me')
  const { id, time_created, ...approval } = await ok('POST', APPROVAL, {
    body: { host: '10.1.0.1', reason: 'The wiki of the office' },
  })
  assert.deepEqual(approval, {
    host: '10.1.0.1',
    port: null,
    reason: 'The wiki of the office',
    user_id: me.id,
    // The operator's key acts for no user.
    user_email: null,
  })
  assert.ok(Math.abs(Date.now() - Date.parse(time_created)) < 60_000)
  assert.ok((await ok('GET', APPROVAL)).some((it: { id: number }) => it.id === id))
  for (const url of ['http://10.1.0.1/', 'https://10.1.0.1/x', 'http://[::ffff:10.1.0.1]/'])
    assert.equal((await check(url)).is_allowed, true, url)
  assert.equal((await check('http://10.1.0.1:8080/')).reason, 'private', 'without a port it is for 80 and 443')
  assert.equal((await check('http://10.1.0.1/', { profile: 'public-only' })).reason, 'private')
  assert.equal(await ok('DELETE', `${APPROVAL}/${id}`), null)
  assert.equal((await check('http://10.1.0.1/')).reason, 'private')
  const gone = await ask('DELETE', `${APPROVAL}/${id}`)
  assert.deepEqual(
    [gone.status, gone.body],
    [404, { error_code: 'EGRESS_APPROVAL_NOT_FOUND', detail: `Approval ${id} does not exist.` }],
  )
})

test('an approval with a port opens only that port', async () => {
  await ok('POST', APPROVAL, { body: { host: 'LocalHost.', port: 11_434, reason: 'A model' } })
  assert.equal((await check('http://localhost:11434/v1')).is_allowed, true)
  assert.equal((await check('http://localhost/')).reason, 'private')
  assert.equal((await check('http://127.0.0.1:11434/')).reason, 'private', 'the name was approved, not its address')
})

test('an approval stores and logs its author and reason', async () => {
  const key = await makeKey({ role: 'admin', user_email: 'ada@example.com' })
  const { body } = await approve({ host: '10.1.0.2', reason: 'Ada asked' }, key)
  assert.equal(body.user_email, 'ada@example.com')
  await ok('DELETE', `${APPROVAL}/${body.id}`)
  const messages = () =>
    server
      .output()
      .split('\n')
      .filter((it) => it.includes('10.1.0.2'))
      .map((it) => JSON.parse(it).msg)
  await waitFor(() => messages().length === 2, 'two lines of the log')
  assert.deepEqual(messages(), ['egress approval created', 'egress approval deleted'])
})

test('different spellings of a host are the same approval', async () => {
  const { body } = await approve({ host: 'Tracker.Corp', reason: 'x' })
  const again = await approve({ host: 'tracker.corp.', port: null, reason: 'y' })
  assert.deepEqual(
    [again.status, again.body],
    [
      409,
      {
        error_code: 'EGRESS_APPROVAL_EXISTS',
        detail: `Approval ${body.id} already allows tracker.corp. To change its reason, delete it first.`,
      },
    ],
  )
  assert.equal((await approve({ host: 'tracker.corp', port: 8443, reason: 'y' })).status, 200)
})

for (const host of ['169.254.169.254', '0xa9fea9fe', '[fd00:ec2::254]', '0.0.0.0', '168.63.129.16']) {
  test(`${host} cannot be approved [S5]`, async () => {
    const { status, body } = await approve({ host, reason: 'please' })
    assert.equal(status, 422)
    assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['body', 'host'], 'egress_refused'])
    assert.match(body.detail[0].msg, /No setting opens it\.$/)
  })
}

test('a stored approval does not open a metadata service [S5]', async () => {
  await alterRecord(
    `insert into egress_approval (host, reason, user_id, time_created) values ('169.254.169.254', '', '', 0)`,
  )
  assert.equal((await check('http://169.254.169.254/')).reason, 'never')
})

test('this service itself cannot be approved [S6]', async () => {
  const { status, body } = await approve({ host: '127.0.0.1', port: Number(own), reason: 'please' })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'host']])
})

for (const [body, field] of [
  [{ reason: 'x' }, 'host'],
  [{ host: '', reason: 'x' }, 'host'],
  [{ host: '*', reason: 'x' }, 'host'],
  [{ host: '*.corp', reason: 'x' }, 'host'],
  [{ host: '10.0.0.0/8', reason: 'x' }, 'host'],
  [{ host: 'wiki.corp:80', reason: 'x' }, 'host'],
  [{ host: 'http://wiki.corp', reason: 'x' }, 'host'],
  [{ host: 'user@wiki.corp', reason: 'x' }, 'host'],
  [{ host: 'wiki.corp' }, 'reason'],
  [{ host: 'wiki.corp', reason: '' }, 'reason'],
  [{ host: 'wiki.corp', reason: 'x', port: 0 }, 'port'],
  [{ host: 'wiki.corp', reason: 'x', port: 65_536 }, 'port'],
] as const) {
  test(`an approval of ${JSON.stringify(body)} is 422 at ${field}`, async () => {
    const reply = await approve(body)
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', field]])
  })
}

test('approvals are paged', async () => {
  const all = await ok('GET', APPROVAL)
  assert.deepEqual(await ok('GET', `${APPROVAL}?limit=1`), all.slice(0, 1))
  assert.deepEqual(await ok('GET', `${APPROVAL}?after=${all[0].id}`), all.slice(1))
})

const REFUSED: [row: string, url: string][] = [
  ['S1', 'file:///etc/passwd'],
  ['S1', 'gopher://tool.example/'],
  ['S1', 'unix:/run/docker.sock'],
  ['S2', 'http://127.0.0.1:9200'],
  ['S2', 'http://localhost'],
  ['S2', 'http://①②⑦.0.0.1'],
  ['S3', 'http://[::7f00:1]/'],
  ['S4', 'https://10.9.0.1/api'],
  ['S5', 'http://169.254.169.254/latest'],
  ['S6', server.url],
  ['S12', 'http://user:canary-password@tool.example'],
  ['S22', '/relative'],
]
for (const [row, url] of REFUSED) {
  for (const [method, path] of [
    ['POST', '/admin/tool/custom'],
    ['POST', '/admin/tool/custom/validate'],
    ['PUT', '/admin/tool/custom/999999'],
  ] as const) {
    test(`${method} ${path} of a tool at ${url.replace(own, 'PORT')} is 422 at its server [${row}]`, async () => {
      const { status, body, text } = await ask(method, path, { body: toolOf(url) })
      assert.equal(status, 422)
      const loc = ['body', 'definition', 'servers', 0, 'url']
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [loc, 'egress_refused'])
      assert.ok(!text.includes('canary-password'))
    })
  }
  if (row === 'S22') continue
  test(`a connector at ${url.replace(own, 'PORT')} is 422 at its field [${row}]`, async () => {
    const config = { project_key: 'X', jira_base_url: url }
    const { id } = await ok('POST', '/manage/admin/connector', {
      body: connectorOf(`At ${url}`, 'jira', { jira_base_url: 'https://jira.invalid' }),
    })
    for (const [method, path] of [
      ['POST', '/manage/admin/connector'],
      ['PATCH', `/manage/admin/connector/${id}`],
    ] as const) {
      const { status, body, text } = await ask(method, path, { body: connectorOf('Refused', 'jira', config) })
      assert.equal(status, 422, method)
      const loc = ['body', 'connector_specific_config', 'jira_base_url']
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [loc, 'egress_refused'])
      assert.ok(!text.includes('canary-password'))
    }
    const { connector_specific_config } = await ok('GET', `/manage/connector/${id}`)
    assert.deepEqual(connector_specific_config, { jira_base_url: 'https://jira.invalid' }, 'nothing was changed')
  })
}

test('unresolvable host names and texts that are not addresses are stored unchanged', async () => {
  await ok('POST', '/admin/tool/custom', { body: toolOf('https://nobody.invalid/v1') })
  const config = {
    wiki_base: 'https://nobody.invalid',
    is_cloud: true,
    base_url: 'wiki.corp',
    gitlab_url: 'localhost:80',
    note_url: 7,
  }
  await ok('POST', '/manage/admin/connector', { body: connectorOf('Texts', 'confluence', config) })
})

test('an approval applies to tools and connectors, but not to pages of the web connector', async () => {
  const url = 'http://10.9.0.7/'
  const connector = (source: string) =>
    ask('POST', '/manage/admin/connector', { body: connectorOf('Approved', source, { base_url: url }) })
  assert.equal((await connector('discourse')).status, 422)
  const { id } = (await approve({ host: '10.9.0.7', reason: 'x' })).body
  assert.equal((await connector('discourse')).status, 200)
  assert.equal((await ask('POST', '/admin/tool/custom', { body: toolOf(url) })).status, 200)
  for (const source of ['web', 'google_sites', 'xenforo']) {
    const { status, body } = await connector(source)
    assert.equal(status, 422, source)
    assert.match(body.detail[0].msg, /EGRESS_ALLOW=10\.9\.0\.7\.$/, 'only the operator opens it to crawling')
  }
  await ok('DELETE', `${APPROVAL}/${id}`)
})

const refusalsOf = async (host: string) => (await ok('GET', REFUSAL)).filter((it: { host: string }) => it.host === host)

test('refusals are listed with requester and count until the host is approved', async () => {
  const { id } = await ok('POST', '/admin/tool/custom', { body: toolOf('https://nobody.invalid') })
  for (let time = 0; time < 3; time++)
    await ask('PUT', `/admin/tool/custom/${id}`, { body: toolOf('http://10.8.0.1:9000/x') })
  await ask('POST', '/manage/admin/connector', {
    body: connectorOf('Crawls', 'web', { base_url: 'http://10.8.0.1:9000/' }),
  })
  const listed = await refusalsOf('10.8.0.1')
  const times = ({ first_time, last_time, ...rest }: { first_time: string; last_time: string }) => {
    assert.ok(Date.parse(first_time) <= Date.parse(last_time))
    return rest
  }
  const place = { host: '10.8.0.1', port: 9000, rule: 'private' }
  const byTool = { ...place, profile: 'admin-target', asker: { kind: 'tool', id }, count: 3, is_approvable: true }
  const byConnector = {
    ...place,
    profile: 'public-only',
    asker: { kind: 'connector', id: null },
    count: 1,
    is_approvable: false,
  }
  assert.deepEqual(listed.map(times), [byConnector, byTool])
  const { host, port } = listed[1]
  await ok('POST', APPROVAL, { body: { host, port, reason: 'Seen in the list' } })
  assert.deepEqual((await refusalsOf('10.8.0.1')).map(times), [byConnector])
})

test('refusals are recorded in the background and counted up', async () => {
  const body = toolOf('http://10.8.0.2/')
  const count = async () => (await refusalsOf('10.8.0.2'))[0]?.count
  await ask('POST', '/admin/tool/custom', { body })
  assert.equal(await count(), 1)
  await ask('POST', '/admin/tool/custom', { body })
  assert.equal(await count(), 2)
})

test('a check is not recorded as a refusal', async () => {
  await check('http://10.8.0.3/')
  assert.deepEqual(await refusalsOf('10.8.0.3'), [])
})

test('the list keeps the newest thousand', async () => {
  const rows = Array.from(
    { length: 1_200 },
    (_, at) => `('h${at}.corp', 80, 'private', 'admin-target', 'tool', 1, 1, ${at})`,
  )
  const columns = 'host, port, rule, profile, asker, count, first_time, last_time'
  const shift = Date.now() - 60_000
  await alterRecord(`insert into egress_refusal (${columns}) values ${rows.join(', ')};
    update egress_refusal set last_time = last_time + ${shift} where host like 'h%.corp'`)
  await ask('POST', '/admin/tool/custom', { body: toolOf('http://10.8.0.4/') })
  const listed = await ok('GET', REFUSAL)
  assert.equal(listed.length, 1_000)
  assert.equal(listed[0].host, '10.8.0.4')
  assert.deepEqual([await refusalsOf('h0.corp'), (await refusalsOf('h1199.corp')).length], [[], 1])
})

test('refusals older than 30 days are deleted', async () => {
  const past = Date.now() - 31 * 86_400_000
  await alterRecord(`update egress_refusal set last_time = ${past} where host = 'h1199.corp'`)
  await ask('POST', '/admin/tool/custom', { body: toolOf('http://10.8.0.5/') })
  assert.deepEqual(await refusalsOf('h1199.corp'), [])
})
