// Canaries in private documents: no part of a chat reveals them to users without access, now or later.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createStreamRequester, withoutRoot } from './chat-client.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, makeKey } = await start()
const stream = createStreamRequester(server)

const CANARY = 'CANARY-4711'
const openTo = (...external_user_emails: string[]) => ({ is_public: false, external_user_emails })
const payroll = (...emails: string[]) =>
  push(
    documentOf('', {
      sections: [
        { text: `The secret bonus of the payroll is ${CANARY} crowns.`, link: `https://hr.example/${CANARY}` },
      ],
      id: `payroll-${CANARY}`,
      semantic_identifier: `Payroll ${CANARY}`,
      metadata: { note: CANARY },
      external_access: openTo(...emails),
    }),
  )

let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  await payroll('ann@example.com')
  await push(documentOf('The payroll office opens at nine.', { id: 'office', semantic_identifier: 'Payroll office' }))
})

// biome-ignore lint/suspicious/noExplicitAny: a body that is about to be looked at.
type Json = any
const QUESTION = 'What is the secret bonus of the payroll?'
const send = (key: string, more: object = {}): Promise<Json> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message: QUESTION, stream: false, ...more } })
const share = (id: string, sharing_status: string) =>
  ok('PATCH', `/chat/chat-session/${id}`, { key: ann, body: { sharing_status } })
const read = async (id: string, key: string, more = '') => {
  const { status, text, body } = await ask('GET', `/chat/get-chat-session/${id}${more}`, { key })
  return { status, text, body: status === 200 ? withoutRoot(body) : body }
}

test('a private document is used only in answers to users who may read it', async () => {
  assert.match(JSON.stringify(await send(ann)), new RegExp(CANARY))
  assert.doesNotMatch(JSON.stringify(await send(bob)), new RegExp(CANARY))
  const lines = await (
    await stream('POST', '/chat/send-chat-message', { key: bob, body: { message: QUESTION } })
  ).text()
  assert.match(lines, /payroll office opens/)
  assert.doesNotMatch(lines, new RegExp(CANARY))
})

test('other users can read a session only while it is shared', async () => {
  const { chat_session_id } = await send(ann, { message: 'When does the payroll office open?' })
  const none = await read('00000000-0000-4000-8000-000000000000', bob, '?is_shared=true')
  const refused = async (more: string) => {
    const { status, text } = await read(chat_session_id, bob, more)
    assert.deepEqual([status, text], [404, none.text])
  }
  await refused('?is_shared=true')
  await share(chat_session_id, 'public')
  await refused('')
  assert.equal((await read(chat_session_id, bob, '?is_shared=true')).status, 200)
  for (const [method, path, body] of [
    ['POST', '/chat/send-chat-message', { message: 'x', chat_session_id }],
    ['POST', `/chat/stop-chat-session/${chat_session_id}`, undefined],
    ['GET', `/chat/chat-session/${chat_session_id}/resume-stream`, undefined],
    ['PUT', '/chat/rename-chat-session', { chat_session_id, name: 'x' }],
    ['DELETE', `/chat/delete-chat-session/${chat_session_id}`, undefined],
  ] as const) {
    assert.equal((await ask(method, path, { key: bob, body })).status, 404, path)
  }
  await share(chat_session_id, 'private')
  await refused('?is_shared=true')
})

test('a shared session hides answers based on documents the reader may not read, and all later ones', async () => {
  const { chat_session_id } = await send(ann)
  await send(ann, { chat_session_id, message: 'When does the payroll office open?' })
  await share(chat_session_id, 'public')
  const { text, body } = await read(chat_session_id, bob, '?is_shared=true')
  assert.doesNotMatch(text, new RegExp(CANARY))
  assert.deepEqual(
    body.messages.map((it: Json) => it.message).filter((_: string, at: number) => at % 2 === 1),
    Array(2).fill('This answer is based on documents that you may not read, so it is not shown to you.'),
  )
  assert.deepEqual([body.packets, body.is_owner, body.owner_name, body.persona_name], [[[], []], false, null, null])
  assert.match((await read(chat_session_id, ann)).text, new RegExp(CANARY))
})

test('a shared answer is shown with its documents if the reader may read all of them', async () => {
  const cara = await makeKey({ role: 'basic', user_email: 'cara@example.com' })
  await payroll('ann@example.com', 'cara@example.com')
  const { chat_session_id } = await send(ann)
  await share(chat_session_id, 'public')
  const { text, body } = await read(chat_session_id, cara, '?is_shared=true')
  assert.match(body.messages[1].message, new RegExp(CANARY))
  assert.match(text, /"citation_info"/)
  await payroll('ann@example.com')
  assert.doesNotMatch((await read(chat_session_id, cara, '?is_shared=true')).text, new RegExp(CANARY))
})

test('after losing access a user sees the old answer but no title, link or passage of the document', async () => {
  const dora = await makeKey({ role: 'basic', user_email: 'dora@example.com' })
  await payroll('ann@example.com', 'dora@example.com')
  const { chat_session_id } = await send(dora)
  const before = (await read(chat_session_id, dora)).body
  assert.match(before.messages[1].message, /hr\.example/)
  assert.ok(before.messages[1].context_docs.some((it: Json) => it.document_id.includes(CANARY)))
  await payroll('ann@example.com')
  const { messages, packets } = (await read(chat_session_id, dora)).body
  const said = new Set(['message_delta'])
  const beside = packets[0].filter((it: Json) => !said.has(it.obj.type))
  assert.doesNotMatch(JSON.stringify([beside, messages[1].context_docs, messages[1].citations]), new RegExp(CANARY))
  assert.doesNotMatch(JSON.stringify([messages, packets]), /hr\.example|Payroll CANARY/)
})

test('a deleted document is no longer shown next to answers', async () => {
  const sections = [{ text: 'The lighthouse keeper is called Fyrtorn.', link: 'https://l.example/' }]
  await push(documentOf('', { id: 'lighthouse', sections }))
  const { chat_session_id, top_documents, answer } = await send(ann, { message: 'Who is the lighthouse keeper?' })
  assert.equal(top_documents[0].document_id, 'lighthouse')
  assert.match(answer, /l\.example/)
  await ok('DELETE', '/service-api/ingestion/lighthouse')
  const { text } = await read(chat_session_id, ann)
  assert.doesNotMatch(text, /l\.example/)
})
