import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedAnswerError, parseJsonBody } from './json-response.ts'

const answer = (text: string) => ({
  status: 200,
  headers: {},
  url: 'https://x.example/api?token=1',
  body: Buffer.from(text),
})

test('a large response is parsed, and one with millions of arrays is refused before parsing', () => {
  const items = parseJsonBody(answer(`[${'{"id":1,"text":"some words"},'.repeat(100_000)}{}]`))
  assert.equal((items as unknown[]).length, 100_001)
  for (const text of [`[${'[],'.repeat(2_000_001)}0]`, '['.repeat(2_000_001)])
    assert.throws(
      () => parseJsonBody(answer(text)),
      (error) =>
        error instanceof MalformedAnswerError &&
        error.message === 'x.example/api returned more than 2000000 arrays and objects in one response.',
    )
})
