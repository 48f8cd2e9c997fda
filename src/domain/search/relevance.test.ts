import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Feedback, gradeDocuments, normalizeQuery, type RelevanceJudgement } from './relevance.ts'

const click = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: true, thumb: null })
const up = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: false, thumb: 'up' })
const down = (user_id: string): Feedback => ({ user_id, document_id: 'a', clicked: true, thumb: 'down' })
const hand = (grade: number): RelevanceJudgement[] => [{ document_id: 'a', grade }]

const CASES: [what: string, byHand: RelevanceJudgement[], feedback: Feedback[], grade: number | undefined][] = [
  ['nothing', [], [], undefined],
  ['a document without a click, thumb or judgement', [], [{ ...click('ann'), clicked: false }], undefined],
  ['a click', [], [click('ann')], 1],
  ['many clicks', [], [click('ann'), click('ann'), click('bob')], 1],
  ['a thumb up', [], [up('ann')], 2],
  ['a thumb down and a click', [], [down('ann')], 0],
  ['more up than down', [], [up('ann'), down('bob'), up('cara')], 2],
  ['as many up as down, and a click', [], [up('ann'), down('bob')], 1],
  ['the last thumb of a person', [], [up('ann'), down('ann')], 0],
  ['one person alone against two', [], [up('ann'), up('ann'), up('ann'), down('bob'), down('cara')], 0],
  ['a manual judgement against thumbs', hand(3), [down('ann'), down('bob')], 3],
  ['a manual judgement of irrelevance', hand(0), [up('ann'), click('bob')], 0],
]
for (const [what, byHand, feedback, grade] of CASES) {
  test(`${what} gives the grade ${grade}`, () => assert.equal(gradeDocuments(byHand, feedback).get('a'), grade))
}

test('each document has its own grade', () => {
  const grades = gradeDocuments([{ document_id: 'b', grade: 3 }], [click('ann')])
  assert.deepEqual([...grades].sort(), [
    ['a', 1],
    ['b', 3],
  ])
})

test('queries that differ only in case and space are equal', () =>
  assert.equal(normalizeQuery('  Harbour \n Master'), 'harbour master'))
