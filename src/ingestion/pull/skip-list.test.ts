import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSkipList } from './skip-list.ts'

const skip = (id: string) => ({ id, link: null, reason: 'too large' })

test('entries are returned once', () => {
  const skips = createSkipList(0)
  skips.add(skip('a'))
  assert.equal(skips.length, 1)
  assert.deepEqual(
    skips.take().map((it) => it.document_id),
    ['a'],
  )
  assert.deepEqual(skips.take(), [])
})

test('at most 10,000 entries are recorded for a pair, including earlier runs', () => {
  const skips = createSkipList(9_999)
  for (const id of ['a', 'b']) skips.add(skip(id))
  assert.equal(skips.take().length, 1)
})

test('every text has a maximum length', () => {
  const skips = createSkipList(0)
  const long = 'x'.repeat(1_000_000)
  skips.add({ id: long, link: long, reason: long })
  const [{ document_id, document_link, reason } = assert.fail()] = skips.take()
  assert.deepEqual([document_id.length, document_link?.length, reason.length], [2_000, 2_000, 2_000])
})
