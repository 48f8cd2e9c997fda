// Phrases that nothing visible meets are given up, and other operators that leave nothing are named.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ok, push, search, makeKey } = await start()

let boss: string
let clerk: string
before(async () => {
  const external_access = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  await push(documentOf('The annual report was late again.', { id: 'report', source: 'wiki' }))
  await push(documentOf('A report on annual leave, and on the leave policy.', { id: 'leave', source: 'file' }))
  await push(documentOf('The report leave of the board.', { id: 'secret', source: 'wiki', external_access }))
  boss = await makeKey({ role: 'basic', user_email: 'boss@example.com' })
  clerk = await makeKey({ role: 'basic', user_email: 'clerk@example.com' })
})

interface Answer {
  results: { document_id: string }[]
  total: number
  relaxed: { kind: string; value: string; start: number; end: number }[]
  blocking: { kind: string; value: string }[]
  understood: { phrases: string[]; operators: { kind: string }[] }
  next_cursor: string | null
}
const idsOf = ({ results }: Answer) => results.map((it) => it.document_id).sort()
const valuesOf = (operators: { value: string }[]) => operators.map((it) => it.value)

test('a phrase that nothing contains is given up, and the response says so', async () => {
  const answer: Answer = await search('"late annual" report')
  assert.deepEqual(idsOf(answer), ['leave', 'report'])
  assert.equal(answer.total, 2)
  assert.deepEqual(answer.relaxed, [{ kind: 'phrase', value: 'late annual', start: 0, end: 13 }])
  assert.deepEqual(answer.understood.phrases, ['late annual'])
})

test('a phrase that something contains stays a condition', async () => {
  const answer: Answer = await search('"annual report" leave')
  assert.deepEqual([idsOf(answer), answer.relaxed], [['report'], []])
})

test('with `relax: false` nothing is given up', async () => {
  const answer: Answer = await search('"late annual" report', { relax: false })
  assert.deepEqual([answer.results, answer.total, answer.relaxed], [[], 0, []])
})

test('the phrases that something meets stay, and only the others are given up', async () => {
  const answer: Answer = await search('"annual report" "leave day"')
  assert.deepEqual([idsOf(answer), valuesOf(answer.relaxed)], [['report'], ['leave day']])
})

test('phrases that are never met together are all given up', async () => {
  const answer: Answer = await search('"annual report" "annual leave"')
  assert.deepEqual(
    [idsOf(answer), valuesOf(answer.relaxed)],
    [
      ['leave', 'report'],
      ['annual report', 'annual leave'],
    ],
  )
})

test('a phrase in a document that the person may not read is no phrase that something meets', async () => {
  const searchAs = (key: string): Promise<Answer> => ok('POST', '/search', { key, body: { query: '"report leave"' } })
  const [seen, hidden] = [await searchAs(boss), await searchAs(clerk)]
  assert.deepEqual([idsOf(seen), seen.relaxed], [['secret'], []])
  assert.deepEqual([idsOf(hidden), valuesOf(hidden.relaxed)], [['leave', 'report'], ['report leave']])
})

test('two marks for inches are no reason to find nothing', async () => {
  const answer: Answer = await search('a 5" report and 3" leave')
  assert.deepEqual(idsOf(answer), ['leave', 'report'])
})

test('in a long text, quotation marks are those of its author', async () => {
  const text = 'Yesterday the manager of our office wrote that the "late annual" report has to be read by all'
  const { understood, relaxed, total }: Answer = await search(text)
  assert.deepEqual([understood.phrases, understood.operators, relaxed], [[], [], []])
  assert.ok(total > 0)
})

test('the other conditions stay while a phrase is given up', async () => {
  const typed: Answer = await search('"late annual" report source:file')
  assert.deepEqual([idsOf(typed), valuesOf(typed.relaxed)], [['leave'], ['late annual']])
  const chosen: Answer = await search('"late annual" report', { sources: ['file'] })
  assert.deepEqual([idsOf(chosen), valuesOf(chosen.relaxed)], [['leave'], ['late annual']])
})

test('the next page belongs to the same results', async () => {
  const first: Answer = await search('"late annual" report', { num_hits: 1 })
  const second: Answer = await search('"late annual" report', { num_hits: 1, cursor: first.next_cursor })
  assert.deepEqual([...idsOf(first), ...idsOf(second)].sort(), ['leave', 'report'])
  assert.deepEqual(second.relaxed, first.relaxed)
})

test('an operator that leaves nothing is named', async () => {
  const answer: Answer = await search('annual source:nowhere -late')
  assert.deepEqual([answer.total, answer.blocking.map((it) => [it.kind, it.value])], [0, [['source', 'nowhere']]])
})

test('two operators that each leave nothing are named together', async () => {
  const answer: Answer = await search('annual source:nowhere author:nobody')
  assert.deepEqual([answer.total, valuesOf(answer.blocking)], [0, ['nowhere', 'nobody']])
})

test('no operator is named if nothing would be found without it either', async () => {
  const answer: Answer = await search('xylophone source:nowhere')
  assert.deepEqual([answer.total, answer.blocking], [0, []])
})

test('a phrase that is contained outside the filters stays a condition, and is named', async () => {
  const answer: Answer = await search('"late again" report source:file')
  assert.deepEqual([answer.total, answer.relaxed, valuesOf(answer.blocking)], [0, [], ['late again', 'file']])
  const filtered: Answer = await search('"late again" report', { sources: ['file'] })
  assert.deepEqual([filtered.total, filtered.relaxed, valuesOf(filtered.blocking)], [0, [], ['late again']])
})

test('nothing is named while there are results', async () => {
  const answer: Answer = await search('annual source:wiki')
  assert.deepEqual([idsOf(answer), answer.blocking], [['report'], []])
})
