import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { queryTermsFor } from '../../text/query-terms.ts'
import { createTermMatcher } from '../../text/term-matcher.ts'
import { createSnippet, highlightedHtml } from './snippet.ts'

const snippet = (content: string, query: string) =>
  createSnippet({ content, matches: createTermMatcher(queryTermsFor(query, 'en'), 'en')(content) })

test('a short text is shown whole, with term matches in any form', () => {
  assert.deepEqual(snippet('The fox jumps over foxes.', 'jumping fox'), {
    text: 'The fox jumps over foxes.',
    highlights: [
      [4, 7],
      [8, 13],
      [19, 24],
    ],
  })
})

test('the snippet of a long text is the passage with the most distinct query words', () => {
  const filler = 'nothing of interest stands in this sentence. '.repeat(40)
  const { text } = snippet(`whale ${filler} The whale swims with the dolphin. ${filler}`, 'whale dolphin')
  assert.match(text, /whale swims with the dolphin/)
})

test('text and query are shown as text, never as HTML', () => {
  const html = highlightedHtml(snippet('<script>alert("fox")</script> & <mark>', 'fox <mark>'))
  assert.equal(html, '&lt;script&gt;alert(&quot;<mark>fox</mark>&quot;)&lt;/script&gt; &amp; &lt;<mark>mark</mark>&gt;')
})

test('a snippet ends with a whole character', () => {
  for (const before of ['', ' ']) {
    const { text } = snippet(`${before}fox${'😀'.repeat(400)}`, 'fox')
    assert.ok(text.isWellFormed(), text.slice(-4))
  }
})

test('offsets are within the snippet and in order, for any text and query', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 1_000 })
  fc.assert(
    fc.property(text, text, (content, query) => {
      const result = snippet(content, query)
      assert.ok(content.includes(result.text))
      let last = 0
      for (const [start, end] of result.highlights) {
        assert.ok(last <= start && start < end && end <= result.text.length)
        last = end
      }
      const plain = highlightedHtml(result).replace(/<\/?mark>/g, '')
      assert.ok(!/[<>]/.test(plain))
    }),
    { numRuns: 300 },
  )
})
