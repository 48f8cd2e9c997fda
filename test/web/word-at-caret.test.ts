import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordAtCaret } from '../../web/src/pages/chat/word-at-caret.ts'

test('a word after @ asks for suggestions anywhere', () => {
  assert.deepEqual(wordAtCaret('What is new in @ji', 18), { sign: '@', text: 'ji', from: 15, to: 18 })
  assert.deepEqual(wordAtCaret('@', 1), { sign: '@', text: '', from: 0, to: 1 })
  assert.deepEqual(wordAtCaret('in @jira please', 6), { sign: '@', text: 'ji', from: 3, to: 6 })
  assert.deepEqual(wordAtCaret('new\n@w', 6), { sign: '@', text: 'w', from: 4, to: 6 })
})

test('an address and a closed word ask for nothing', () => {
  assert.equal(wordAtCaret('ann@example.com', 15), null)
  assert.equal(wordAtCaret('in @jira ', 9), null)
  assert.equal(wordAtCaret('', 0), null)
  assert.equal(wordAtCaret('@jira', 0), null)
})

test('a slash asks only at the begin of the text', () => {
  assert.deepEqual(wordAtCaret('/sum', 4), { sign: '/', text: 'sum', from: 0, to: 4 })
  assert.deepEqual(wordAtCaret('\n /sum', 6), { sign: '/', text: 'sum', from: 2, to: 6 })
  assert.equal(wordAtCaret('either /or', 10), null)
})
