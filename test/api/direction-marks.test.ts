// Hostile titles and links must not deceive people.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { server, ok, push } = await start()
const TITLE = 'walrus \u202efdp.exe'
await push({
  ...documentOf('walrus', { id: 'walrus', semantic_identifier: TITLE, title: TITLE }),
  sections: [{ text: 'The walrus has tusks.', link: 'https://good.test@evil.test/' }],
})
await settled(server)

test('a result has no direction marks in its title and no link with a user name', async () => {
  const { results } = await ok('POST', '/search', { body: { query: 'walrus tusks' } })
  const [{ title, semantic_identifier, link, passages }] = results
  assert.deepEqual([title, semantic_identifier, link], ['walrus fdp.exe', 'walrus fdp.exe', null])
  assert.ok(passages.every((it: { link: string | null }) => it.link === null))
})

test('a suggestion has no direction marks and no link with a user name', async () => {
  const { titles } = await ok('POST', '/search/suggest', { body: { query: 'walrus' } })
  assert.deepEqual([titles[0].title, titles[0].link], ['walrus fdp.exe', null])
})

test('a chat answer has no direction marks, and its citation has no link with a user name', async () => {
  const body = { message: 'Does the walrus have tusks?', stream: false }
  const answer = await ok('POST', '/chat/send-chat-message', { body })
  assert.deepEqual(
    answer.top_documents.map((it: { semantic_identifier: string; link: string | null }) => [
      it.semantic_identifier,
      it.link,
    ]),
    [['walrus fdp.exe', null]],
  )
  assert.doesNotMatch(JSON.stringify(answer), /evil\.test/)
})

test('the record keeps the title as it was pushed', async () => {
  const { items } = await ok('GET', '/service-api/receipts')
  const [{ semantic_identifier }] = items
  assert.equal(semantic_identifier, TITLE)
})
