import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf } from './excerpt.ts'

const marked = (message: string, ...words: string[]): string | null => {
  const excerpt = excerptOf(message, words)
  if (excerpt === null) return null
  let [shown, done] = ['', 0]
  for (const [from, to] of excerpt.spans) {
    shown += `${excerpt.text.slice(done, from)}<${excerpt.text.slice(from, to)}>`
    done = to
  }
  return shown + excerpt.text.slice(done)
}

test('the words are marked, whatever their case', () => {
  assert.equal(
    marked('How long is leave? LEAVE is long.', 'leave', 'long'),
    'How <long> is <leave>? <LEAVE> is <long>.',
  )
  assert.equal(marked('Nothing here', 'leave'), null)
  assert.equal(marked('', 'leave'), null)
})

test('a long message is cut at words around the place with the most words', () => {
  const message = `${'the cat sat. '.repeat(40)}the zebra crossing is new. ${'and so on '.repeat(40)}`
  const shown = marked(message, 'the', 'zebra', 'crossing')
  assert.match(shown ?? '', /^….* <the> <zebra> <crossing> is new\. and so on .*…$/)
  assert.ok((excerptOf(message, ['zebra'])?.text.length ?? 0) <= 162)
})

test('citations and line breaks are not shown', () => {
  assert.equal(marked('You have\n\n30 days [[1]](https://wiki/days#days).', 'days'), 'You have 30 <days> .')
  assert.equal(marked('See [[1]](https://wiki/days).', 'days'), null)
})

test('letters that change their length, and letters without spaces between them, keep their places', () => {
  assert.equal(marked('İstanbul and İzmir', 'izmir'), null)
  assert.equal(marked('İİ the Kelvin', 'kelvin'), 'İİ the <Kelvin>')
  assert.equal(marked('ﬁle of 天気', 'file', '天気'), '<file> of <天気>')
  const faces = excerptOf(`${'😀'.repeat(300)}needle${'😀'.repeat(300)}`, ['needle'])
  assert.ok(faces?.text.isWellFormed())
  assert.equal(faces?.text.slice(...(faces.spans[0] ?? [])), 'needle')
})

test('the work is linear in the message', () => {
  const start = performance.now()
  excerptOf('a'.repeat(1_000_000), ['aaaaaaaaab', 'a', 'aa'])
  excerptOf('[[1]]('.repeat(20_000), ['x'])
  assert.ok(performance.now() - start < 1_000)
})
