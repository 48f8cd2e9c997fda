import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ok, ask } = await start()

for (const path of ['/manage/admin/credential', '/api/manage/admin/credential']) {
  test(`credential 0 exists and is empty: ${path}`, async () => {
    const [{ time_created, time_updated, ...credential }, ...rest] = await ok('GET', path)
    assert.deepEqual(credential, {
      id: 0,
      credential_json: {},
      admin_public: true,
      curator_public: false,
      groups: [],
      source: 'not_applicable',
      name: null,
      user_id: null,
      user_email: null,
      allowed_origins: [],
    })
    assert.deepEqual([typeof time_created, typeof time_updated, rest], ['string', 'string', []])
  })
}

test('every credential has an id and a source', async () => {
  for (const { id, source } of await ok('GET', '/manage/admin/credential')) {
    assert.ok(Number.isInteger(id))
    assert.equal(typeof source, 'string')
  }
})

test('a form with an old state of a credential does not save', async () => {
  const body = { credential_json: { github_access_token: 'ghp_1234567890' }, admin_public: true, source: 'github' }
  const { id, credential } = await ok('POST', '/manage/credential', { body })
  const path = `/manage/admin/credential/${id}`
  const change = (name: string, expected_time_updated: string | null) =>
    ask('PUT', path, { body: { name, credential_json: {}, expected_time_updated } })
  const first = await change('One', credential.time_updated)
  assert.equal(first.status, 200, first.text)
  const second = await change('Two', credential.time_updated)
  assert.deepEqual([second.status, second.body.error_code], [409, 'CREDENTIAL_CHANGED'])
  const origins = (expected_time_updated: string) =>
    ask('PUT', `/manage/credential/${id}/allowed-origins`, {
      body: { allowed_origins: ['https://github.example'], expected_time_updated },
    })
  assert.equal((await origins(credential.time_updated)).status, 409)
  const changed = await origins(first.body.time_updated)
  assert.deepEqual([changed.status, changed.body.name], [200, 'One'], changed.text)
  assert.ok(changed.body.time_updated > first.body.time_updated)
  assert.equal((await change('Three', null)).status, 200, 'without the field nothing is checked')
})
