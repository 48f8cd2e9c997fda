import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_TOOLS } from '../../src/tools/built-in-tools.ts'
import { start } from './setup.ts'

const { ask, ok, makeKey, makePair, server } = await start()

/** Without its version. */
const ASSISTANT = {
  id: 0,
  name: 'Assistant',
  description: 'Answers from what the company knows, and says on what the answer rests.',
  starter_messages: [],
  document_sets: [],
  hierarchy_node_count: 0,
  attached_document_count: 0,
  knowledge_sources: [],
  user_file_ids: [],
  default_model_configuration_id: null,
  llm_model_provider_override: null,
  llm_model_version_override: null,
  llm_relevance_filter: false,
  llm_filter_extraction: false,
  uploaded_image_id: null,
  icon_name: null,
  is_public: true,
  is_listed: true,
  is_visible: true,
  display_priority: 0,
  is_featured: true,
  is_default_persona: true,
  builtin_persona: true,
  labels: [],
  owner: null,
  users: [],
  groups: [],
  user_shares: [],
  group_shares: [],
  public_permission: 'VIEWER',
  sharing_status: 'PUBLIC',
  owner_group: null,
  user_permission: null,
  permissions: { edit: true, delete: false, share: true },
  is_deleted: false,
}
const withoutVersion = ({ version, ...rest }: { version: string }) => {
  assert.match(version, /^\d+$/)
  return rest
}

test('persona 0 is built in and listed with the built-in tools', async () => {
  const tools = await ok('GET', '/tool')
  assert.deepEqual(
    tools.map((it: { in_code_tool_id: string }) => it.in_code_tool_id),
    BUILT_IN_TOOLS.filter((it) => it.row.default_enabled).map((it) => it.row.in_code_tool_id),
  )
  assert.deepEqual((await ok('GET', '/persona')).map(withoutVersion), [{ ...ASSISTANT, tools }])
})

test('persona 0 is returned with its prompts', async () => {
  assert.deepEqual(withoutVersion(await ok('GET', '/persona/0')), {
    ...ASSISTANT,
    tools: await ok('GET', '/tool'),
    system_prompt: '',
    task_prompt: '',
    datetime_aware: true,
    replace_base_system_prompt: false,
    search_start_date: null,
    hierarchy_nodes: [],
    attached_documents: [],
  })
})

test('personas are also available under /api', async () => {
  assert.deepEqual(await ok('GET', '/api/persona'), await ok('GET', '/persona'))
})

test('an unknown persona is 404', async () => {
  const { status, body } = await ask('GET', '/persona/999999')
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'PERSONA_NOT_FOUND', detail: 'Persona with id 999999 does not exist.' }],
  )
})

for (const id of ['x', '-1', '00', '1e3']) {
  test(`${id} is not a valid persona id [C4]`, async () => {
    const { status, body } = await ask('GET', `/persona/${id}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'persona_id']])
  })
}

test('personas are listed page by page', async () => {
  assert.equal((await ok('GET', '/persona?limit=1')).length, 1)
  assert.deepEqual(await ok('GET', '/persona?after=0'), [])
})

const BODY = {
  name: 'Release notes',
  description: 'Writes what is new.',
  document_set_ids: [],
  tool_ids: [],
  system_prompt: 'You write release notes.',
  task_prompt: '',
  datetime_aware: true,
}
const make = (more: object = {}, key?: string) =>
  ok('POST', '/persona', { body: { ...BODY, ...more }, ...(key !== undefined && { key }) })
const idsOf = async (key?: string, path = '/persona') =>
  (await ok('GET', path, key === undefined ? {} : { key })).map((it: { id: number }) => it.id)

test('a private persona is visible only to its owner, and to administrators, who cannot chat with it', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id: user } = await ok('GET', '/me', { key })
  const { id, owner, permissions } = await make({}, key)
  assert.deepEqual(
    [owner, permissions],
    [
      { id: user, email: `${user}@key.invalid` },
      { edit: true, delete: true, share: true },
    ],
  )
  assert.deepEqual(await idsOf(key), [0, id])
  const other = await makeKey({ role: 'admin' })
  assert.deepEqual(await idsOf(other), [0])
  assert.equal((await ok('GET', `/persona/${id}`, { key: other })).permissions.edit, true)
  const session = await ask('POST', '/chat/create-chat-session', { body: { persona_id: id }, key: other })
  assert.equal(session.status, 404)
  const stranger = await makeKey({ role: 'basic' })
  assert.equal((await ask('GET', `/persona/${id}`, { key: stranger })).status, 404)
  assert.ok((await idsOf(other, '/admin/persona')).includes(id))
})

test('a persona has the fields it was created with', async () => {
  const cc_pair = await makePair('Handbook')
  const set = { name: 'Handbook', description: 'd', cc_pair_ids: [cc_pair], is_public: true }
  const document_set_id = await ok('POST', '/manage/admin/document-set', { body: set })
  const made = await make({
    document_set_ids: [document_set_id],
    tool_ids: [1],
    starter_messages: [{ name: 'Start', message: 'What is new?' }],
    search_start_date: '2026-01-01',
    icon_name: 'Pen',
    display_priority: 3,
  })
  const { tools, document_sets, starter_messages, search_start_date, icon_name, display_priority } = made
  assert.deepEqual(
    [tools.map((it: { id: number }) => it.id), document_sets.map(withoutVersion), starter_messages, search_start_date],
    [
      [1],
      [
        {
          id: document_set_id,
          name: 'Handbook',
          description: 'd',
          cc_pair_summaries: [{ id: cc_pair, name: 'Handbook', source: 'intranet', access_type: 'public' }],
          is_up_to_date: true,
          is_public: true,
          users: [],
          groups: [],
          permissions: { edit: true, delete: true, publish: true },
          federated_connector_summaries: [],
        },
      ],
      [{ name: 'Start', message: 'What is new?' }],
      '2026-01-01T00:00:00.000Z',
    ],
  )
  assert.deepEqual([icon_name, display_priority], ['Pen', 3])
  assert.deepEqual(await ok('GET', `/persona/${made.id}`), made)
  await ok('DELETE', `/manage/admin/document-set/${document_set_id}`)
  assert.deepEqual((await ok('GET', `/persona/${made.id}`)).document_sets, [])
})

test('an update replaces the content and keeps the sharing', async () => {
  const { id } = await make({ is_public: true, tool_ids: [1], users: ['ann@example.com'] })
  const { name, tools, is_public, users } = await ok('PATCH', `/persona/${id}`, { body: { ...BODY, name: 'Other' } })
  assert.deepEqual([name, tools, is_public], ['Other', [], true])
  assert.deepEqual(
    users.map((it: { email: string }) => it.email),
    ['ann@example.com'],
  )
})

test('people and groups can use but not change a persona shared with them', async () => {
  const { id } = await make()
  const ann = await makeKey({ role: 'basic', user_email: 'Ann@example.com' })
  const member = await makeKey({ role: 'basic', user_group_ids: ['board'] })
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  await ok('PATCH', `/persona/${id}/share`, { body: { user_ids: ['ann@example.com'], group_ids: ['board'] } })
  for (const [key, sees] of [
    [ann, true],
    [member, true],
    [bob, false],
  ] as const) {
    assert.equal((await idsOf(key)).includes(id), sees)
  }
  assert.deepEqual((await ok('GET', `/persona/${id}`, { key: ann })).users, [])
  const { status, body } = await ask('PATCH', `/persona/${id}`, { key: ann, body: BODY })
  assert.deepEqual([status, body.error_code], [403, 'NOT_PERSONA_OWNER'])
  await ok('PATCH', `/persona/${id}/share`, { body: { user_ids: [], group_ids: [] } })
  assert.equal((await ask('GET', `/persona/${id}`, { key: ann })).status, 404)
  await ok('PATCH', `/persona/${id}/public`, { body: { is_public: true } })
  assert.ok((await idsOf(bob)).includes(id))
})

test('an unlisted persona can be read by its id', async () => {
  const { id } = await make({ is_public: true })
  await ok('PATCH', `/admin/persona/${id}/listed`, { body: { is_listed: false } })
  assert.ok(!(await idsOf()).includes(id))
  const { is_listed, is_visible } = await ok('GET', `/persona/${id}`)
  assert.deepEqual([is_listed, is_visible], [false, false])
})

test('an unlisted persona is listed on request for those who may change it', async () => {
  const owner = await makeKey({ role: 'basic' })
  const other = await makeKey({ role: 'basic' })
  const { id } = await make({ is_public: true }, owner)
  await ok('PATCH', `/admin/persona/${id}/listed`, { body: { is_listed: false } })
  const found = async (key?: string) => (await idsOf(key, '/persona?include_unlisted=true')).includes(id)
  assert.deepEqual([await found(owner), await found(), await found(other)], [true, true, false])
  assert.ok(!(await idsOf(owner)).includes(id))
})

test('an unlisted persona that is closed to an administrator stays out of the own list', async () => {
  const { id } = await make({ is_public: false }, await makeKey({ role: 'basic' }))
  await ok('PATCH', `/admin/persona/${id}/listed`, { body: { is_listed: false } })
  assert.ok(!(await idsOf(undefined, '/persona?include_unlisted=true')).includes(id))
  assert.ok((await idsOf(undefined, '/admin/persona')).includes(id))
})

test('only an administrator can feature a persona', async () => {
  const key = await makeKey({ role: 'basic' })
  assert.equal((await ask('POST', '/persona', { key, body: { ...BODY, is_featured: true } })).status, 403)
  const { id } = await make({}, key)
  await ok('PATCH', `/admin/persona/${id}/featured`, { body: { is_featured: true } })
  assert.deepEqual((await ok('GET', `/persona/${id}`, { key })).is_featured, true)
})

test('a deleted persona is gone until an administrator undeletes it', async () => {
  const { id } = await make({ is_public: true })
  await ok('DELETE', `/persona/${id}`)
  assert.equal((await ask('GET', `/persona/${id}`)).status, 404)
  assert.ok(!(await idsOf(undefined, '/admin/persona')).includes(id))
  assert.ok((await idsOf(undefined, '/admin/persona?include_deleted=true')).includes(id))
  await ok('PATCH', `/admin/persona/${id}/undelete`)
  assert.ok((await idsOf()).includes(id))
})

test('the built-in persona cannot be deleted', async () => {
  const { status, body } = await ask('DELETE', '/persona/0')
  assert.deepEqual([status, body.error_code], [400, 'VALIDATION_ERROR'])
})

test('the agent list returns personas page by page', async () => {
  const { items, total_items } = await ok('GET', '/agents?page_num=0&page_size=1')
  assert.deepEqual([items.length, items[0].id], [1, 0])
  assert.equal(total_items, (await idsOf()).length)
  assert.deepEqual((await ok('GET', '/agents?page_num=9999')).items, [])
  assert.ok((await ok('GET', '/admin/agents?page_size=1000')).total_items >= total_items)
})

const REFUSED: [name: string, more: object, status: number, code: string | undefined][] = [
  ['an unknown tool', { tool_ids: [999_999] }, 404, 'TOOLS_NOT_FOUND'],
  ['an unknown document set', { document_set_ids: [999_999] }, 404, 'DOCUMENT_SET_NOT_FOUND'],
  ['files of its own', { user_file_ids: ['x'] }, 422, undefined],
  ['documents of its own', { document_ids: ['x'] }, 422, undefined],
  ['labels', { label_ids: [1] }, 422, undefined],
  ['a blank name', { name: '  ' }, 422, undefined],
]
for (const [name, more, status, code] of REFUSED) {
  test(`a persona with ${name} is refused`, async () => {
    const answer = await ask('POST', '/persona', { body: { ...BODY, ...more } })
    assert.deepEqual([answer.status, answer.body.error_code], [status, code])
  })
}

test('an inaccessible document set is like an unknown one when a persona is created', async () => {
  const cc_pair = await makePair('Board', { access_type: 'private', groups: ['board'] })
  const set = { name: 'Closed', description: '', cc_pair_ids: [cc_pair], is_public: false }
  const id = await ok('POST', '/manage/admin/document-set', { body: set })
  const key = await makeKey({ role: 'basic' })
  const { status, body } = await ask('POST', '/persona', { key, body: { ...BODY, document_set_ids: [id] } })
  assert.deepEqual([status, body.error_code], [404, 'DOCUMENT_SET_NOT_FOUND'])
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('users with whom a persona is shared have ids that can be sent back', async () => {
  const key = await makeKey({ role: 'basic', user_email: 'owner@example.com' })
  const reader = await makeKey({ role: 'basic', user_email: 'reader@example.com' })
  const other = await makeKey({ role: 'basic' })
  const { id: otherId } = await ok('GET', '/me', { key: other })
  const { id } = await make({ users: ['reader@example.com', otherId], groups: [7, 'harbour'] }, key)
  const persona = await ok('GET', `/persona/${id}`, { key })
  const [byEmail, byKey] = persona.users
  assert.deepEqual([byEmail.email, byKey], ['reader@example.com', { id: otherId, email: `${otherId}@key.invalid` }])
  assert.match(byEmail.id, UUID)
  assert.deepEqual(
    persona.user_shares,
    persona.users.map((user: object) => ({ user, permission: 'VIEWER' })),
  )
  assert.deepEqual(persona.group_shares, [{ group_id: 7, group_name: '7', permission: 'VIEWER' }])
  assert.deepEqual([persona.groups, persona.sharing_status, persona.is_public], [[7, 'harbour'], 'SHARED', false])
  assert.equal(persona.owner.email, 'owner@example.com')
  const users = persona.users.map((it: { id: string }) => it.id)
  const { users: kept } = await ok('PATCH', `/persona/${id}`, { key, body: { ...BODY, users } })
  assert.deepEqual(kept, persona.users)
  await ok('PATCH', `/persona/${id}/share`, { key, body: { user_ids: [byEmail.id] } })
  const seen = await ok('GET', `/persona/${id}`, { key: reader })
  assert.deepEqual([seen.users, seen.user_shares, seen.groups, seen.group_shares], [[], [], [], []])
  assert.equal(seen.owner.email, `${seen.owner.id}@key.invalid`)
  assert.equal((await ask('GET', `/persona/${id}`, { key: other })).status, 404)
})

test('/persona/labels is a list of labels, not a persona', async () => {
  assert.deepEqual(await ok('GET', '/persona/labels'), [])
  assert.deepEqual(await ok('GET', '/api/persona/labels'), [])
})

test('a persona with its own files is refused, and the error says so', async () => {
  await make({ user_file_ids: [] })
  const { status, body } = await ask('POST', '/persona', { body: { ...BODY, user_file_ids: ['x'] } })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'user_file_ids']])
})

test('an update with an old version is refused, and changes nothing', async () => {
  const { id, version } = await make()
  const update = (more: object) => ask('PATCH', `/persona/${id}`, { body: { ...BODY, ...more } })
  const { status, body } = await update({ name: 'Second', expected_version: version })
  assert.deepEqual([status, body.name, body.version === version], [200, 'Second', false])
  const late = await update({ name: 'Third', expected_version: version })
  assert.deepEqual([late.status, late.body.error_code], [409, 'PERSONA_CHANGED'])
  assert.equal((await ok('GET', `/persona/${id}`)).name, 'Second')
  assert.equal((await update({ name: 'Fourth', expected_version: body.version })).status, 200)
})

test('a deleted persona says so in the list of administrators', async () => {
  const { id } = await make()
  await ok('DELETE', `/persona/${id}`)
  const all = await ok('GET', '/admin/persona?include_deleted=true')
  const states = all.filter((it: { id: number }) => [0, id].includes(it.id))
  assert.deepEqual(
    states.map((it: { is_deleted: boolean }) => it.is_deleted),
    [false, true],
  )
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function upload(name: string, bytes: Uint8Array, path: string, key: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  const reply = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  assert.equal(reply.status, 200)
  const { file_id }: { file_id: string } = JSON.parse(await reply.text())
  return file_id
}

test('everybody who may use a persona may read its image, and nobody else', async () => {
  const [owner, reader, stranger] = [
    await makeKey({ role: 'basic' }),
    await makeKey({ role: 'basic', user_email: 'reader@example.com' }),
    await makeKey({ role: 'basic' }),
  ]
  const image = await upload('logo.png', PNG, '/admin/persona/upload-image', owner)
  const { id } = await make({ uploaded_image_id: image, users: ['reader@example.com'] }, owner)
  const statuses = async () => {
    const replies = [owner, reader, stranger].map((key) => ask('GET', `/chat/file/${image}`, { key }))
    return (await Promise.all(replies)).map((it) => it.status)
  }
  assert.deepEqual(await statuses(), [200, 200, 404])
  await ok('PATCH', `/persona/${id}/public`, { body: { is_public: true }, key: owner })
  assert.deepEqual(await statuses(), [200, 200, 200])
  await ok('DELETE', `/persona/${id}`, { key: owner })
  assert.deepEqual(await statuses(), [200, 404, 404])
})

test('the file of another person, or a file that is no image, cannot become the image of a persona [C14]', async () => {
  const [owner, thief] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'basic' })]
  const image = await upload('logo.png', PNG, '/admin/persona/upload-image', owner)
  const letter = await upload('letter.txt', Buffer.from('dear Ann'), '/user/file/upload', thief)
  const { id } = await make({}, thief)
  for (const uploaded_image_id of [image, letter, 'no-such-file']) {
    const body = { ...BODY, uploaded_image_id }
    const created = await ask('POST', '/persona', { body, key: thief })
    assert.deepEqual([created.status, created.body.error_code], [404, 'FILE_NOT_FOUND'])
    assert.equal((await ask('PATCH', `/persona/${id}`, { body, key: thief })).status, 404)
  }
  assert.equal((await ask('GET', `/chat/file/${image}`, { key: thief })).status, 404)
})
