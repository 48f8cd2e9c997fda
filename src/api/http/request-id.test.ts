import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestId } from './request-id.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`

for (const id of ['a', 'import-2026.11.21:7', 'A'.repeat(128), '4bf92f35-77b3-4da6-a3ce-929d0e0e4736']) {
  test(`the client's id ${id.slice(0, 40)} is kept`, () => {
    assert.equal(readRequestId({ 'x-request-id': id, traceparent }), id)
  })
}

for (const id of ['', 'a b', 'a\nb', 'ann@example.com', 'a, b', '-a', '<b>', 'ü', 'A'.repeat(129)]) {
  test(`the client's id ${JSON.stringify(id.slice(0, 40))} is ignored`, () => {
    assert.match(readRequestId({ 'x-request-id': id }), /^[0-9a-f-]{36}$/)
  })
}

test('without X-Request-ID the trace id is used', () => {
  assert.equal(readRequestId({ traceparent }), TRACE)
  assert.equal(readRequestId({ traceparent: `cc-${TRACE}-b7ad6b7169203331-01-what-comes-later` }), TRACE)
})

for (const broken of [
  `ff-${TRACE}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`,
  TRACE,
]) {
  test(`the traceparent ${broken} is ignored`, () => {
    assert.match(readRequestId({ traceparent: broken }), /^[0-9a-f-]{36}$/)
  })
}

test('two requests without an id get different ids', () => {
  assert.notEqual(readRequestId({}), readRequestId({}))
})
