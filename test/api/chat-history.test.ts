// Chat history for administrators: `query_history_type` decides what it shows, and every access is audited.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makeKey } = await start()
const HISTORY = '/admin/chat-session-history'
const CANARY = 'CANARY-4711'

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
let ann: string
let chat: Json
const send = (key: string, message: string, more: object = {}): Promise<Json> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message, stream: false, ...more } })
const history = async (query = ''): Promise<Json> => ok('GET', `${HISTORY}${query}`)
const allow = (query_history_type: string) => ok('PATCH', '/admin/settings', { body: { query_history_type } })

before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  await push(documentOf('The okapi lives in the forest.', { id: 'okapi', semantic_identifier: 'Okapi' }))
  const external_access = { is_public: false, external_user_emails: ['ann@example.com'] }
  const secret = `The payroll bonus is ${CANARY} crowns.`
  await push(documentOf(secret, { id: 'payroll', semantic_identifier: `Payroll ${CANARY}`, external_access }))
  chat = await send(ann, 'Where does the okapi live?')
  const feedback = { chat_message_id: chat.message_id, is_positive: true, feedback_text: 'Well said' }
  await ok('POST', '/chat/create-chat-message-feedback', { key: ann, body: feedback })
})

test('chats are listed anonymously by default', async () => {
  const { items, total_items } = await history()
  assert.equal(total_items, 1)
  const { time_created, name, first_ai_message, ...rest } = items[0]
  assert.ok(Date.parse(time_created) > 0 && first_ai_message.includes('okapi'))
  assert.deepEqual(rest, {
    id: chat.chat_session_id,
    user_email: 'anonymous@anonymous.invalid',
    assistant_id: 0,
    assistant_name: rest.assistant_name,
    flow_type: 'Chat',
    first_user_message: 'Where does the okapi live?',
    feedback_type: 'like',
    conversation_length: 2,
  })
})

test('a chat is shown with its messages, documents and feedback', async () => {
  const { messages } = await history(`/${chat.chat_session_id}`)
  assert.deepEqual(
    messages.map((it: Json) => [it.message_type, it.feedback_type, it.feedback_text]),
    [
      ['user', null, null],
      ['assistant', 'like', 'Well said'],
    ],
  )
  assert.equal(messages[1].documents[0].document_id, 'okapi')
  const unknown = await ask('GET', `${HISTORY}/00000000-0000-4000-8000-000000000000`)
  assert.deepEqual([unknown.status, unknown.body.error_code], [404, 'SESSION_NOT_FOUND'])
})

test('the setting enables names or disables the history', async () => {
  await allow('normal')
  assert.equal((await history()).items[0].user_email, 'ann@example.com')
  const { request_id } = await ok('POST', '/admin/query-history/start-export')
  await allow('disabled')
  for (const path of [
    HISTORY,
    `${HISTORY}/${chat.chat_session_id}`,
    '/admin/query-history-csv',
    '/admin/query-history/list',
    `/admin/query-history/export-status?request_id=${request_id}`,
    `/admin/query-history/download?request_id=${request_id}`,
  ]) {
    const { status, body } = await ask('GET', path)
    assert.deepEqual([path, status, body.error_code], [path, 403, 'QUERY_HISTORY_DISABLED'])
  }
  await allow('anonymized')
})

test('chats are filtered by person only while people are named', async () => {
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  const { chat_session_id } = await send(bob, 'Where does the okapi sleep?')
  const { status, body } = await ask('GET', `${HISTORY}?user_email=bob@example.com`)
  assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
  await allow('normal')
  const idsOf = async (email: string) =>
    (await history(`?user_email=${email}`)).items.map((it: { id: string }) => it.id)
  assert.deepEqual(await idsOf('Bob@example.com'), [chat_session_id])
  assert.deepEqual(await idsOf('nobody@example.com'), [])
  await ok('DELETE', `/chat/delete-chat-session/${chat_session_id}`, { key: bob })
  await allow('anonymized')
})

test('answers based on documents the administrator may not read are withheld from list and export', async () => {
  const { chat_session_id, answer } = await send(ann, 'What is the payroll bonus?')
  assert.ok(answer.includes(CANARY))
  for (const path of [HISTORY, `${HISTORY}/${chat_session_id}`, '/admin/query-history-csv']) {
    const { status, text } = await ask('GET', path)
    assert.equal(status, 200)
    assert.doesNotMatch(text, new RegExp(CANARY), path)
    assert.match(text, /This answer is based on documents that you may not read/)
  }
})

test('incognito and deleted chats are not in the history', async () => {
  const hidden = await send(ann, 'Incognito okapi?', { chat_session_info: { incognito: true } })
  const deleted = await send(ann, 'Deleted okapi?')
  await ok('DELETE', `/chat/delete-chat-session/${deleted.chat_session_id}`, { key: ann })
  for (const path of [HISTORY, '/admin/query-history-csv']) {
    assert.doesNotMatch((await ask('GET', path)).text, /Incognito okapi|Deleted okapi/)
  }
  for (const { chat_session_id } of [hidden, deleted]) {
    assert.equal((await ask('GET', `${HISTORY}/${chat_session_id}`)).status, 404)
  }
})

test('chats are filtered by time and feedback, page by page', async () => {
  const totals = async (query: string) => (await history(query)).total_items
  assert.deepEqual([await totals('?feedback_type=like'), await totals('?feedback_type=dislike')], [1, 0])
  assert.equal(await totals('?feedback_type=mixed'), 0)
  assert.equal(await totals('?end_time=2020-01-01'), 0)
  assert.equal(await totals('?start_time=2020-01-01'), 2)
  const pages = [await history('?page_size=1'), await history('?page_size=1&page_num=1')]
  assert.equal(new Set(pages.map((it) => it.items[0].id)).size, 2)
})

test('an export can be started, polled and downloaded, and its cells are escaped', async () => {
  await send(ann, '=1+1 okapi')
  const { request_id } = await ok('POST', '/admin/query-history/start-export?start=2020-01-01')
  assert.deepEqual(await ok('GET', `/admin/query-history/export-status?request_id=${request_id}`), {
    status: 'SUCCESS',
  })
  const { status, headers, text } = await ask('GET', `/admin/query-history/download?request_id=${request_id}`)
  assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8'])
  const lines = text.split('\r\n')
  assert.match(
    lines[0]!,
    /^chat_session_id,message_pair_num,user_message,ai_response,retrieved_documents,feedback_type,/,
  )
  assert.ok(text.includes(",1,'=1+1 okapi,"), text)
  assert.ok(lines.some((it) => it.includes('Where does the okapi live?') && it.includes(',like,Well said,')))
  const [latest] = await ok('GET', '/admin/query-history/list')
  assert.deepEqual([latest.task_id, latest.start], [request_id, '2020-01-01T00:00:00.000Z'])
  for (const id of ['nothing', '1-2-3']) {
    assert.equal((await ask('GET', `/admin/query-history/download?request_id=${id}`)).status, 404)
  }
  assert.equal((await ask('POST', '/admin/query-history/start-export?start=2030-01-01&end=2020-01-01')).status, 400)
})

test('every access is audited', async () => {
  const entries: Json[] = await ok('GET', '/admin/audit?object_type=chat_history&limit=1000')
  const actions = new Set(entries.map((it) => it.action))
  const expected = ['chat_history.list', 'chat_history.read', 'chat_history.start_export', 'chat_history.export']
  assert.deepEqual([...actions].sort(), expected.sort())
  assert.ok(entries.some((it) => it.action === 'chat_history.read' && it.object_id === chat.chat_session_id))
})
