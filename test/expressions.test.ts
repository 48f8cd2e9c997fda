// A slow regular expression blocks every request, so every expression must be known to take linear time.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allExpressions, judge } from './check-expressions.ts'
import { expressionsIn, sourceFiles } from './expressions.ts'

test('every regular expression takes linear time', async () => {
  const expressions = allExpressions()
  assert.ok(expressions.length > 400)
  const { bad } = await judge(expressions)
  assert.deepEqual(
    bad.map((it) => `${it.place} ${it.status}: /${it.source}/${it.flags}, such as ${it.attack}`),
    [],
  )
})

test('every expression consists of constants and escaped text', () => {
  const unknown = sourceFiles().flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')).unknown)
  assert.deepEqual(unknown, [])
})

test('scripts that a browser runs unchanged are checked too', () => {
  const files = sourceFiles()
  for (const it of ['src/api/openapi/reference.js', 'web/public/theme.js', 'web/src/main.tsx', 'start.mjs']) {
    assert.ok(files.includes(it), it)
  }
})

const FOUND: [code: string, found: string[]][] = [
  ['const a = /x+/g', ['/x+/g']],
  ["new RegExp('x+', 'i')", ['/x+/i']],
  [`const A = 'x'; const B = \`(\${A})\`; new RegExp(\`^\${B}$\`)`, ['/^(x)$/']],
  ['new RegExp(String.raw`\\d`)', ['/\\d/']],
  ["new RegExp(['a', 'b'].join('|'))", ['/a|b/']],
  ["words => new RegExp(words.map((it) => RegExp.escape(it)).join('|'))", ['/escapeda|escapedb/']],
  [`text => RegExp(\`^\${RegExp.escape(text)}\`)`, ['/^escaped/']],
  ['text => new RegExp(text)', ['?']],
  [`text => new RegExp(\`^\${text}\`)`, ['?']],
  ["words => new RegExp(words.join('|'))", ['?']],
  ["flags => new RegExp('a', flags)", ['?']],
]
for (const [code, found] of FOUND) {
  test(`${code} contains ${found}`, () => {
    const { expressions, unknown } = expressionsIn('x.ts', code)
    assert.deepEqual([...expressions.map((it) => `/${it.source}/${it.flags}`), ...unknown.map(() => '?')], found)
  })
}
