import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRow } from './csv.ts'

const CASES: [cell: string | number | null, text: string][] = [
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [-5, '-5'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
]
for (const [cell, text] of CASES) {
  test(`${JSON.stringify(cell)} is written as ${text} [Z13]`, () => {
    assert.equal(csvRow([cell, 'next']), `${text},next\r\n`)
  })
}
