// The settings as administrators see them, and what retention would delete.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const PASSWORD = 'hunter2-hunter2-hunter2'
const env = {
  CONNECTOR_PARALLEL: '7',
  EGRESS_PROXY: `http://user:${PASSWORD}@127.0.0.1:9`,
  LLM_URL: `http://user:${PASSWORD}@127.0.0.1:9/v1?key=${PASSWORD}`,
  LLM_MODEL: 'small',
  LLM_KEY: PASSWORD,
}
const { ask, ok, push, alterRecord } = await start(env)
beforeEach(() => ok('PUT', '/admin/settings', { body: {} }))

const configuration = () => ok('GET', '/admin/configuration')

test('the configuration names the settings of the operator, but no secret', async () => {
  const { text } = await ask('GET', '/admin/configuration')
  assert.doesNotMatch(text, new RegExp(PASSWORD))
  const { operator_settings, program } = JSON.parse(text)
  const found = (name: string) => operator_settings.find((it: { name: string }) => it.name === name)
  const secret = { is_set: true, is_secret: true, value: null, default_value: null }
  for (const name of ['LLM_KEY', 'EGRESS_PROXY']) assert.deepEqual(found(name), { name, ...secret })
  assert.deepEqual(found('CONNECTOR_PARALLEL'), {
    name: 'CONNECTOR_PARALLEL',
    is_set: true,
    is_secret: false,
    value: '7',
    default_value: '4',
  })
  assert.equal(found('LLM_URL').value, 'http://127.0.0.1:9/v1')
  assert.deepEqual([found('LOG_LEVEL').is_set, found('MAIL_FROM').value], [true, null])
  assert.match(program.version, /^\d+\.\d+\.\d+$/)
  assert.match(program.node_version, /^\d+\.\d+\.\d+$/)
})

test('the configuration has the settings, their defaults and a version that changes with them', async () => {
  const before = await configuration()
  assert.deepEqual(before.settings, before.default_settings)
  await ok('PATCH', '/admin/settings', { body: { trash_retention_days: 7 } })
  const after = await configuration()
  assert.deepEqual([after.settings.trash_retention_days, after.default_settings.trash_retention_days], [7, 30])
  assert.notEqual(after.settings_version, before.settings_version)
  await ok('PATCH', '/admin/settings', { body: { trash_retention_days: null } })
  assert.equal((await configuration()).settings_version, before.settings_version)
})

for (const method of ['PATCH', 'PUT']) {
  test(`${method} with the version of settings that have changed since is 409 and changes nothing`, async () => {
    const { settings_version: expected_version } = await configuration()
    await ok('PATCH', '/admin/settings', { body: { company_name: 'Ada', expected_version } })
    const late = await ask(method, '/admin/settings', { body: { company_name: 'Bob', expected_version } })
    assert.deepEqual([late.status, late.body.error_code], [409, 'SETTINGS_CHANGED'])
    const { settings, settings_version } = await configuration()
    assert.equal(settings.company_name, 'Ada')
    await ok(method, '/admin/settings', { body: { company_name: 'Bob', expected_version: settings_version } })
    assert.equal((await configuration()).settings.company_name, 'Bob')
  })
}

test('the preview counts what would go with other settings, and deletes nothing', async () => {
  await push(documentOf('An okapi.', { id: 'okapi' }))
  await ok('DELETE', '/service-api/ingestion/okapi')
  await ok('POST', '/search', { body: { query: 'okapi', remember: true } })
  await ok('POST', '/chat/send-chat-message', { body: { message: 'okapi?', stream: false } })
  const day = 86_400_000
  await alterRecord(`update document set deleted_at = ${Date.now() - 10 * day} where id = 'okapi'`)
  await alterRecord(`update chat_session set time_updated = ${Date.now() - 40 * day}`)
  await alterRecord(`update recent_query set asked_at = ${Date.now() - 5 * day}`)

  const preview = async (query = '') => {
    const rows = await ok('GET', `/admin/settings/retention${query}`)
    return Object.fromEntries(
      rows.map((it: { kind: string; days: number; kept: number; would_go: number }) => [
        it.kind,
        [it.days, it.kept, it.would_go],
      ]),
    )
  }
  // A search is recorded after it was answered.
  const now = await waitFor(async () => {
    const rows = await preview()
    return rows.recorded_queries?.[1] === 1 && rows
  }, 'the record of the search')
  assert.deepEqual(
    [now.chats, now.trashed_documents, now.recent_queries],
    [
      [0, 1, 0],
      [30, 1, 0],
      [30, 1, 0],
    ],
  )
  const shorter = await preview('?chat_retention_days=30&trash_retention_days=7&recent_query_retention_days=0')
  assert.deepEqual(
    [shorter.chats, shorter.trashed_documents, shorter.recent_queries],
    [
      [30, 1, 1],
      [7, 1, 1],
      [0, 1, 1],
    ],
  )
  assert.equal(shorter.audit_entries[2], 0)
  assert.equal((await preview('?audit_retention_days=0')).audit_entries[2], 0)
  assert.deepEqual(await preview(), { ...now, audit_entries: (await preview()).audit_entries })
})
