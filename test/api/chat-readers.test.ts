// Chats that are shared with people and groups, and with nobody else.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makeKey } = await start()
const people: Record<string, string> = {}
before(async () => {
  for (const name of ['ann', 'bob', 'cleo'])
    people[name] = await makeKey({ role: 'basic', user_email: `${name}@example.com` })
  people.dora = await makeKey({ role: 'basic', user_email: 'dora@example.com', user_group_ids: ['harbour'] })
  people.eve = await makeKey({ role: 'basic', user_email: 'eve@example.com', user_group_ids: ['harbour'] })
  await push(documentOf('The payroll office opens at nine.', { id: 'office' }))
  const external_access = { is_public: false, external_user_emails: ['ann@example.com'] }
  await push(documentOf('The secret bonus is CANARY-12 crowns.', { id: 'bonus', external_access }))
})

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const asked = async (key: string, message = 'When does the payroll office open?'): Promise<string> =>
  (await ok('POST', '/chat/send-chat-message', { key, body: { message, stream: false } })).chat_session_id
const share = (id: string, key: string, readers: object): Promise<Json> =>
  ok('PUT', `/chat/chat-session/${id}/readers`, { key, body: { emails: [], group_ids: [], ...readers } })
const read = (id: string, key: string) => ask('GET', `/chat/get-chat-session/${id}?is_shared=true`, { key })
const sharedWith = async (key: string): Promise<string[]> =>
  (await ok('GET', '/chat/shared-sessions', { key })).sessions.map((it: Json) => it.id)
const groupId = async (name: string): Promise<number> =>
  (await ok('GET', '/manage/user-groups/minimal')).find((it: Json) => it.name === name).id

test('a chat is read by the people it is shared with, until that ends', async () => {
  const { ann, bob, cleo } = people as Record<'ann' | 'bob' | 'cleo', string>
  const id = await asked(ann)
  const none = await read('00000000-0000-4000-8000-000000000000', bob)
  assert.deepEqual((await read(id, bob)).text, none.text)
  const readers = await share(id, ann, { emails: ['Bob@Example.com', 'nobody@example.com'] })
  assert.deepEqual(readers, { emails: ['bob@example.com', 'nobody@example.com'], groups: [] })
  const own = await ok('GET', `/chat/get-chat-session/${id}`, { key: ann })
  assert.deepEqual([own.readers, (await read(id, bob)).body.readers], [readers, null])
  assert.equal((await read(id, bob)).status, 200)
  assert.deepEqual([(await read(id, cleo)).status, (await read(id, cleo)).text], [404, none.text])
  assert.deepEqual(await sharedWith(bob), [id])
  assert.deepEqual(await sharedWith(cleo), [])
  assert.deepEqual(await sharedWith(ann), [])
  await share(id, ann, {})
  assert.equal((await read(id, bob)).status, 404)
  assert.deepEqual(await sharedWith(bob), [])
})

test('a chat is shared with own groups only', async () => {
  const { ann, bob, dora, eve } = people as Record<'ann' | 'bob' | 'dora' | 'eve', string>
  const harbour = await groupId('harbour')
  const id = await asked(dora)
  assert.deepEqual(await share(id, dora, { group_ids: [harbour] }), {
    emails: [],
    groups: [{ id: harbour, name: 'harbour' }],
  })
  assert.equal((await read(id, eve)).status, 200)
  assert.equal((await read(id, bob)).status, 404)
  const foreign = await asked(ann)
  const body = (group: number) => ({ emails: [], group_ids: [group] })
  const refused = await ask('PUT', `/chat/chat-session/${foreign}/readers`, { key: ann, body: body(harbour) })
  const missing = await ask('PUT', `/chat/chat-session/${foreign}/readers`, { key: ann, body: body(999_999) })
  assert.equal(refused.status, 404)
  assert.equal(refused.text.replace(String(harbour), '#'), missing.text.replace('999999', '#'))
})

test('a reader sees no answer that is based on a document that the reader may not read', async () => {
  const { ann, bob } = people as Record<'ann' | 'bob', string>
  const id = await asked(ann, 'What is the secret bonus?')
  assert.match(JSON.stringify(await ok('GET', `/chat/get-chat-session/${id}`, { key: ann })), /CANARY-12/)
  await share(id, ann, { emails: ['bob@example.com'] })
  const { status, text } = await read(id, bob)
  assert.equal(status, 200)
  assert.doesNotMatch(text, /CANARY-12/)
  assert.match(text, /may not read/)
})

test('a reader may neither write into the chat nor learn who else reads it', async () => {
  const { ann, bob } = people as Record<'ann' | 'bob', string>
  const id = await asked(ann)
  await share(id, ann, { emails: ['bob@example.com'] })
  assert.equal((await ask('GET', `/chat/chat-session/${id}/readers`, { key: bob })).status, 404)
  const body = { message: 'x', stream: false, chat_session_id: id }
  assert.equal((await ask('POST', '/chat/send-chat-message', { key: bob, body })).status, 404)
  assert.equal((await ask('DELETE', `/chat/delete-chat-session/${id}`, { key: bob })).status, 404)
})

test('a deleted chat is shared with nobody', async () => {
  const { ann, bob } = people as Record<'ann' | 'bob', string>
  const id = await asked(ann)
  await share(id, ann, { emails: ['bob@example.com'] })
  await ok('DELETE', `/chat/delete-chat-session/${id}`, { key: ann })
  assert.equal((await read(id, bob)).status, 404)
  assert.ok(!(await sharedWith(bob)).includes(id))
})

test('a chat is found by words in any order and place', async () => {
  const key = await makeKey({ role: 'basic', user_email: 'finder@example.com' })
  const id = await asked(key, 'How deep is the harbour basin?')
  const found = async (query: string) =>
    (await ok('GET', `/chat/search?query=${encodeURIComponent(query)}`, { key })).groups.flatMap((it: Json) =>
      it.chats.map((chat: Json) => chat.id),
    )
  assert.deepEqual(await found('basin  DEEP'), [id])
  assert.deepEqual(await found('basin shallow'), [])
})
