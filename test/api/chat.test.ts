// Chats without a language model: the full API, with extractive answers.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createStreamRequester, isType, typeOf, withoutRoot, wordsOf } from './chat-client.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, makeKey, makePair } = await start()
const stream = createStreamRequester(server)

let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'Ann@example.com', user_group_ids: ['harbour'] })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  const text = 'The harbour office opens at nine in the morning. Ships are announced by telephone.'
  const sections = [{ text, link: 'https://h.example/' }]
  await push(documentOf('', { id: 'harbour', semantic_identifier: 'Harbour office', sections }))
})

const QUESTION = 'When does the harbour office open?'
// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const send = (more: object = {}, key = ann): Promise<Json> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message: QUESTION, stream: false, ...more } })
const get = async (id: string, key = ann, more = ''): Promise<Json> =>
  withoutRoot(await ok('GET', `/chat/get-chat-session/${id}${more}`, { key }))
const sessionsOf = async (key: string, query = ''): Promise<Json[]> =>
  (await ok('GET', `/chat/get-user-chat-sessions${query}`, { key })).sessions

test('without a model the answer consists of quotes with citations, and says so', async () => {
  const answer = await send()
  assert.equal(answer.is_extractive, true)
  assert.match(answer.extractive_reason, /No language model/)
  assert.match(answer.answer, /opens at nine in the morning/)
  assert.doesNotMatch(answer.answer_citationless, /\[\[/)
  assert.deepEqual([answer.citation_info[0].citation_number, answer.citation_info[0].document_id], [1, 'harbour'])
  assert.equal(answer.top_documents[0].document_id, 'harbour')
  assert.equal(answer.tool_calls[0].tool_name, 'internal_search')
  assert.deepEqual([answer.error_msg, answer.incognito], [null, false])
})

test('a stream is lines of JSON: session, ids, packets, stop', async () => {
  const answer = await stream('POST', '/chat/send-chat-message', { key: ann, body: { message: QUESTION } })
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  const lines = await answer.rest()
  assert.deepEqual(lines.slice(0, 2).map(typeOf), ['chat_session_id', 'user_message_id'])
  assert.deepEqual(lines.at(-1).obj, { type: 'stop', stop_reason: null })
  for (const { placement, obj } of lines.slice(2)) {
    assert.deepEqual(Object.keys(placement), ['turn_index', 'tab_index', 'sub_turn_index', 'model_index'])
    assert.equal(typeof obj.type, 'string')
  }
  const kinds = lines.map(typeOf)
  const order = ['search_tool_start', 'search_tool_documents_delta', 'message_start', 'message_delta', 'citation_info']
  const places = order.map((it) => kinds.indexOf(it))
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
  )
  assert.ok(!places.includes(-1))
  assert.match(wordsOf(lines), /opens at nine/)
})

test('a client that accepts only event streams gets events with ids', async () => {
  const headers = { accept: 'text/event-stream' }
  const answer = await stream('POST', '/chat/send-chat-message', { key: ann, body: { message: QUESTION }, headers })
  const events = (await answer.text()).trimEnd().split('\n\n')
  assert.match(events[0]!, /^data: \{"chat_session_id":/)
  assert.match(events[2]!, /^id: 1\ndata: \{"placement":/)
  assert.match(events.at(-1)!, new RegExp(`^id: ${events.length - 2}\ndata: .*"type":"stop"`))
})

test('a session keeps its messages and can be continued', async () => {
  const { chat_session_id, incognito } = await ok('POST', '/chat/create-chat-session', {
    key: ann,
    body: { description: 'About ships' },
  })
  assert.equal(incognito, false)
  const first = await send({ chat_session_id })
  const second = await send({ chat_session_id, message: 'And how are ships announced?' })
  const session = await get(chat_session_id)
  assert.deepEqual(
    [session.description, session.persona_id, session.persona_name, session.shared_status, session.is_owner],
    ['About ships', 0, 'Assistant', 'private', true],
  )
  assert.equal(session.owner_name, 'ann@example.com')
  assert.deepEqual(
    session.messages.map((it: Json) => [it.message_type, it.message_id, it.parent_message, it.latest_child_message]),
    [
      ['user', first.message_id - 1, 0, first.message_id],
      ['assistant', first.message_id, first.message_id - 1, second.message_id - 1],
      ['user', second.message_id - 1, first.message_id, second.message_id],
      ['assistant', second.message_id, second.message_id - 1, null],
    ],
  )
  const [question, answer] = session.messages
  assert.deepEqual([question.message, question.context_docs], [QUESTION, null])
  assert.deepEqual([answer.status, answer.error, answer.message], ['done', null, first.answer])
  assert.deepEqual([answer.context_docs[0].document_id, answer.context_docs[0].db_doc_id], ['harbour', 0])
  assert.deepEqual(answer.citations, { 1: 'harbour' })
  assert.deepEqual([session.personal_icon_name, session.current_reasoning_effort_override], [null, null])
  assert.equal(session.packets.length, 2)
  assert.equal(session.packets[0].filter((it: Json) => it.obj.type === 'message_start').length, 1)
  assert.equal(session.latest_child_message, first.message_id - 1)
})

const REFUSED: [name: string, body: object, loc: (string | number)[]][] = [
  ['no message', { message: undefined }, ['body', 'message']],
  ['an empty message', { message: '' }, ['body', 'message']],
  ['a message of space', { message: ' \n ' }, ['body', 'message']],
  ['a message that is too long', { message: 'x'.repeat(64_001) }, ['body', 'message']],
  ['a message with NUL', { message: 'a\0b' }, ['body', 'message']],
  ['a session and how to make one', { chat_session_id: 'x', chat_session_info: {} }, ['body']],
  ['deep research', { deep_research: true }, ['body', 'deep_research']],
  ['several models', { llm_overrides: [{}, {}] }, ['body', 'llm_overrides']],
  ['an answer that is made up', { mock_llm_response: 'Hello' }, ['body', 'mock_llm_response']],
  ['a header with a line break', { mcp_headers: { a: 'b\r\nc: d' } }, ['body', 'mcp_headers', 'a']],
  ['a header that is none', { mcp_headers: { 'a b': 'c' } }, ['body', 'mcp_headers']],
  ['a temperature of 3', { llm_override: { temperature: 3 } }, ['body', 'llm_override', 'temperature']],
]
for (const [name, body, loc] of REFUSED) {
  test(`${name} is rejected before anything is written`, async () => {
    const count = (await sessionsOf(ann, '?page_size=1000')).length
    const answer = await ask('POST', '/chat/send-chat-message', { key: ann, body: { message: QUESTION, ...body } })
    assert.deepEqual([answer.status, answer.body.detail?.[0].loc], [422, loc], answer.text)
    assert.equal((await sessionsOf(ann, '?page_size=1000')).length, count)
  })
}

test('additional fields of old clients are accepted', async () => {
  await send({
    llm_override: null,
    llm_overrides: null,
    deep_research: false,
    mock_llm_response: null,
    mcp_headers: null,
    file_descriptors: [],
    origin: 'webapp',
    parent_message_id: '-1',
    something_newer: 1,
  })
})

const MISSING = '00000000-0000-4000-8000-000000000000'

test("another user's session is answered as not found, also when resuming a stream", async () => {
  const { chat_session_id } = await send()
  for (const path of ['get-chat-session/#', 'chat-session/#/resume-stream', 'available-context-tokens/#']) {
    const at = (id: string) => ask('GET', `/chat/${path.replace('#', id)}`, { key: bob })
    const [foreign, none] = [await at(chat_session_id), await at(MISSING)]
    assert.deepEqual([foreign.status, foreign.text], [404, none.text])
  }
  assert.deepEqual((await ask('GET', `/chat/get-chat-session/${MISSING}`)).body, {
    error_code: 'SESSION_NOT_FOUND',
    detail: 'Chat session not found.',
  })
})

test('chats belong to the person: all their keys give access', async () => {
  const { chat_session_id } = await send()
  const other = await makeKey({ role: 'basic', user_email: 'ann@EXAMPLE.com' })
  assert.equal((await get(chat_session_id, other)).is_owner, true)
  assert.ok((await sessionsOf(other)).some((it) => it.id === chat_session_id))
})

test('a recent answer can be replayed by the person who asked', async () => {
  const { chat_session_id } = await send()
  const again = await stream('GET', `/chat/chat-session/${chat_session_id}/resume-stream?cursor=0`, { key: ann })
  const lines = await again.rest()
  assert.ok(lines.length > 5)
  const rest = await stream('GET', `/chat/chat-session/${chat_session_id}/resume-stream?cursor=${lines.length - 3}`, {
    key: ann,
  })
  assert.deepEqual((await rest.rest()).at(-1), lines.at(-1))
  const headers = { accept: 'text/event-stream', 'last-event-id': String(lines.length - 3) }
  const events = await stream('GET', `/chat/chat-session/${chat_session_id}/resume-stream?cursor=0`, {
    key: ann,
    headers,
  })
  assert.equal((await events.text()).match(/^id: /gm)?.length, 1)
  const { chat_session_id: empty } = await ok('POST', '/chat/create-chat-session', { key: ann, body: {} })
  const nothing = await ask('GET', `/chat/chat-session/${empty}/resume-stream`, { key: ann })
  assert.deepEqual([nothing.status, nothing.body.error_code], [404, 'NOTHING_ANSWERED'])
})

test('sessions are listed page by page, most recently used first', async () => {
  const key = await makeKey({ role: 'basic' })
  const ids: string[] = []
  for (const message of ['One?', 'Two?', 'Three?']) ids.push((await send({ message }, key)).chat_session_id)
  await send({ chat_session_id: ids[0], message: 'One again?' }, key)
  const listed = await sessionsOf(key)
  assert.deepEqual(
    listed.map((it) => [it.id, it.name]),
    [
      [ids[0], 'One?'],
      [ids[2], 'Three?'],
      [ids[1], 'Two?'],
    ],
  )
  const first = await ok('GET', '/chat/get-user-chat-sessions?page_size=2', { key })
  assert.deepEqual([first.sessions.length, first.has_more], [2, true])
  const next = `?page_size=2&before=${first.sessions[1].time_updated}`
  assert.deepEqual(
    (await sessionsOf(key, next)).map((it) => it.id),
    [ids[1]],
  )
  assert.deepEqual(await sessionsOf(key, '?project_id=3'), [])
})

test('a session is named explicitly or after its first question', async () => {
  const { chat_session_id } = await send()
  const rename = (body: object) =>
    ok('PUT', '/chat/rename-chat-session', { key: ann, body: { chat_session_id, ...body } })
  assert.deepEqual(await rename({ name: '  Ships  ' }), { new_name: 'Ships' })
  assert.equal((await get(chat_session_id)).description, 'Ships')
  assert.deepEqual(await rename({}), { new_name: QUESTION })
  const { chat_session_id: long } = await send({ message: `${'word '.repeat(40)}?` })
  assert.match((await get(long)).description, /^(?:word ){9,11}word…$/)
})

test('model and temperature of a session can be set and reset', async () => {
  const { chat_session_id } = await send()
  const put = (part: string, body: object) =>
    ok('PUT', `/chat/update-chat-session-${part}`, { key: ann, body: { chat_session_id, ...body } })
  await put('model', { new_alternate_model: 'corp__openai__small' })
  await put('temperature', { temperature_override: 0.5 })
  await put('reasoning', { reasoning_effort: 'low' })
  const session = await get(chat_session_id)
  assert.deepEqual(
    [session.current_alternate_model, session.current_temperature_override],
    ['corp__openai__small', 0.5],
  )
  await put('model', { new_alternate_model: null })
  await put('temperature', {})
  const after = await get(chat_session_id)
  assert.deepEqual([after.current_alternate_model, after.current_temperature_override], [null, null])
})

test('chats are found by name and content, ignoring case and diacritics', async () => {
  const key = await makeKey({ role: 'basic' })
  await send({ message: 'Où est la CAFÉTÉRIA?' }, key)
  await send({ message: 'How much is 100% of a_b?' }, key)
  await send({ message: 'What is !new?' }, key)
  const found = async (query: string) => {
    const { groups } = await ok('GET', `/chat/search?query=${encodeURIComponent(query)}`, { key })
    return groups.flatMap((it: Json) => it.chats.map((chat: Json) => chat.name))
  }
  assert.deepEqual(await found('cafétéria'), ['Où est la CAFÉTÉRIA?'])
  assert.deepEqual(await found('100% of A_B'), ['How much is 100% of a_b?'])
  assert.deepEqual(await found('1_0%'), [])
  assert.deepEqual(await found('!NEW'), ['What is !new?'])
  assert.deepEqual(await found('%'), ['How much is 100% of a_b?'])
  assert.deepEqual(await found('harbour office opens'), [])
  const { groups, has_more, next_page } = await ok('GET', '/chat/search?page_size=2', { key })
  assert.deepEqual([groups.map((it: Json) => it.title), has_more, next_page], [['Today'], true, 2])
  const rest = await ok('GET', '/chat/search?page_size=2&page=2', { key })
  assert.deepEqual([rest.groups[0].chats.length, rest.has_more, rest.next_page], [1, false, null])
  assert.deepEqual((await ok('GET', `/chat/search?query=${encodeURIComponent('CAFÉTÉRIA')}`, { key: bob })).groups, [])
})

test('a found chat comes with the part of its latest message that has the words', async () => {
  const key = await makeKey({ role: 'basic' })
  const { chat_session_id, message_id } = await send({}, key)
  const found = async (query: string): Promise<Json[]> =>
    (await ok('GET', `/chat/search?query=${encodeURIComponent(query)}`, { key })).groups.flatMap((it: Json) => it.chats)
  const [{ excerpt }] = await found('HARBOUR nine')
  assert.deepEqual([excerpt.message_id, excerpt.message_type], [message_id, 'assistant'])
  const words = excerpt.highlights.map(([from, to]: [number, number]) => excerpt.text.slice(from, to).toLowerCase())
  assert.deepEqual(words.slice(0, 2), ['harbour', 'nine'])
  assert.ok(excerpt.text.length < 200 && !excerpt.text.includes('[['))
  await ok('PUT', '/chat/rename-chat-session', { key, body: { chat_session_id, name: 'Timetable' } })
  assert.equal((await found('timetable'))[0].excerpt, null)
  assert.equal((await found('timetable harbour'))[0].excerpt.message_id, message_id)
  assert.equal((await found(''))[0].excerpt, null)
})

test('feedback on an answer is stored, overwritten and removed', async () => {
  const { chat_session_id, message_id } = await send()
  const say = (body: object) =>
    ask('POST', '/chat/create-chat-message-feedback', { key: ann, body: { chat_message_id: message_id, ...body } })
  const said = async () => {
    const { current_feedback, feedback } = (await get(chat_session_id)).messages[1]
    return [current_feedback, feedback?.feedback_text ?? null]
  }
  assert.equal((await say({ is_positive: true })).body, null)
  assert.deepEqual(await said(), ['like', null])
  await say({ is_positive: false, feedback_text: 'too short' })
  assert.deepEqual(await said(), ['dislike', 'too short'])
  assert.equal((await say({ predefined_feedback: 'other' })).status, 422)
  await ok('DELETE', `/chat/remove-chat-message-feedback?chat_message_id=${message_id}`, { key: ann })
  assert.deepEqual(await said(), [null, null])
  const body = { chat_message_id: message_id - 1, is_positive: true }
  assert.equal((await ask('POST', '/chat/create-chat-message-feedback', { key: ann, body })).status, 400)
})

test('editing a question or regenerating an answer starts a branch, and the selected branch is shown', async () => {
  const first = await send()
  const { chat_session_id } = first
  const edited = await send({ chat_session_id, parent_message_id: null, message: 'When does it open, please?' })
  const again = await send({ chat_session_id, parent_message_id: edited.message_id - 1 })
  const shown = async () => {
    const { messages, latest_child_message } = await get(chat_session_id)
    const question = messages.find((it: Json) => it.message_id === latest_child_message)
    return [latest_child_message, question.latest_child_message]
  }
  const question = edited.message_id - 1
  assert.deepEqual(await shown(), [question, again.message_id])
  await ok('PUT', '/chat/set-message-as-latest', { key: ann, body: { message_id: edited.message_id } })
  assert.deepEqual(await shown(), [question, edited.message_id])
  await ok('PUT', '/chat/set-message-as-latest', { key: ann, body: { message_id: first.message_id - 1 } })
  assert.deepEqual(await shown(), [first.message_id - 1, first.message_id])
  const prefer = (user_message_id: number, preferred_response_id: number) =>
    ask('PUT', '/chat/set-preferred-response', { key: ann, body: { user_message_id, preferred_response_id } })
  assert.equal((await prefer(question, again.message_id)).status, 200)
  assert.equal((await prefer(question, first.message_id)).status, 400)
})

test('a parent message of another session and a tool outside the persona are not found', async () => {
  const { chat_session_id } = await send()
  const other = await send()
  const parent = { chat_session_id, parent_message_id: other.message_id }
  for (const [more, code] of [
    [parent, 'MESSAGE_NOT_FOUND'],
    [{ forced_tool_id: 999_999 }, 'TOOL_NOT_FOUND'],
    [{ chat_session_info: { persona_id: 999_999 } }, 'PERSONA_NOT_FOUND'],
    [{ file_descriptors: [{ id: MISSING, type: 'document' }] }, 'FILE_NOT_FOUND'],
  ] as const) {
    const { status, body } = await ask('POST', '/chat/send-chat-message', {
      key: ann,
      body: { message: QUESTION, ...more },
    })
    assert.deepEqual([status, body.error_code], [404, code])
  }
})

test('a session is deleted with its messages, and all own sessions can be deleted at once', async () => {
  const key = await makeKey({ role: 'basic' })
  const [one, two] = [await send({}, key), await send({}, key)]
  assert.equal(await ok('DELETE', `/chat/delete-chat-session/${one.chat_session_id}?hard_delete=true`, { key }), null)
  const gone = await ask('GET', `/chat/get-chat-session/${one.chat_session_id}?include_deleted=true`, { key })
  assert.equal(gone.status, 404)
  assert.equal((await ask('DELETE', `/chat/delete-chat-session/${one.chat_session_id}`, { key })).status, 404)
  const body = { chat_message_id: one.message_id, is_positive: true }
  assert.equal((await ask('POST', '/chat/create-chat-message-feedback', { key, body })).status, 404)
  const { chat_session_id: anns } = await send()
  await ok('DELETE', '/chat/delete-all-chat-sessions', { key })
  assert.deepEqual(await sessionsOf(key), [])
  assert.equal((await ask('GET', `/chat/get-chat-session/${two.chat_session_id}`, { key })).status, 404)
  assert.equal((await get(anns)).messages.length, 2)
})

test('an incognito session is neither listed nor found by search', async () => {
  const key = await makeKey({ role: 'basic' })
  const { chat_session_id, incognito } = await send({ chat_session_info: { incognito: true } }, key)
  assert.equal(incognito, true)
  assert.deepEqual(await sessionsOf(key), [])
  assert.deepEqual((await ok('GET', '/chat/search', { key })).groups, [])
  assert.equal((await get(chat_session_id, key)).incognito, true)
})

test('the first question can be asked again below the root message', async () => {
  const { chat_session_id } = await send()
  const first = await send({ chat_session_id, parent_message_id: 0, message: 'When does it open?' })
  const { messages, latest_child_message } = await get(chat_session_id)
  assert.equal(latest_child_message, first.message_id - 1)
  assert.deepEqual(
    messages.filter((it: Json) => it.parent_message === 0).map((it: Json) => it.message_type),
    ['user', 'user'],
  )
})

test('the owner of a deleted session learns that it was deleted, and sees no messages', async () => {
  const { chat_session_id: id } = await send({ message: 'Where does the canarygull nest?' })
  const { chat_session_id: hidden } = await send({ chat_session_info: { incognito: true } })
  await ok('PATCH', `/chat/chat-session/${id}`, { key: ann, body: { sharing_status: 'public' } })
  for (const it of [id, hidden]) await ok('DELETE', `/chat/delete-chat-session/${it}`, { key: ann })
  const at = (more: string, key = ann, session = id) => ask('GET', `/chat/get-chat-session/${session}${more}`, { key })
  const { status, body } = await at('?include_deleted=true')
  assert.deepEqual([status, body.deleted, body.messages, body.packets, body.description], [200, true, [], [], null])
  assert.doesNotMatch(JSON.stringify(body), /canarygull/)
  const others = [
    at(''),
    at('?include_deleted=true', bob),
    at('?include_deleted=true&is_shared=true', bob),
    at('?include_deleted=true', ann, hidden),
  ]
  assert.deepEqual(
    (await Promise.all(others)).map((it) => it.status),
    [404, 404, 404, 404],
  )
  assert.ok(!(await sessionsOf(ann, '?page_size=1000')).some((it) => it.id === id))
  assert.deepEqual((await ok('GET', '/chat/search?query=canarygull', { key: ann })).groups, [])
  const more = { chat_session_id: id, message: 'And now?' }
  assert.equal((await ask('POST', '/chat/send-chat-message', { key: ann, body: more })).status, 404)
  assert.equal((await ask('DELETE', `/chat/delete-chat-session/${id}`, { key: ann })).status, 404)
  await ok('DELETE', `/chat/delete-chat-session/${id}?hard_delete=true`, { key: ann })
  assert.equal((await at('?include_deleted=true')).status, 404)
})

test('filters of the question restrict the quoted documents', async () => {
  const { top_documents } = await send({ internal_search_filters: { source_type: ['file'] } })
  assert.deepEqual(top_documents, [])
  assert.equal((await send({ internal_search_filters: { source_type: ['web'] } })).top_documents.length, 1)
})

test('a question keeps its sources: they are read with it, and asked again with it', async () => {
  const { chat_session_id } = await send({ internal_search_filters: { source_type: ['file'] } })
  const [question, answer] = (await get(chat_session_id)).messages
  assert.deepEqual([question.sources, answer.sources], [['file'], []])
  const again = { chat_session_id, parent_message_id: question.message_id }
  assert.deepEqual((await send(again)).top_documents, [])
  const wider = { ...again, internal_search_filters: { source_type: ['web'] } }
  assert.equal((await send(wider)).top_documents.length, 1)
  const [kept] = (await get(chat_session_id)).messages
  assert.deepEqual(kept.sources, ['file'])
  await ok('PATCH', `/chat/chat-session/${chat_session_id}`, { key: ann, body: { sharing_status: 'public' } })
  const [shared] = (await get(chat_session_id, bob, '?is_shared=true')).messages
  assert.deepEqual(shared.sources, [])
})

test('a persona with a document set quotes only its documents', async () => {
  const pair = await makePair('Ferries')
  const ferries = { id: 'ferries', semantic_identifier: 'Ferries' }
  await push(documentOf('The ferry office opens at ten in the morning.', ferries), { cc_pair_id: pair })
  const set = { name: 'Ferries', description: '', cc_pair_ids: [pair], is_public: true }
  const persona = {
    ...{ name: 'Ferryman', description: '', system_prompt: '', task_prompt: '', datetime_aware: true },
    ...{ tool_ids: [1], document_set_ids: [await ok('POST', '/manage/admin/document-set', { body: set })] },
  }
  const { id: persona_id } = await ok('POST', '/persona', { key: ann, body: persona })
  const message = 'When does the office open in the morning?'
  const { top_documents } = await send({ message, chat_session_info: { persona_id } })
  assert.deepEqual(
    top_documents.map((it: Json) => it.document_id),
    ['ferries'],
  )
})

test('token counts of the context are numbers', async () => {
  const { chat_session_id } = await send()
  const { max_tokens: most } = await ok('GET', '/chat/max-selected-document-tokens?persona_id=0', { key: ann })
  assert.ok(Number.isInteger(most) && most > 1_000)
  assert.deepEqual(await ok('GET', `/chat/available-context-tokens/${chat_session_id}`, { key: ann }), {
    available_tokens: most,
  })
})

test('a browser authenticates by its session, and only from our own pages', async () => {
  const page = { 'x-requested-with': 'page' }
  const opened = await ask('POST', '/auth/session', { key: null, headers: page, body: { api_key: ann } })
  const cookie = String(opened.headers['set-cookie']).split(';')[0]!
  const body = { message: QUESTION, stream: false }
  const foreign = await ask('POST', '/chat/send-chat-message', {
    key: null,
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
    body,
  })
  assert.deepEqual([foreign.status, foreign.body.error_code], [403, 'CSRF_FAILURE'])
  const headers = { cookie, ...page }
  assert.equal((await ask('POST', '/chat/send-chat-message', { key: null, headers, body })).status, 200)
})

test('the export of a person contains their chats, and deleting the person deletes them', async () => {
  const email = 'cara@example.com'
  const key = await makeKey({ role: 'basic', user_email: email })
  const { chat_session_id } = await send({ message: 'Where is Cara?' }, key)
  const persona = {
    ...{ name: 'Shared', description: '', system_prompt: '', task_prompt: '', datetime_aware: true },
    ...{ tool_ids: [], document_set_ids: [], users: ['Cara@example.com', 'dora@example.com'] },
  }
  const { id: persona_id } = await ok('POST', '/persona', { body: persona })
  const { text } = await ask('GET', `/admin/person/${email}/export`)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((it) => JSON.parse(it))
  const chats = lines.filter((it) => it.kind.startsWith('chat'))
  assert.deepEqual(chats.map((it) => [it.kind, it.message_type, it.name ?? it.message]).slice(0, 2), [
    ['chat', undefined, 'Where is Cara?'],
    ['chat_message', 'user', 'Where is Cara?'],
  ])
  assert.equal(lines.at(-1).lines, lines.length)
  assert.deepEqual(
    lines.filter((it) => it.kind === 'shared_persona').map((it) => it.id),
    [persona_id],
  )
  await ok('DELETE', `/admin/person/${email}`)
  const { users } = await ok('GET', `/persona/${persona_id}`)
  assert.deepEqual(
    users.map((it: { email: string }) => it.email),
    ['dora@example.com'],
  )
  const again = await makeKey({ role: 'basic', user_email: email })
  assert.equal((await ask('GET', `/chat/get-chat-session/${chat_session_id}`, { key: again })).status, 404)
})

test('the first line is sent before the answer is complete', async () => {
  const answer = await stream('POST', '/chat/send-chat-message', { key: ann, body: { message: QUESTION } })
  assert.ok(await answer.until(isType('user_message_id')))
  await answer.until(isType('stop'))
})
