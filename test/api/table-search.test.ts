// Tables of documents by HTTP: each chunk has the header, and a result shows the row that matches with it.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ok, push, search } = await start()

const HEADER = '| Item | Weight | Price |'
const rows = (name: string) =>
  Array.from({ length: 200 }, (_, at) => `${name} lamp ${at} | ${at} kg | ${at * 7} EUR`).join('\n')

before(async () => {
  await push(
    documentOf(`The prices of the harbour.\n\n${HEADER}\n${rows('Harbour')}`, { id: 'marked', source: 'file' }),
  )
  await push(documentOf(`Item | Weight | Price\n${rows('Deck')}`, { id: 'bare', source: 'file' }))
})

const textsOf = (cells: { text: string }[]) => cells.map((it) => it.text)

test('the chunks of a table begin with its header', async () => {
  for (const id of ['marked', 'bare']) {
    const { items: chunks } = await ok('GET', `/manage/admin/document/chunks?document_id=${id}&limit=100`)
    assert.ok(chunks.length > 2)
    for (const { content } of chunks.slice(1)) {
      assert.equal(content.indexOf(HEADER), 0)
      assert.equal(content.lastIndexOf(HEADER), 0)
    }
  }
})

test('a result has the row that matches and its header', async () => {
  const { results } = await search('price of the harbour lamp 150')
  const { table, blurb, document_id } = results[0]
  assert.equal(document_id, 'marked')
  assert.deepEqual(textsOf(table.header), ['Item', 'Weight', 'Price'])
  assert.deepEqual(table.header[2].highlights, [[0, 5]])
  assert.deepEqual(table.rows.map(textsOf), [['Harbour lamp 150', '150 kg', '1050 EUR']])
  assert.ok(blurb.split(HEADER).length <= 2)
})

test('a header that is not marked is found by the values below it', async () => {
  const { results } = await search('price of the deck lamp 150')
  assert.equal(results[0].document_id, 'bare')
  assert.deepEqual(textsOf(results[0].table.header), ['Item', 'Weight', 'Price'])
})

test('an answer quotes the row with the names of its columns', async () => {
  const message = 'What is the price of the harbour lamp 150?'
  const { answer } = await ok('POST', '/chat/send-chat-message', { body: { message, stream: false } })
  assert.match(answer, /Harbour lamp 150 — Weight: 150 kg; Price: 1050 EUR/)
  assert.doesNotMatch(answer, /Weight: Weight|\| Item/)
})
