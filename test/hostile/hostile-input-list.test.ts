// Every kind of hostile input is listed in docs/hostile-input.md, and each listed test names its rows.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const COUNTS = { B: 22, C: 17, O: 13, Z: 15, X: 14 }
const wanted = Object.entries(COUNTS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
)

const [now, later] = readFileSync('docs/hostile-input.md', 'utf8').split('## Later') as [string, string]
const rowsOf = (table: string) =>
  table
    .split('\n')
    .filter((it) => /^\| [A-Z]\d/.test(it))
    .map((it) => it.split('|').map((cell) => cell.trim()))
const idsOf = (cell = '') => cell.split(' ')

test('every row is on the page, either with a test or as planned', () => {
  const found = [...rowsOf(now), ...rowsOf(later)].flatMap(([, ids]) => idsOf(ids))
  assert.deepEqual([...new Set(found)].sort(), [...wanted].sort())
  const both = rowsOf(later)
    .flatMap(([, ids]) => idsOf(ids))
    .filter((id) => rowsOf(now).some((row) => idsOf(row[1]).includes(id)))
  assert.deepEqual(both, [])
})

for (const [, ids, , files] of rowsOf(now)) {
  for (const id of idsOf(ids)) {
    test(`${id} is in the name of a test`, () => {
      for (const file of files!.split(' ')) {
        assert.ok(existsSync(file), `${file} does not exist`)
        assert.match(
          readFileSync(file, 'utf8'),
          new RegExp(`['"\`]([A-Z]\\d+ )*${id}[ :'"\`]|\\[([A-Z]\\d+ )*${id}( [A-Z]\\d+)*\\]`),
          `${file} does not name ${id}`,
        )
      }
    })
  }
}
