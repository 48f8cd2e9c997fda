import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWellFormedStream } from './well-formed.ts'

const cases: [pieces: string[], told: string[]][] = [
  [['Paris'], ['Paris', '']],
  [
    ['a\ud83d', '\uddfcb'],
    ['a', '🗼b', ''],
  ],
  [
    ['\ud83d', '', '\uddfc'],
    ['', '', '🗼', ''],
  ],
  [['a\ud83d'], ['a', '\ufffd']],
  [
    ['\ud83d', 'b'],
    ['', '\ufffdb', ''],
  ],
  [['\uddfc'], ['\ufffd', '']],
  [['a\0b'], ['ab', '']],
]
for (const [pieces, told] of cases)
  test(`${JSON.stringify(pieces)} becomes ${JSON.stringify(told)}`, () => {
    const { push, end } = createWellFormedStream()
    assert.deepEqual([...pieces.map(push), end()], told)
  })
