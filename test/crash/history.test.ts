import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attempt, type DocumentState, historyUntil, possibleStates, wrongAnswers } from './history.ts'

const attempt = (
  token: DocumentState,
  start: number,
  end: number,
  outcome: Attempt['outcome'] = 'acknowledged',
): Attempt => ({
  id: 'a',
  token,
  start,
  end,
  outcome,
  status: null,
  alreadyExisted: null,
  words: 1,
})

const cases: [what: string, attempts: Attempt[], states: DocumentState[]][] = [
  ['nothing tried', [], [null]],
  ['an acknowledged version', [attempt('x', 1, 2)], ['x']],
  ['an open version', [attempt('x', 1, 2, 'open')], [null, 'x']],
  ['a refused version', [attempt('x', 1, 2, 'refused')], [null]],
  ['two versions, one after the other', [attempt('x', 1, 2), attempt('y', 3, 4)], ['y']],
  ['two versions at the same time', [attempt('x', 1, 4), attempt('y', 2, 3)], ['x', 'y']],
  ['an open version after an acknowledged one', [attempt('x', 1, 2), attempt('y', 3, 4, 'open')], ['x', 'y']],
  ['an open version before an acknowledged one', [attempt('x', 1, 2, 'open'), attempt('y', 3, 4)], ['y']],
  ['an acknowledged deletion', [attempt('x', 1, 2), attempt(null, 3, 4)], [null]],
  ['an open deletion', [attempt('x', 1, 2), attempt(null, 3, 4, 'open')], [null, 'x']],
]
for (const [what, attempts, states] of cases) {
  test(`after ${what} the document may be ${states.join(' or ')}`, () => {
    assert.deepEqual([...possibleStates(attempts)].sort(), [...states].sort())
  })
}

test('a version answered after the cut is open, one begun after it is forgotten', () => {
  const cut = historyUntil([attempt('x', 1, 2), attempt('y', 3, 9), attempt('z', 6, 8)], 5)
  assert.deepEqual(
    cut.map(({ token, outcome }) => [token, outcome]),
    [
      ['x', 'acknowledged'],
      ['y', 'open'],
    ],
  )
})

test('already_existed is checked against the possible former states', () => {
  const first = { ...attempt('x', 1, 2), alreadyExisted: true }
  const second = { ...attempt('y', 3, 4), alreadyExisted: true }
  assert.equal(wrongAnswers([first, second]).length, 1)
  assert.equal(wrongAnswers([{ ...first, alreadyExisted: false }, second]).length, 0)
})
