import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lexer, type Token } from 'marked'
import { BoundedLexer } from '../../web/src/pages/chat/bounded-lexer.ts'

const HONEST = `# Leave\n\nAll have **30 days** [[1]](https://x/y) and \`code\`.\n\n- one\n  - two\n    > three\n\n| a | b |\n|---|---|\n| 1 | _2_ |\n\n[ref]: https://x\n\nSee [this][ref].\n`

test('ordinary text yields the same tokens as the unbounded lexer', () => {
  // A busy machine may take longer than the limit of a page.
  const lexer = new BoundedLexer({ gfm: true }, Number.POSITIVE_INFINITY)
  assert.deepEqual([...lexer.lex(HONEST)], [...new Lexer({ gfm: true }).lex(HONEST)])
})

const SIZE = 100_000
const of = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length))
const HARD: Record<string, string> = {
  quotes: of('> '),
  'numbered lists': of('1. '),
  'deeper lists': Array.from({ length: 440 }, (_, at) => `${' '.repeat(at)}- a`).join('\n'),
  underscores: of('a_b_'),
  'underscores in paragraphs': of(`${'a_b_'.repeat(1_200)}\n\n`),
  brackets: of('['),
  images: of('![a]('),
  'open tags': of('<a '),
  'open comments': of('<!--'),
  stars: of('**a *b '),
  ticks: of('`a ``b '),
  pipes: `|a|b|\n|-|-|\n${of('|x_y_|y|\n')}`,
  headings: of('# a\n'),
}

for (const [name, text] of Object.entries(HARD)) {
  test(`${text.length} characters of ${name} neither overflow the stack nor take long`, () => {
    const begun = performance.now()
    const tokens = new BoundedLexer({ gfm: true }).lex(text)
    // Ten times the usual time. Without limits it takes minutes or overflows the stack.
    assert.ok(performance.now() - begun < 15_000)
    assert.ok(depthOf(tokens) <= 64)
  })
}

const depthOf = (tokens: readonly Token[]): number =>
  Math.max(0, ...tokens.map((it) => 1 + Math.max(...childrenOf(it).map(depthOf))))

const childrenOf = (token: Token): Token[][] => [
  'tokens' in token && token.tokens ? token.tokens : [],
  token.type === 'list' ? token.items : [],
]
