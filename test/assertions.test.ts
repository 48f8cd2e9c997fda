// `x!` and `x as T` are claims that the compiler cannot check. Their number falls and never rises.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseSync, Visitor } from 'vite'
import { sourceFiles } from './expressions.ts'

/** Lower a ceiling when you have removed claims. */
const CEILINGS = {
  /** Its loops read typed arrays at places that exist; a check of each would cost time. */
  engine: 205,
  others: 90,
}

test('the program makes no more unchecked claims than before', () => {
  const counts = { engine: 0, others: 0 }
  for (const file of sourceFiles()) {
    counts[file.startsWith('src/engine/') ? 'engine' : 'others'] += claimsIn(file, readFileSync(file, 'utf8')).length
  }
  for (const part of ['engine', 'others'] as const) {
    const [count, ceiling] = [counts[part], CEILINGS[part]]
    assert.ok(
      count <= ceiling,
      `${part}: ${count} assertions by ! and as, more than ${ceiling}. Change a type instead.`,
    )
  }
})

for (const [code, claims] of [
  ['a!.b', ['a!']],
  ['a as B', ['a as B']],
  ['a as unknown as B', ['a as unknown as B', 'a as unknown']],
  ['["a"] as const', []],
  ['a satisfies B', []],
  ['a !== b', []],
] as const) {
  test(`"${code}" makes ${claims.length} unchecked claims`, () => assert.deepEqual(claimsIn('x.ts', code), claims))
}

function claimsIn(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text)
  assert.deepEqual(errors, [], file)
  const claims: string[] = []
  const textOf = ({ start, end }: { start: number; end: number }) => text.slice(start, end)
  new Visitor({
    TSNonNullExpression: (node) => void claims.push(textOf(node)),
    TSAsExpression(node) {
      if (textOf(node.typeAnnotation) !== 'const') claims.push(textOf(node))
    },
  }).visit(program)
  return claims
}
