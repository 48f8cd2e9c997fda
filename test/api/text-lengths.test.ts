// A text that is too long is rejected with the name of its field before it is parsed. With earlier regular expressions,
// each of these texts blocked the process for seconds to hours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask } = await start()
const DIGITS = `${'0'.repeat(1_000_000)}x`

interface Fault {
  loc: (string | number)[]
  type: string
}

const LONG: [what: string, method: string, path: string, body: unknown, loc: (string | number)[]][] = [
  ['a date of a search', 'POST', '/search', { query: 'x', time_cutoff: DIGITS }, ['body', 'time_cutoff']],
  [
    'the date of a document',
    'POST',
    '/service-api/ingestion',
    { document: documentOf('x', { doc_updated_at: DIGITS }) },
    ['body', 'document', 'doc_updated_at'],
  ],
  ['the message of a chat', 'POST', '/chat/send-chat-message', { message: 'a'.repeat(1_000_000) }, ['body', 'message']],
  [
    'a name of metadata',
    'POST',
    '/service-api/ingestion',
    { document: documentOf('x', { metadata: { ['k'.repeat(10_000)]: 'x' } }) },
    ['body', 'document', 'metadata', 'k'.repeat(200), '[key]'],
  ],
]
for (const [what, method, path, body, loc] of LONG) {
  test(`${what} that is too long is 422 and named`, async () => {
    const reply = await ask(method, path, { body })
    assert.equal(reply.status, 422)
    const [fault] = (reply.body as { detail: Fault[] }).detail
    assert.deepEqual([fault?.type, fault?.loc], ['string_too_long', loc])
  })
}

test('a chat time parameter that is too long is 422 and named', async () => {
  const { status, body } = await ask('GET', `/chat/get-user-chat-sessions?before=${'0'.repeat(20_000)}x`)
  assert.equal(status, 422)
  const [fault] = (body as { detail: Fault[] }).detail
  assert.deepEqual([fault?.type, fault?.loc], ['string_too_long', ['query', 'before']])
})

test('a message of 64,000 characters that ends with NUL is 422', async () => {
  const { status } = await ask('POST', '/chat/send-chat-message', { body: { message: `${'a'.repeat(63_998)}\0` } })
  assert.equal(status, 422)
})
