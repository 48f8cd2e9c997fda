import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WordCache } from './word-cache.ts'

test('a word is found at any place in a text, as with a Map', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '漢', '😀'), maxLength: 6 }), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(words, (all) => {
      const cache = new WordCache<number>()
      const known = new Map<string, number>()
      for (const word of all) {
        const text = `<${word}>`
        assert.equal(cache.find(text, 1, text.length - 1), known.get(word))
        if (known.has(word)) continue
        cache.add(word, known.size)
        known.set(word, known.size)
      }
      for (const [word, value] of known) assert.equal(cache.find(`a${word}b`, 1, word.length + 1), value)
    }),
  )
})

test('the cache grows beyond its initial capacity and is empty after clear', () => {
  const cache = new WordCache<string>()
  const words = Array.from({ length: 5_000 }, (_, at) => `word${at}`)
  for (const word of words) cache.add(word, word)
  assert.ok(words.every((word) => cache.find(word, 0, word.length) === word))
  cache.clear()
  assert.ok(words.every((word) => cache.find(word, 0, word.length) === undefined))
  cache.add('again', 'again')
  assert.equal(cache.find('again', 0, 5), 'again')
})
