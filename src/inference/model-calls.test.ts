import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelCalls } from './model-calls.ts'
import type { CallDelta } from './openai-chunks.ts'

const listOf = (...deltas: CallDelta[]) => {
  const calls = modelCalls()
  for (const it of deltas) calls.add([it])
  return calls.list()
}

test('the pieces of two calls may come in any order', () => {
  const list = listOf(
    { index: 1, id: 'b', function: { name: 'two', arguments: '{' } },
    { index: 0, id: 'a', function: { name: 'one', arguments: '[' } },
    { index: 1, function: { arguments: '}' } },
    { index: 0, function: { arguments: ']' } },
  )
  assert.deepEqual(list, [
    { id: 'a', name: 'one', arguments: '[]' },
    { id: 'b', name: 'two', arguments: '{}' },
  ])
})

test('without numbers a new id begins a new call, and what has none belongs to the last', () => {
  const list = listOf(
    { id: 'a', function: { name: 'one', arguments: '{"x":' } },
    { function: { arguments: '1}' } },
    { id: 'a', function: { arguments: ' ' } },
    { id: 'b', function: { name: 'two' } },
  )
  assert.deepEqual(
    list.map((it) => [it.name, it.arguments]),
    [
      ['one', '{"x":1} '],
      ['two', '{}'],
    ],
  )
})

test('what names nothing is no call', () => {
  assert.deepEqual(listOf({ index: 0, id: 'a', function: { arguments: '{}' } }, { index: 1, id: 'b' }), [])
})

test('a call beyond the thirty-second is left out, the pieces of the others are not', () => {
  const calls = modelCalls()
  calls.add(
    Array.from({ length: 40 }, (_, index) => ({ index, id: `c${index}`, function: { name: 'x', arguments: '{' } })),
  )
  calls.add([{ index: 0, function: { arguments: '}' } }])
  const list = calls.list()
  assert.deepEqual([list.length, list[0]?.arguments], [32, '{}'])
})

test('ids are kept, made where there are none, and never the same', () => {
  const list = listOf(
    { index: 0, id: 'same', function: { name: 'x' } },
    { index: 1, id: 'same', function: { name: 'x' } },
    { index: 2, function: { name: 'x' } },
  )
  assert.equal(list[0]?.id, 'same')
  assert.equal(new Set(list.map((it) => it.id)).size, 3)
})
