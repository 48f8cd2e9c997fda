// Answers of which citations were removed, for administrators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { documentOf, start } from './setup.ts'

/** Searches first, then cites a passage that does not exist. */
const model = await startModelServer(({ body: { messages } }) =>
  messages.at(-1).role === 'tool'
    ? says('The okapi lives in the forest. The moon is cheese [77].')
    : calls({ name: 'internal_search', arguments: { queries: ['okapi'] } }),
)
const { ok, push } = await start(model.env())
const PATH = '/admin/removed-citations'
const ask = (body: object) =>
  ok('POST', '/chat/send-chat-message', { body: { message: 'Where does the okapi live?', stream: false, ...body } })

test('answers with removed citations are counted by day and listed, except those of incognito chats', async () => {
  await push(documentOf('The okapi lives in the forest.', { id: 'okapi' }))
  const before = await ok('GET', PATH)
  assert.deepEqual([before.by_day, before.total_answers, before.answers], [[], 0, []])
  const { chat_session_id, message_id } = await ask({})
  await ask({ chat_session_info: { persona_id: 0, incognito: true } })
  const { by_day, total_answers, answers } = await ok('GET', `${PATH}?days=2`)
  const day = new Date().toISOString().slice(0, 10)
  assert.deepEqual([by_day, total_answers], [[{ day, answers: 1, citations: 1 }], 1])
  const [{ time_sent, persona_name, ...answer }] = answers
  assert.ok(Date.parse(time_sent) > 0 && persona_name.length > 0)
  assert.deepEqual(answer, { chat_session_id, message_id, citations_removed: 1, model: 'scripted' })
  assert.deepEqual((await ok('GET', `${PATH}?page_num=1`)).answers, [])
})

test('while the chat history is disabled, answers are counted and not listed', async () => {
  await ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  const { total_answers, answers } = await ok('GET', PATH)
  assert.deepEqual([total_answers, answers], [1, null])
})
