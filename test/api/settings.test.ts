import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok, makeKey } = await start()
const ADMIN = '/admin/settings'

const DEFAULTS = {
  user_file_max_upload_size_mb: 250,
  trash_retention_days: 30,
  audit_retention_days: 730,
  recent_query_retention_days: 30,
  recorded_query_retention_days: 90,
  chat_retention_days: 0,
  company_name: null,
  company_description: null,
  maximum_chat_retention_days: null,
  query_history_type: 'anonymized',
  temperature_override_enabled: true,
  auto_scroll: false,
  search_ui_enabled: true,
  show_extra_connectors: true,
  image_analysis_max_size_mb: 20,
  gpu_enabled: false,
  invite_only_enabled: false,
  deep_research_enabled: false,
  ee_features_enabled: false,
  image_extraction_and_analysis_enabled: false,
  search_time_image_analysis_enabled: false,
  user_knowledge_enabled: true,
  disable_default_assistant: false,
  file_token_count_threshold_k: null,
  query_min_people: 3,
  daily_token_limit: null,
  view_as_enabled: false,
  sensitive_content: 'report',
  max_allowed_upload_size_mb: 250,
  default_user_file_max_upload_size_mb: 250,
  application_status: 'active',
  anonymous_user_enabled: false,
  notifications: [],
  needs_reindexing: false,
  tenant_id: 'public',
  vector_db_enabled: true,
  seat_count: null,
  used_seats: null,
  opensearch_indexing_enabled: false,
  version: 'Development',
}
beforeEach(() => ok('PUT', ADMIN, { body: {} }))

test('every key can read the settings', async () => {
  assert.deepEqual(await ok('GET', '/settings', { key: await makeKey({ role: 'limited' }) }), DEFAULTS)
})

test('an update changes only the given fields and returns null', async () => {
  assert.equal(await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10 } }), null)
  assert.equal(await ok('PATCH', ADMIN, { body: { trash_retention_days: '7' } }), null)
  assert.equal(await ok('PATCH', ADMIN, { body: {} }), null)
  assert.deepEqual(await ok('GET', '/settings'), {
    ...DEFAULTS,
    user_file_max_upload_size_mb: 10,
    trash_retention_days: 7,
  })
})

const PLAN = {
  company_name: 'Ada & Co',
  company_description: 'They sell looms.',
  maximum_chat_retention_days: 30.5,
  query_history_type: 'disabled',
  temperature_override_enabled: false,
  auto_scroll: true,
  search_ui_enabled: false,
  show_extra_connectors: false,
  image_analysis_max_size_mb: 5,
  user_file_max_upload_size_mb: 10,
  deep_research_enabled: false,
  user_knowledge_enabled: true,
  file_token_count_threshold_k: null,
}

test('every key sees settings that an administrator changed', async () => {
  await ok('PATCH', ADMIN, { body: PLAN })
  const expected = { ...DEFAULTS, ...PLAN, chat_retention_days: 30.5 }
  assert.deepEqual(await ok('GET', ADMIN), expected)
  assert.deepEqual(await ok('GET', '/settings', { key: await makeKey({ role: 'basic' }) }), expected)
  await ok('PATCH', ADMIN, { body: await ok('GET', ADMIN) })
  assert.deepEqual(await ok('GET', ADMIN), expected)
  await ok('PATCH', ADMIN, { body: { maximum_chat_retention_days: null } })
  assert.equal((await ok('GET', ADMIN)).chat_retention_days, 0)
})

test('only administrators can read the administrative settings', async () => {
  assert.equal((await ask('GET', ADMIN, { key: await makeKey({ role: 'curator' }) })).status, 403)
})

for (const [name, value] of [
  ['gpu_enabled', true],
  ['invite_only_enabled', true],
  ['deep_research_enabled', true],
  ['ee_features_enabled', true],
  ['image_extraction_and_analysis_enabled', true],
  ['search_time_image_analysis_enabled', true],
  ['user_knowledge_enabled', false],
  ['disable_default_assistant', true],
  ['file_token_count_threshold_k', 200],
  ['maximum_chat_retention_days', 0],
] as const) {
  test(`${name} cannot be ${value} here, and the error gives the reason`, async () => {
    for (const method of ['PATCH', 'PUT']) {
      const { status, body } = await ask(method, ADMIN, { body: { company_name: 'X', [name]: value } })
      assert.deepEqual([status, body.detail[0].loc], [422, ['body', name]])
      assert.match(body.detail[0].msg, /^Value error, (?!invalid).{30,}/)
    }
    assert.deepEqual(await ok('GET', ADMIN), DEFAULTS)
  })
}

test('the retention of chats has two names and one value', async () => {
  const two = { chat_retention_days: 7, maximum_chat_retention_days: 8 }
  assert.equal((await ask('PATCH', ADMIN, { body: two })).status, 400)
  await ok('PATCH', ADMIN, { body: { ...two, maximum_chat_retention_days: 7 } })
  assert.equal((await ok('GET', ADMIN)).maximum_chat_retention_days, 7)
})

test('null restores the default', async () => {
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10, trash_retention_days: 7 } })
  await ok('PATCH', ADMIN, { body: { trash_retention_days: null } })
  assert.deepEqual(await ok('GET', '/settings'), { ...DEFAULTS, user_file_max_upload_size_mb: 10 })
})

test('replaced settings have defaults for absent fields', async () => {
  await ok('PATCH', ADMIN, { body: { user_file_max_upload_size_mb: 10 } })
  assert.equal(await ok('PUT', ADMIN, { body: { trash_retention_days: 0 } }), null)
  assert.deepEqual(await ok('GET', '/settings'), { ...DEFAULTS, trash_retention_days: 0 })
})

test('returned settings can be sent back', async () => {
  assert.equal(await ok('PUT', ADMIN, { body: await ok('GET', '/settings') }), null)
  assert.deepEqual(await ok('GET', '/settings'), DEFAULTS)
})

for (const method of ['PATCH', 'PUT']) {
  test(`${method} of an upload limit above the maximum is 400`, async () => {
    const { status, body } = await ask(method, ADMIN, { body: { user_file_max_upload_size_mb: 251 } })
    assert.deepEqual(
      [status, body],
      [
        400,
        {
          error_code: 'INVALID_INPUT',
          detail: 'This service accepts files of at most 250 MB: user_file_max_upload_size_mb cannot be larger.',
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
    [{ trash_retention: 5 }, ['body', 'trash_retention']],
    [{ colour: 'blue' }, ['body', 'colour']],
    [{ version: '9' }, ['body', 'version']],
    [{ anonymous_user_enabled: true }, ['body', 'anonymous_user_enabled']],
    [[], ['body']],
  ] as const) {
    test(`${method} of ${JSON.stringify(body)} is 422`, async () => {
      const reply = await ask(method, ADMIN, { body })
      assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
    })
  }
}

for (const [body, msg] of [
  [{ trash_retention: 5 }, 'Unknown field. Did you mean trash_retention_days?'],
  [{ version: '9' }, 'Value error, version is computed and cannot be set'],
  [
    { anonymous_user_enabled: true },
    'Value error, anonymous access is not supported: every request requires a key or a session',
  ],
] as const) {
  test(`${JSON.stringify(body)} is rejected with a remedy`, async () => {
    const { body: answer } = await ask('PATCH', ADMIN, { body })
    assert.deepEqual(
      answer.detail.map((it: { msg: string }) => it.msg),
      [msg],
    )
  })
}

test('an unknown setting is rejected with the list of known settings', async () => {
  const { body } = await ask('PATCH', ADMIN, { body: { colour: 'blue' } })
  assert.equal(body.detail[0].type, 'extra_forbidden')
  assert.match(body.detail[0].msg, /^Unknown field\. Allowed fields: .*trash_retention_days/)
})

test('a file larger than the setting is rejected, a smaller one is stored', async () => {
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
      has_users: false,
      oauth_enabled: false,
      password_min_length: 12,
      password_max_length: 1_000,
      password_reset_enabled: false,
      registration_enabled: false,
    })
  })
}

test('/auth/type says whether people can sign in with OpenID Connect', async () => {
  const isOffered = async () => (await ok('GET', '/auth/type', { key: null })).oauth_enabled
  const oidc = { issuer: 'https://id.example.com', client_id: 'pharos', client_secret: 'secret' }
  const body = { slug: 'company', name: 'Company', is_enabled: false, oidc }
  const { id } = await ok('POST', '/admin/sign-in/providers', { body })
  assert.equal(await isOffered(), false)
  await ok('PATCH', `/admin/sign-in/providers/${id}`, { body: { is_enabled: true } })
  assert.equal(await isOffered(), true)
  await ok('DELETE', `/admin/sign-in/providers/${id}`)
  assert.equal(await isOffered(), false)
})

test('settings survive a rejected change', async () => {
  await ok('PATCH', ADMIN, { body: { trash_retention_days: 7 } })
  await ask('PUT', ADMIN, { body: { trash_retention_days: 8, user_file_max_upload_size_mb: 9_999 } })
  assert.equal((await ok('GET', '/settings')).trash_retention_days, 7)
})
