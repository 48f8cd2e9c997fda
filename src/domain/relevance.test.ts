import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Feedback, gradesOf, type Judged, plainQuery } from './relevance.ts'

const click = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: true, thumb: null })
const up = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: false, thumb: 'up' })
const down = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: true, thumb: 'down' })
const hand = (grade: number): Judged[] => [{ document_id: 'a', grade }]

const CASES: [what: string, byHand: Judged[], feedback: Feedback[], grade: number | undefined][] = [
  ['nothing', [], [], undefined],
  ['a document that was touched and neither opened nor judged', [], [{ ...click('ann'), clicked: false }], undefined],
  ['a click', [], [click('ann')], 1],
  ['many clicks', [], [click('ann'), click('ann'), click('bob')], 1],
  ['a thumb up', [], [up('ann')], 2],
  ['a thumb down beside a click', [], [down('ann')], 0],
  ['more up than down', [], [up('ann'), down('bob'), up('cara')], 2],
  ['as many up as down, and a click', [], [up('ann'), down('bob')], 1],
  ['the last thumb of a person', [], [up('ann'), down('ann')], 0],
  ['one person alone against two', [], [up('ann'), up('ann'), up('ann'), down('bob'), down('cara')], 0],
  ['a hand against thumbs', hand(3), [down('ann'), down('bob')], 3],
  ['a hand that says no', hand(0), [up('ann'), click('bob')], 0],
]
for (const [what, byHand, feedback, grade] of CASES) {
  test(`${what} is the grade ${grade}`, () => assert.equal(gradesOf(byHand, feedback).get('a'), grade))
}

test('each document has its own grade', () => {
  const grades = gradesOf([{ document_id: 'b', grade: 3 }], [click('ann')])
  assert.deepEqual([...grades].sort(), [
    ['a', 1],
    ['b', 3],
  ])
})

test('case and space make no other query', () => assert.equal(plainQuery('  Harbour \n Master'), 'harbour master'))
