import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, found, makeConnector, makeKey } = await start({ LOG_LEVEL: 'trace' })
const CONNECTOR = '/manage/admin/connector'
const CREDENTIAL = '/manage/credential'
const ADMIN_CREDENTIAL = '/manage/admin/credential'
const DOTS = '••••••••••••'
const TOKEN = 'canary-9d27-secret-token'
const MASKED_TOKEN = 'cana...oken'

let curator: string
let other: string
before(async () => {
  curator = await makeKey({ role: 'curator' })
  other = await makeKey({ role: 'curator' })
})

const credentialOf = (credential_json: object, more = {}) => ({
  credential_json,
  admin_public: false,
  source: 'zendesk',
  name: 'A credential',
  ...more,
})
const make = async (credential_json: object, more = {}, key?: string): Promise<number> => {
  const question = key === undefined ? {} : { key }
  return (await ok('POST', CREDENTIAL, { body: credentialOf(credential_json, more), ...question })).id
}
const idsOf = (items: { id: number }[]): number[] => items.map((it) => it.id)

test('creating a credential returns it masked', async () => {
  const secrets = { token: TOKEN, pin: 1234, short: 'x', deep: { list: [TOKEN], on: true, none: null } }
  const { id, credential, ...rest } = await ok('POST', CREDENTIAL, { body: credentialOf(secrets) })
  const { time_created, time_updated, user_id, ...shown } = credential
  assert.deepEqual(rest, {})
  assert.deepEqual(shown, {
    id,
    credential_json: {
      token: MASKED_TOKEN,
      pin: DOTS,
      short: DOTS,
      deep: { list: [MASKED_TOKEN], on: true, none: null },
    },
    admin_public: false,
    curator_public: false,
    groups: [],
    source: 'zendesk',
    name: 'A credential',
    user_email: null,
    allowed_origins: [],
  })
  assert.deepEqual([typeof user_id, time_created], ['string', time_updated])
  for (const path of [`${CREDENTIAL}/${id}`, CREDENTIAL, ADMIN_CREDENTIAL]) {
    const answer = await ok('GET', path)
    assert.deepEqual(Array.isArray(answer) ? answer.find((it) => it.id === id) : answer, credential, path)
  }
})

test('no file and no log line contains the secrets of a credential', async () => {
  await make({ token: TOKEN })
  const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  for (const { parentPath, name } of files) {
    assert.ok(!readFileSync(join(parentPath, name)).includes(TOKEN), name)
  }
  assert.ok(!server.output().includes(TOKEN))
})

for (const field of ['credential_json', 'admin_public', 'source']) {
  test(`a credential without ${field} is rejected`, async () => {
    const { [field]: _, ...body } = credentialOf({}) as Record<string, unknown>
    const reply = await ask('POST', CREDENTIAL, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', field]])
  })
}

test('an update merges fields, and masked values keep the stored ones', async () => {
  const id = await make({ token: TOKEN, url: 'https://one.example.com', short: 'abc' })
  const changed = await ok('PUT', `${ADMIN_CREDENTIAL}/${id}`, {
    body: { name: 'Renamed', credential_json: { token: MASKED_TOKEN, short: DOTS, url: 'https://two.example.net' } },
  })
  assert.equal(changed.name, 'Renamed')
  assert.deepEqual(changed.credential_json, { token: MASKED_TOKEN, url: 'http....net', short: DOTS })
  const merged = await ok('PUT', `${ADMIN_CREDENTIAL}/${id}`, { body: { name: 'x', credential_json: { more: 'm' } } })
  assert.deepEqual(Object.keys(merged.credential_json).sort(), ['more', 'short', 'token', 'url'])
  assert.equal(merged.credential_json.token, MASKED_TOKEN)
})

test('a replacement contains only the fields that were sent', async () => {
  const id = await make({ token: TOKEN, url: 'https://one.example.com' })
  const body = credentialOf({ token: MASKED_TOKEN }, { name: 'Ignored', admin_public: true })
  const changed = await ok('PATCH', `${CREDENTIAL}/${id}`, { body })
  assert.deepEqual(
    [changed.credential_json, changed.name, changed.admin_public],
    [{ token: MASKED_TOKEN }, 'A credential', false],
  )
})

test('a curator sees own credentials, shared ones and the empty one', async () => {
  const own = await make({}, {}, curator)
  const foreign = await make({}, {}, other)
  const shared = await make({}, { admin_public: true }, other)
  const open = await make({}, { source: 'web' }, other)
  const ids = idsOf(await ok('GET', ADMIN_CREDENTIAL, { key: curator }))
  assert.deepEqual(
    [own, foreign, shared, open, 0].map((it) => ids.includes(it)),
    [true, false, true, true, true],
  )
  assert.ok(idsOf(await ok('GET', ADMIN_CREDENTIAL)).includes(foreign), 'an administrator sees all')
})

for (const [source, credential_json] of [
  ['mediawiki', { mediawiki_username: 'svc', mediawiki_password: TOKEN }],
  ['file', { pdf_password: TOKEN }],
] as const) {
  test(`the ${source} credential of another user is closed unless it is shared`, async () => {
    const foreign = await make(credential_json, { source }, other)
    const shared = await make(credential_json, { source, admin_public: true }, other)
    const ids = idsOf(await ok('GET', ADMIN_CREDENTIAL, { key: curator }))
    assert.deepEqual([ids.includes(foreign), ids.includes(shared)], [false, true])
    const reply = await ask('GET', `${CREDENTIAL}/${foreign}`, { key: curator })
    assert.deepEqual([reply.status, reply.body.error_code], [404, 'CREDENTIAL_NOT_FOUND'])
  })
}

test('a credential that the key may not see is answered as not found', async () => {
  const id = await make({}, {}, other)
  const connector = await makeConnector('Closed credential', { source: 'zendesk' })
  const body = { name: 'x', credential_json: {} }
  const swap = { new_credential_id: id, connector_id: connector, access_type: 'public' }
  const asked: [method: string, path: string, body?: object][] = [
    ['GET', `${CREDENTIAL}/${id}`],
    ['PUT', `${ADMIN_CREDENTIAL}/${id}`, body],
    ['PATCH', `${CREDENTIAL}/${id}`, credentialOf({})],
    ['DELETE', `${CREDENTIAL}/${id}`],
    ['DELETE', `${ADMIN_CREDENTIAL}/${id}`],
    ['DELETE', `${CREDENTIAL}/force/${id}`],
    ['PUT', `${ADMIN_CREDENTIAL}/swap`, swap],
    ['PUT', `${CONNECTOR}/${connector}/credential/${id}`],
  ]
  for (const [method, path, body] of asked) {
    const reply = await ask(method, path, { key: curator, body })
    assert.deepEqual(
      [reply.status, reply.body],
      [404, { error_code: 'CREDENTIAL_NOT_FOUND', detail: `Credential ${id} does not exist.` }],
      `${method} ${path}`,
    )
  }
  await ok('GET', `${CREDENTIAL}/${id}`)
})

test('other users can use but not change a shared credential', async () => {
  const id = await make({ token: TOKEN }, { admin_public: true }, other)
  const asked: [method: string, path: string, body?: object][] = [
    ['PUT', `${ADMIN_CREDENTIAL}/${id}`, { name: 'x', credential_json: { url: 'https://elsewhere.example' } }],
    ['PATCH', `${CREDENTIAL}/${id}`, credentialOf({})],
    ['DELETE', `${CREDENTIAL}/${id}`],
    ['DELETE', `${ADMIN_CREDENTIAL}/${id}`],
    ['DELETE', `${CREDENTIAL}/force/${id}`],
  ]
  for (const [method, path, body] of asked) {
    assert.equal((await ask(method, path, { key: curator, body })).status, 403, `${method} ${path}`)
  }
  const connector = await makeConnector('Shared credential', { source: 'zendesk' })
  await ok('PUT', `${CONNECTOR}/${connector}/credential/${id}`, { key: curator })
  await ok('PUT', `${ADMIN_CREDENTIAL}/${id}`, { body: { name: 'By the administrator', credential_json: {} } })
})

test('credential 0 cannot be changed', async () => {
  const asked: [method: string, path: string, body?: object][] = [
    ['PUT', `${ADMIN_CREDENTIAL}/0`, { name: 'x', credential_json: { a: 'b' } }],
    ['PATCH', `${CREDENTIAL}/0`, credentialOf({ a: 'b' })],
    ['DELETE', `${CREDENTIAL}/0`],
    ['DELETE', `${ADMIN_CREDENTIAL}/0`],
    ['DELETE', `${CREDENTIAL}/force/0`],
  ]
  for (const [method, path, body] of asked) {
    const reply = await ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'CREDENTIAL_BUILT_IN'], `${method} ${path}`)
  }
  assert.deepEqual((await ok('GET', `${CREDENTIAL}/0`)).credential_json, {})
})

for (const path of [CREDENTIAL, ADMIN_CREDENTIAL]) {
  test(`an unused credential can be deleted at ${path}`, async () => {
    const id = await make({})
    assert.deepEqual(await ok('DELETE', `${path}/${id}`), {
      success: true,
      message: 'Credential deleted successfully',
      data: id,
    })
    assert.equal((await ask('GET', `${CREDENTIAL}/${id}`)).status, 404)
    assert.equal((await ask('DELETE', `${path}/${id}`)).status, 404)
  })
}

test('a credential in use is deleted only by force, with its pairs and documents', async () => {
  const id = await make({ token: TOKEN })
  const connector = await makeConnector('Forced', { source: 'zendesk' })
  const { data: pair } = await ok('PUT', `${CONNECTOR}/${connector}/credential/${id}`)
  await push(documentOf('pomegranate', { id: 'of the credential' }), { cc_pair_id: pair })
  const { status, body } = await ask('DELETE', `${ADMIN_CREDENTIAL}/${id}`)
  assert.deepEqual(
    [status, body],
    [
      400,
      {
        error_code: 'CREDENTIAL_IN_USE',
        detail: 'Cannot delete credential as it is still associated with 1 connector(s) and 1 document(s).',
      },
    ],
  )
  assert.equal((await ok('DELETE', `${CREDENTIAL}/force/${id}`)).data, id)
  assert.equal((await ask('GET', `${CREDENTIAL}/${id}`)).status, 404)
  assert.deepEqual(await found('pomegranate'), [])
  while ((await ask('GET', `/manage/admin/cc-pair/${pair}`)).status === 200);
  assert.deepEqual((await ok('GET', `/manage/connector/${connector}`)).credential_ids, [])
})

test('a swap replaces the credential of a pair', async () => {
  const [first, second] = [await make({}), await make({})]
  const connector_id = await makeConnector('Swapped', { source: 'zendesk' })
  const { data } = await ok('PUT', `${CONNECTOR}/${connector_id}/credential/${first}`)
  const body = { new_credential_id: second, connector_id, access_type: 'public' }
  assert.deepEqual(await ok('PUT', `${ADMIN_CREDENTIAL}/swap`, { body }), {
    success: true,
    message: 'Credential swapped successfully',
    data,
  })
  assert.deepEqual((await ok('GET', `/manage/connector/${connector_id}`)).credential_ids, [second])
  const again = await ask('PUT', `${ADMIN_CREDENTIAL}/swap`, { body })
  assert.deepEqual([again.status, again.body.error_code], [409, 'CONFLICT'])
})

test('a swap with a credential of another source or an unknown id is rejected', async () => {
  const other = await make({})
  const slack = await make({}, { source: 'slack' })
  const connector_id = await makeConnector('Not swapped', { source: 'zendesk' })
  const swap = async (body: object) => {
    const reply = await ask('PUT', `${ADMIN_CREDENTIAL}/swap`, { body: { access_type: 'public', ...body } })
    return [reply.status, reply.body.error_code]
  }
  assert.deepEqual(await swap({ new_credential_id: other, connector_id }), [404, 'CC_PAIR_NOT_FOUND'])
  await ok('PUT', `${CONNECTOR}/${connector_id}/credential/0`)
  assert.deepEqual(await swap({ new_credential_id: slack, connector_id }), [400, 'INVALID_INPUT'])
  assert.deepEqual(await swap({ new_credential_id: 424_242, connector_id }), [404, 'CREDENTIAL_NOT_FOUND'])
  assert.deepEqual(await swap({ new_credential_id: other, connector_id: 424_242 }), [404, 'CONNECTOR_NOT_FOUND'])
})

test('credentials are listed by source; a tracker has two source names', async () => {
  const jira = await make({}, { source: 'jira' })
  const tracker = await make({}, { source: 'ticket_tracker' })
  for (const source of ['jira', 'ticket_tracker']) {
    assert.deepEqual(idsOf(await ok('GET', `/manage/admin/similar-credentials/${source}`)), [jira, tracker])
  }
  assert.deepEqual(await ok('GET', '/manage/admin/similar-credentials/nothing'), [])
})

test('credentials are paged by limit and after', async () => {
  const all = idsOf(await ok('GET', CREDENTIAL))
  assert.deepEqual(idsOf(await ok('GET', `${CREDENTIAL}?limit=2`)), all.slice(0, 2))
  assert.deepEqual(idsOf(await ok('GET', `${ADMIN_CREDENTIAL}?after=${all[1]}`)), all.slice(2))
})
