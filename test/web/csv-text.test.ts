import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvRow } from '../../src/api/views/csv.ts'
import { csvText } from '../../web/src/parts/csv/csv-text.ts'

test('the names of the first record are the headings, and each record is a line', () => {
  const records = [
    { id: 1, name: 'a', is_on: true },
    { id: -2, name: null, is_on: false },
  ]
  assert.equal(csvText(records), 'id,name,is_on\r\n1,a,true\r\n-2,,false\r\n')
  assert.equal(csvText([]), '\r\n')
})

test('a list is one cell, separated by semicolons, and an empty list is an empty cell', () => {
  assert.equal(csvText([{ ids: [1, 2], names: [], groups: ['=1', 'b,c'] }]), 'ids,names,groups\r\n1;2,,"\'=1;b,c"\r\n')
})

for (const first of ['=', '+', '-', '@', '\t', '\r']) {
  test(`a text that begins with ${JSON.stringify(first)} is no formula [Z13]`, () => {
    const line = csvText([{ text: `${first}1+1` }]).slice('text\r\n'.length)
    assert.match(line, /^"?'/)
  })
}

test('texts are written as the API writes them', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[=+@"',;\r\n\t-]{0,5}$/))
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const expected = [['a', 'b'], ...rows].map((it) => csvRow(it)).join('')
      assert.equal(rows.length === 0 ? 'a,b\r\n' : csvText(rows.map(([a, b]) => ({ a, b }))), expected)
    }),
  )
})
