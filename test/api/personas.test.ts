import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './steps.ts'

const { ask, ok, makeKey, alterRecord } = await start()

const ASSISTANT = {
  id: 0,
  name: 'Assistant',
  description: 'Answers from what the company knows, and says on what the answer rests.',
  starter_messages: [],
  document_sets: [],
  hierarchy_node_count: 0,
  attached_document_count: 0,
  knowledge_sources: [],
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
  owner_group: null,
  user_permission: null,
}

test('persona 0 is built in and listed, with the tools that are built in', async () => {
  const tools = await ok('GET', '/tool')
  assert.deepEqual(
    tools.map((it: { in_code_tool_id: string }) => it.in_code_tool_id),
    ['SearchTool', 'OpenURLTool', 'FileReaderTool', 'CalculatorTool', 'DateTool'],
  )
  assert.deepEqual(await ok('GET', '/persona'), [{ ...ASSISTANT, tools }])
})

test('persona 0 is read with its prompts', async () => {
  assert.deepEqual(await ok('GET', '/persona/0'), {
    ...ASSISTANT,
    tools: await ok('GET', '/tool'),
    system_prompt: '',
    task_prompt: '',
    datetime_aware: true,
    replace_base_system_prompt: false,
    search_start_date: null,
    user_file_ids: [],
    hierarchy_nodes: [],
    attached_documents: [],
    users: [],
    groups: [],
  })
})

test('personas are read under /api too', async () => {
  assert.deepEqual(await ok('GET', '/api/persona'), await ok('GET', '/persona'))
})

test('a persona that is not there is 404', async () => {
  const { status, body } = await ask('GET', '/persona/999999')
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'PERSONA_NOT_FOUND', detail: 'Persona with id 999999 does not exist.' }],
  )
})

for (const id of ['x', '-1', '00', '1e3']) {
  test(`C4 ${id} is no id of a persona`, async () => {
    const { status, body } = await ask('GET', `/persona/${id}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'persona_id']])
  })
}

test('personas are listed page by page', async () => {
  assert.equal((await ok('GET', '/persona?limit=1')).length, 1)
  assert.deepEqual(await ok('GET', '/persona?after=0'), [])
})

/** No route makes one yet. */
const insert = (id: number, user: string, { isPublic, isListed }: { isPublic: number; isListed: number }) =>
  alterRecord(`insert into persona values (${id}, 'Other', '', '', '', 1, 0, '[]', null, null, null, null,
    ${isPublic}, ${isListed}, 0, 0, '${user}', 0, 0)`)

test('a persona that is not public is there for its owner only', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id: user } = await ok('GET', '/me', { key })
  await insert(7, user, { isPublic: 0, isListed: 1 })
  const ids = async (key: string) => (await ok('GET', '/persona', { key })).map((it: { id: number }) => it.id)
  assert.deepEqual(await ids(key), [0, 7])
  assert.deepEqual((await ok('GET', '/persona/7', { key })).owner, { id: user, email: null })
  const other = await makeKey({ role: 'admin' })
  assert.deepEqual(await ids(other), [0])
  assert.equal((await ask('GET', '/persona/7', { key: other })).status, 404)
})

test('a persona that is not listed is read by its id', async () => {
  await insert(8, 'somebody', { isPublic: 1, isListed: 0 })
  const listed = await ok('GET', '/persona')
  assert.ok(!listed.some((it: { id: number }) => it.id === 8))
  const { tools, is_listed, is_visible } = await ok('GET', '/persona/8')
  assert.deepEqual([tools, is_listed, is_visible], [[], false, false])
})
