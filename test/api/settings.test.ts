import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { start } from './steps.ts'

const { ask, ok, makeKey } = await start()
const ADMIN = '/admin/settings'

const DEFAULTS = {
  user_file_max_upload_size_mb: 250,
  trash_retention_days: 30,
  audit_retention_days: 730,
  recent_query_retention_days: 30,
  recorded_query_retention_days: 90,
  chat_retention_days: 0,
  query_min_people: 3,
  daily_token_limit: null,
  max_allowed_upload_size_mb: 250,
  default_user_file_max_upload_size_mb: 250,
  application_status: 'active',
  anonymous_user_enabled: false,
  notifications: [],
  needs_reindexing: false,
  tenant_id: 'public',
  vector_db_enabled: true,
  version: 'Development',
}
beforeEach(() => ok('PUT', ADMIN, { body: {} }))

test('every key reads the settings', async () => {
  assert.deepEqual(await ok('GET', '/settings', { key: await makeKey({ role: 'limited' }) }), DEFAULTS)
})

test('an update changes only what is sent, and is answered with null', async () => {
  assert.equal(await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10 } }), null)
  assert.equal(await ok('PATCH', ADMIN, { body: { trash_retention_days: '7' } }), null)
  assert.equal(await ok('PATCH', ADMIN, { body: {} }), null)
  assert.deepEqual(await ok('GET', '/settings'), {
    ...DEFAULTS,
    user_file_max_upload_size_mb: 10,
    trash_retention_days: 7,
  })
})

test('null goes back to the default', async () => {
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10, trash_retention_days: 7 } })
  await ok('PATCH', ADMIN, { body: { trash_retention_days: null } })
  assert.deepEqual(await ok('GET', '/settings'), { ...DEFAULTS, user_file_max_upload_size_mb: 10 })
})

test('settings that are replaced have their defaults where nothing is sent', async () => {
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10 } })
  assert.equal(await ok('PUT', ADMIN, { body: { trash_retention_days: 0 } }), null)
  assert.deepEqual(await ok('GET', '/settings'), { ...DEFAULTS, trash_retention_days: 0 })
})

test('what is no setting is ignored, and what is computed cannot be set', async () => {
  await ok('PATCH', ADMIN, { body: { colour: 'blue', version: '9', tenant_id: 'x', max_allowed_upload_size_mb: 9 } })
  assert.deepEqual(await ok('GET', '/settings'), DEFAULTS)
})

for (const method of ['PATCH', 'PUT']) {
  test(`${method} of an upload limit beyond what the service takes is 400`, async () => {
    const { status, body } = await ask(method, ADMIN, { body: { user_file_max_upload_size_mb: 251 } })
    assert.deepEqual(
      [status, body],
      [
        400,
        {
          error_code: 'INVALID_INPUT',
          detail: 'The largest file this service takes has 250 MB: user_file_max_upload_size_mb cannot be more.',
        },
      ],
    )
    assert.deepEqual(await ok('GET', '/settings'), DEFAULTS)
  })

  for (const [body, loc] of [
    [{ user_file_max_upload_size_mb: 0 }, ['body', 'user_file_max_upload_size_mb']],
    [{ user_file_max_upload_size_mb: 'x' }, ['body', 'user_file_max_upload_size_mb']],
    [{ trash_retention_days: -1 }, ['body', 'trash_retention_days']],
    [{ trash_retention_days: 1.5 }, ['body', 'trash_retention_days']],
    [[], ['body']],
  ] as const) {
    test(`${method} of ${JSON.stringify(body)} is 422`, async () => {
      const reply = await ask(method, ADMIN, { body })
      assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
    })
  }
}

test('a file that is larger than the setting is rejected, and one that is not is kept', async () => {
  const upload = async (bytes: number) => {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: image/png\r\n\r\n'
    const body = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 1), Buffer.from('\r\n--b--\r\n')])
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const { user_files, rejected_files } = await ok('POST', '/user/file/upload', { bytes: body, headers })
    return [user_files.length, rejected_files.length]
  }
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 1 } })
  assert.deepEqual(await upload(2 ** 20 + 1), [0, 1])
  assert.deepEqual(await upload(2 ** 20 - 1), [1, 0])
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 2 } })
  assert.deepEqual(await upload(2 ** 20 + 1), [1, 0])
})

for (const prefix of ['', '/api']) {
  test(`${prefix}/auth/type needs no key`, async () => {
    assert.deepEqual(await ok('GET', `${prefix}/auth/type`, { key: null }), {
      auth_type: 'basic',
      multi_tenant: false,
      requires_verification: false,
      anonymous_user_enabled: false,
      has_users: true,
      oauth_enabled: false,
    })
  })
}

test('settings outlive a refused change', async () => {
  await ok('PATCH', ADMIN, { body: { trash_retention_days: 7 } })
  await ask('PUT', ADMIN, { body: { trash_retention_days: 8, user_file_max_upload_size_mb: 9_999 } })
  assert.equal((await ok('GET', '/settings')).trash_retention_days, 7)
})
