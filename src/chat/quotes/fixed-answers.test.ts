import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerGreeting, answerNothing } from './fixed-answers.ts'

for (const [message, beginning] of [
  ['hi', 'Hello!'],
  ['Hello!', 'Hello!'],
  ['Guten Morgen', 'Hallo!'],
  ['bonjour', 'Bonjour !'],
  ['¡Buenos días!', 'Hola.'],
] as const)
  test(`"${message}" is greeted in its language`, () => assert.ok(answerGreeting(message)?.startsWith(beginning)))

test('a question that begins with a greeting is a question', () =>
  assert.equal(answerGreeting('Hi, who is the director?'), undefined))

test('the closest pages are links, and a page without a link is a title', () => {
  const pages = [
    { title: 'Limits', link: 'https://wiki.example/limits' },
    { title: 'Notes', link: null },
  ]
  assert.equal(
    answerNothing('en', pages),
    'I found nothing that answers this. Closest pages: [Limits](https://wiki.example/limits), Notes.',
  )
  assert.equal(answerNothing('en', []), 'I found nothing that answers this.')
  assert.match(answerNothing('de', pages), /^Ich habe nichts gefunden/)
  assert.match(answerNothing('ja', pages), /^I found nothing/)
})

test('no title and no link becomes other Markdown', () => {
  const hostile = { title: '![x](https://evil.example) <b>`', link: 'javascript:alert(1)' }
  assert.equal(
    answerNothing('en', [hostile]),
    'I found nothing that answers this. Closest pages: \\!\\[x\\]\\(https://evil.example\\) \\<b\\>\\`.',
  )
})
