import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderTables } from './record-snapshot.ts'

const tables = ['c', 'b', 'a'].map((name) => ({ name, columns: [] }))
const names = (references: { from: string; to: string }[]) => orderTables(tables, references).map((it) => it.name)

test('each table comes after those that it references', () => {
  assert.deepEqual(names([]), ['a', 'b', 'c'])
  assert.deepEqual(
    names([
      { from: 'a', to: 'c' },
      { from: 'c', to: 'b' },
      { from: 'b', to: 'b' },
    ]),
    ['b', 'c', 'a'],
  )
})

test('a cycle is an error, not an endless loop', () => {
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ]
  assert.throws(() => names(circle), /a, b reference each other in a cycle/)
})
