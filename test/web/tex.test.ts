import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedLexer } from '../../web/src/pages/chat/bounded-lexer.ts'
import { mathExtensions } from '../../web/src/pages/chat/math/math-lexer.ts'
import { type MathNode, parseTex } from '../../web/src/pages/chat/math/parse-tex.ts'

/** The formula in one line, with the structure as words. */
function written(node: MathNode | null): string {
  if (node === null) return 'not understood'
  switch (node.kind) {
    case 'row':
      return node.children.map(written).join('')
    case 'space':
      return ' '
    case 'fraction':
      return `(${written(node.top)}/${written(node.bottom)})`
    case 'root':
      return `root${node.degree === null ? '' : written(node.degree)}(${written(node.radicand)})`
    case 'accent':
      return `${written(node.base)}${node.accent}`
    case 'scripts':
      return `${written(node.base)}${node.sub && `_${written(node.sub)}`}${node.sup && `^${written(node.sup)}`}`.replaceAll(
        'null',
        '',
      )
    case 'table':
      return `${node.open}${node.rows.map((row) => row.map(written).join(' ')).join(';')}${node.close}`
    default:
      return node.text
  }
}

for (const [tex, expected] of [
  ['E = mc^2', 'E=mc^2'],
  ['\\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}', '(−b±root(b^2−4ac)/2a)'],
  ['\\sum_{i=1}^{n} x_i \\le \\infty', '∑_i=1^nx_i≤∞'],
  ['\\sqrt[3]{x}', 'root3(x)'],
  ['\\left( \\alpha + \\beta \\right)', '(α+β)'],
  ['\\text{price} \\times 1.5', 'price×1.5'],
  ['\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}', '(1 0;0 1)'],
  ['\\hat{x} \\in \\mathbb{R}', 'x^∈ℝ'],
  ['\\unknown{x}', 'not understood'],
  ['{x', 'not understood'],
  ['x}', 'not understood'],
  ['x^', 'not understood'],
  ['x^a^b', 'not understood'],
  ['\\begin{tikzpicture}\\end{tikzpicture}', 'not understood'],
  [`${'{'.repeat(900)}x${'}'.repeat(900)}`, 'not understood'],
  ['x'.repeat(2_001), 'not understood'],
] as const) {
  test(`${tex.slice(0, 50)} is read as ${expected}`, () => {
    assert.equal(written(parseTex(tex)), expected)
  })
}

const formulasIn = (text: string) => {
  const found: string[] = []
  const collect = (tokens: readonly { type: string; text?: string; tokens?: never[] }[]) => {
    for (const it of tokens) {
      if (it.type === 'math') found.push(it.text ?? '')
      if (it.tokens !== undefined) collect(it.tokens)
    }
  }
  collect(new BoundedLexer({ gfm: true, extensions: mathExtensions }, Number.POSITIVE_INFINITY).lex(text) as never)
  return found
}

for (const [text, formulas] of [
  ['The area is $\\pi r^2$, and $E=mc^2$.', ['\\pi r^2', 'E=mc^2']],
  ['It costs $5 and $10, or $5-$10.', []],
  ['Inline \\(a_1 + b_1\\) and \\[c\\].', ['a_1 + b_1', 'c']],
  ['Before\n$$\na\n= b\n$$\nafter', ['a\n= b']],
  ['\\[\n- x\n\\]', ['- x']],
  ['`$a$` and\n\n```\n$b$\n```', []],
  ['Not closed: $a + b', []],
] as const) {
  test(`the formulas of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(formulasIn(text), formulas)
  })
}

test('hostile texts with many signs are read in bounded time', () => {
  for (const piece of ['$a ', '\\( ', '$$ ', '\n$$', '\\[x', '$a$']) {
    const started = performance.now()
    new BoundedLexer({ gfm: true, extensions: mathExtensions }).lex(piece.repeat(100_000 / piece.length))
    assert.ok(performance.now() - started < 5_000, piece)
  }
})
