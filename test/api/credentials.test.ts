import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ok } = await start()

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
