import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { SourceError } from '../connector.ts'
import { createResponseReader, parseResponse } from './response-reader.ts'

const FETCH =
  '* 1 FETCH (UID 7 BODY[] {5}\r\na\r\n)( ENVELOPE ("a \\"b\\"" NIL ((NIL NIL "x" "y.z"))))\r\np1 OK done\r\n'
const VALUES = ['*', '1', 'FETCH']
const ITEMS = ['UID', '7', 'BODY[]', Buffer.from('a\r\n)('), 'ENVELOPE', ['a "b"', null, [[null, null, 'x', 'y.z']]]]

/** A socket that sends the text in chunks of `size` bytes and then ends. */
function reading(text: string, size = text.length) {
  const stream = new PassThrough()
  for (let at = 0; at < text.length; at += size) stream.write(text.slice(at, at + size), 'latin1')
  stream.end()
  return createResponseReader(stream as unknown as Socket)
}

for (const size of [1, 2, 3, 7, 1_000])
  test(`a response in chunks of ${size} bytes is parsed the same`, async () => {
    const reader = reading(FETCH, size)
    assert.deepEqual(parseResponse(await reader.next(100)), [...VALUES, ITEMS])
    assert.deepEqual(await reader.next(100), ['p1 OK done'])
    await assert.rejects(reader.next(100), /closed the connection/)
  })

for (const text of ['* 1 FETCH (UID 7\r\n', '* LIST () )\r\n', '* 1 FETCH "open\r\n'])
  test(`${JSON.stringify(text)} is refused`, async () => {
    const response = await reading(text).next(100)
    assert.throws(() => parseResponse(response), SourceError)
  })

test('a line with millions of values is refused', async () => {
  const response = await reading(`* 1 FETCH ${'('.repeat(2_000_001)}\r\n`, 1 << 20).next(100)
  assert.throws(() => parseResponse(response), /a line of more than 2000000 values/)
})

test('an overlong literal is refused before it is read', async () => {
  await assert.rejects(reading('* 1 FETCH (BODY[] {999999999}\r\n').next(1_000), /a literal of 999999999 bytes/)
})
