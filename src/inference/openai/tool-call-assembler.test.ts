import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolCallDelta } from './chunks.ts'
import { createToolCallAssembler } from './tool-call-assembler.ts'

const listOf = (...deltas: ToolCallDelta[]) => {
  const calls = createToolCallAssembler()
  for (const it of deltas) calls.add([it])
  return calls.list()
}

test('the fragments of two calls may be interleaved', () => {
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

test('without an index a new id starts a new call, and a fragment without id belongs to the last one', () => {
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

test('a call without a name is dropped', () => {
  assert.deepEqual(listOf({ index: 0, id: 'a', function: { arguments: '{}' } }, { index: 1, id: 'b' }), [])
})

test('calls beyond the thirty-second are dropped, the others stay complete', () => {
  const calls = createToolCallAssembler()
  calls.add(
    Array.from({ length: 40 }, (_, index) => ({ index, id: `c${index}`, function: { name: 'x', arguments: '{' } })),
  )
  calls.add([{ index: 0, function: { arguments: '}' } }])
  const list = calls.list()
  assert.deepEqual([list.length, list[0]?.arguments], [32, '{}'])
})

test('ids are kept, generated if missing, and always unique', () => {
  const list = listOf(
    { index: 0, id: 'same', function: { name: 'x' } },
    { index: 1, id: 'same', function: { name: 'x' } },
    { index: 2, function: { name: 'x' } },
  )
  assert.equal(list[0]?.id, 'same')
  assert.equal(new Set(list.map((it) => it.id)).size, 3)
})
