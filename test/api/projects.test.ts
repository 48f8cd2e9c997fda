// Projects: chats, files and instructions of one person.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { form, formHeaders } from './multipart-form.ts'
import { start } from './setup.ts'

const { ask, ok, makeKey } = await start()
let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
})

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const create = (name: string, key = ann): Promise<Json> =>
  ok('POST', `/user/projects/create?name=${encodeURIComponent(name)}`, { key })
const upload = (text: string, fields: Record<string, string> = {}, key = ann): Promise<Json> => {
  const file = { field: 'file', name: 'notes.txt', type: 'text/plain', content: text }
  return ok('POST', '/user/projects/file/upload', { key, headers: formHeaders, bytes: form(file, ...fieldsOf(fields)) })
}
const fieldsOf = (fields: Record<string, string>) =>
  Object.entries(fields).map(([field, content]) => ({ field, content }))
const chatsOf = async (query: string): Promise<string[]> =>
  (await ok('GET', `/chat/get-user-chat-sessions?${query}`, { key: ann })).sessions.map((it: Json) => it.id)

test('a project is created, renamed, given instructions and listed by name', async () => {
  const { id, created_at: _, user_id: __, ...project } = await create('Ships')
  await create('Anchors')
  assert.deepEqual(project, { name: 'Ships', description: null, instructions: '' })
  const renamed = await ok('PATCH', `/user/projects/${id}`, { key: ann, body: { name: 'Boats', description: 'Small' } })
  assert.deepEqual([renamed.name, renamed.description], ['Boats', 'Small'])
  await ok('POST', `/user/projects/${id}/instructions`, { key: ann, body: { instructions: 'Answer in verse.' } })
  const told = await ok('GET', `/user/projects/${id}/instructions`, { key: ann })
  assert.deepEqual(told, { instructions: 'Answer in verse.' })
  assert.deepEqual((await ok('GET', `/user/projects/${id}`, { key: ann })).instructions, 'Answer in verse.')
  const names = (await ok('GET', '/user/projects', { key: ann })).map((it: Json) => it.name)
  assert.deepEqual(names, ['Anchors', 'Boats'])
  assert.deepEqual(await ok('GET', '/user/projects', { key: bob }), [])
})

test('chats are made in a project, moved and removed', async () => {
  const { id } = await create('Chats')
  const inside = (await ok('POST', '/chat/create-chat-session', { key: ann, body: { project_id: id } })).chat_session_id
  const outside = (await ok('POST', '/chat/create-chat-session', { key: ann, body: {} })).chat_session_id
  assert.deepEqual(await chatsOf(`project_id=${id}`), [inside])
  assert.deepEqual(await chatsOf(''), [outside])
  assert.deepEqual((await chatsOf('only_non_project_chats=false')).toSorted(), [inside, outside].toSorted())
  assert.equal((await ok('GET', `/chat/get-chat-session/${inside}`, { key: ann })).project_id, id)
  await ok('POST', `/user/projects/${id}/move_chat_session`, { key: ann, body: { chat_session_id: outside } })
  await ok('POST', '/user/projects/remove_chat_session', { key: ann, body: { chat_session_id: inside } })
  assert.deepEqual(await chatsOf(`project_id=${id}`), [outside])
  await ok('DELETE', `/user/projects/${id}`, { key: ann })
  assert.deepEqual((await chatsOf('')).toSorted(), [inside, outside].toSorted())
})

test('the files of a project are used in its answers', async () => {
  const { id } = await create('Files')
  const { user_files } = await upload('The harbour master is called Ottilie Quist.', { project_id: String(id) })
  assert.equal(user_files[0].project_id, id)
  const question = { message: 'Who is the harbour master?', stream: false }
  const inside = { ...question, chat_session_info: { project_id: id } }
  const answer = await ok('POST', '/chat/send-chat-message', { key: ann, body: inside })
  assert.match(answer.answer, /Ottilie Quist/)
  const other = await ok('POST', '/chat/send-chat-message', { key: ann, body: question })
  assert.doesNotMatch(other.answer, /Ottilie Quist/)
})

test('a file of a project is kept until it is removed from the project', async () => {
  const { id } = await create('Kept')
  const { id: file } = await upload('kept')
  await ok('POST', `/user/projects/${id}/files/${file}`, { key: ann })
  await ok('POST', `/user/projects/${id}/files/${file}`, { key: ann })
  const listed = await ok('GET', `/user/projects/files/${id}`, { key: ann })
  assert.deepEqual(
    listed.map((it: Json) => [it.id, it.project_id]),
    [[file, id]],
  )
  const kept = await ok('DELETE', `/user/projects/file/${file}`, { key: ann })
  assert.deepEqual(kept, { has_associations: true, project_names: ['Kept'], assistant_names: [] })
  await ok('DELETE', `/user/projects/${id}/files/${file}`, { key: ann })
  assert.equal((await ok('DELETE', `/user/projects/file/${file}`, { key: ann })).has_associations, false)
  assert.equal((await ask('GET', `/user/projects/file/${file}`, { key: ann })).status, 404)
})

test('the newest files are listed first, to their owner only', async () => {
  const first = (await upload('one')).id
  const second = (await upload('two')).id
  const ids = (await ok('GET', '/user/files/recent', { key: ann })).map((it: Json) => it.id)
  assert.deepEqual([...ids.slice(0, 2)].toSorted(), [first, second].toSorted())
  assert.deepEqual(await ok('GET', '/user/files/recent', { key: bob }), [])
})

test('a file of another person cannot be put into a project, and no file into a project of another person', async () => {
  const { id } = await create('Bob', bob)
  const { id: file } = await upload('of Ann')
  const missing = await ask('POST', `/user/projects/${id}/files/never`, { key: bob })
  const foreign = await ask('POST', `/user/projects/${id}/files/${file}`, { key: bob })
  assert.deepEqual([foreign.status, foreign.text], [404, missing.text])
  const project = { field: 'project_id', content: String(id) }
  const bytes = form({ field: 'file', name: 'a.txt', type: 'text/plain', content: 'x' }, project)
  const sent = await ask('POST', '/user/projects/file/upload', { key: ann, headers: formHeaders, bytes })
  assert.deepEqual([sent.status, sent.body.error_code], [404, 'PROJECT_NOT_FOUND'])
})

test('a project holds at most 20 files', async () => {
  const { id } = await create('Full')
  for (let at = 0; at < 20; at++) await upload(`file ${at}`, { project_id: String(id) })
  const { id: file } = await upload('one more')
  const { status, body } = await ask('POST', `/user/projects/${id}/files/${file}`, { key: ann })
  assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
})

test('projects are exported and deleted with the person', async () => {
  const key = await makeKey({ role: 'basic', user_email: 'leaving@example.com' })
  const { id } = await create('Private plans', key)
  await ok('POST', '/chat/create-chat-session', { key, body: { project_id: id } })
  assert.match((await ask('GET', '/admin/person/leaving@example.com/export')).text, /"kind":"project".*Private plans/)
  await ok('DELETE', '/admin/person/leaving@example.com')
  assert.doesNotMatch((await ask('GET', '/admin/person/leaving@example.com/export')).text, /Private plans/)
})
