// The syntax of the search box, and the other fields of its response.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makePair, makeKey } = await start()

const idsOf = ({ results }: Reply['body']): string[] => results.map((it: { document_id: string }) => it.document_id)

before(async () => {
  const pair = await makePair('Handbook pair')
  const body = { name: 'Handbook', description: '', cc_pair_ids: [pair], is_public: true, users: [], groups: [] }
  await ok('POST', '/manage/admin/document-set', { body })
  await push(
    documentOf('The quarterly budget report for the harbour office.', {
      id: 'budget',
      semantic_identifier: 'Budget',
      source: 'wiki',
      metadata: { team: 'finance' },
      primary_owners: [{ display_name: 'Ada Lovelace', email: 'ada@example.com' }],
      doc_updated_at: '2024-03-01T12:00:00Z',
    }),
    { cc_pair_id: pair },
  )
  await push(
    documentOf('A report of the quarterly meeting, without any budget figures.', {
      id: 'meeting',
      semantic_identifier: 'Meeting',
      source: 'file',
      metadata: { team: 'office' },
      primary_owners: [{ display_name: 'Bob', email: 'bob@example.com' }],
      doc_updated_at: '2025-03-01T12:00:00Z',
    }),
  )
})

const CASES: [query: string, ids: string[], understood: object][] = [
  ['report', ['budget', 'meeting'], { text: 'report' }],
  ['"budget report"', ['budget'], { text: 'budget report', phrases: ['budget report'] }],
  ['report -harbour', ['meeting'], { text: 'report', excluded: ['harbour'] }],
  ['report title:budget', ['budget'], { text: 'report', title: ['budget'] }],
  ['report source:wiki', ['budget'], { text: 'report', sources: ['wiki'] }],
  ['report source:Wiki', ['budget'], { text: 'report', sources: ['Wiki'] }],
  ['source:wiki source:file', ['budget', 'meeting'], { text: '', sources: ['wiki', 'file'] }],
  ['report author:ada', ['budget'], { text: 'report', authors: ['ada'] }],
  ['report tag:team=office', ['meeting'], { text: 'report', tags: [{ tag_key: 'team', tag_value: 'office' }] }],
  ['report set:Handbook', ['budget'], { text: 'report', document_sets: ['Handbook'] }],
  ['report set:Nobodys', [], { text: 'report', document_sets: ['Nobodys'] }],
  ['report after:2025', ['meeting'], { text: 'report', updated_from: '2025-01-01T00:00:00.000Z' }],
  ['report before:2025', ['budget'], { text: 'report', updated_until: '2024-12-31T23:59:59.999Z' }],
]
for (const [query, ids, understood] of CASES) {
  test(`"${query}" finds ${ids.join(' and ') || 'nothing'}, and says how it was understood`, async () => {
    const answer = await search(query)
    assert.deepEqual(idsOf(answer).sort(), ids)
    assert.partialDeepStrictEqual(answer.understood, understood)
  })
}

test('an invalid operator is searched as words and reported', async () => {
  const { understood } = await search('report tag:finance after:soon')
  assert.equal(understood.text, 'report finance soon')
  assert.deepEqual(
    understood.not_understood.map((it: { text: string }) => it.text),
    ['tag:finance', 'after:soon'],
  )
})

test('typed operators and request filters are intersected', async () => {
  assert.deepEqual(idsOf(await search('report source:wiki', { sources: ['file'] })), [])
  assert.deepEqual(idsOf(await search('report source:wiki', { sources: ['file', 'wiki'] })), ['budget'])
  assert.deepEqual(idsOf(await search('report after:2020', { time_cutoff: '2025-01-01' })), ['meeting'])
  assert.deepEqual(idsOf(await search('report', { authors: ['bob'] })), ['meeting'])
})

test('dates use the given time zone, or UTC', async () => {
  const from = async (tz?: string) => (await search('report after:2025', { tz })).understood.updated_from
  assert.equal(await from(), '2025-01-01T00:00:00.000Z')
  assert.equal(await from('Asia/Tokyo'), '2024-12-31T15:00:00.000Z')
  const { status, body } = await ask('POST', '/search', { body: { query: 'x', tz: 'Atlantis' } })
  assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
})

for (const query of ['after:9999', 'before:0001', 'after:9999y report', 'before:1h', '-report', 'title:', 'set:""']) {
  test(`"${query}" is answered`, async () => {
    assert.ok(Array.isArray((await search(query)).results))
  })
}

test('each facet counts results without the filter of its own field', async () => {
  const { facets, total, total_relation } = await search('report', { facets: true, sources: ['wiki'] })
  assert.deepEqual([total, total_relation], [1, 'eq'])
  const values = Object.fromEntries(facets.map((it: Reply['body']) => [it.field, it.values]))
  assert.deepEqual(Object.keys(values), ['source_type', 'document_set', 'author', 'tag', 'time'])
  assert.deepEqual(values.source_type, [
    { value: 'file', count: 1 },
    { value: 'wiki', count: 1 },
  ])
  assert.deepEqual(values.document_set, [{ value: 'Handbook', count: 1 }])
  assert.deepEqual(values.author, [{ value: 'Ada Lovelace', count: 1 }])
  assert.deepEqual(values.tag, [{ value: 'team=finance', count: 1 }])
  assert.equal(values.time.length, 5)
})

test('results can be sorted by date, newest first', async () => {
  const answer = await search('report', { sort: 'date' })
  assert.deepEqual(idsOf(answer), ['meeting', 'budget'])
  assert.equal(answer.ranked_by, 'date')
})

for (const sort of ['relevance', 'date']) {
  test(`cursor pages contain every result once, sorted by ${sort}`, async () => {
    for (let at = 0; at < 12; at++) {
      const doc_updated_at = `2024-01-${String(1 + (at % 5)).padStart(2, '0')}`
      await push(documentOf(`cursored ${'word '.repeat(at)}`, { id: `cursored-${at}`, doc_updated_at }))
    }
    const whole = idsOf(await search('cursored', { sort, num_hits: 100 }))
    const paged: string[] = []
    let cursor: string | null = null
    do {
      const answer = await search('cursored', { sort, num_hits: 5, cursor })
      const first = answer.results[0]
      if (sort === 'relevance' && first !== undefined) assert.equal(first.citation_id, paged.length + 1)
      paged.push(...idsOf(answer))
      cursor = answer.next_cursor
    } while (cursor !== null && paged.length < 100)
    assert.deepEqual(paged, whole)
    assert.equal(paged.length, 12)
  })
}

for (const cursor of ['', 'x', 'e30', Buffer.from('{"place":-1,"by":"words"}').toString('base64url')]) {
  test(`the cursor "${cursor}" is rejected with a remedy`, async () => {
    const { status, body } = await ask('POST', '/search', { body: { query: 'x', cursor } })
    assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
    assert.match(body.detail, /next_cursor/)
  })
}

test('a misspelled word is corrected', async () => {
  const answer = await search('quartely buget')
  assert.equal(answer.corrected_query, 'quarterly budget')
  assert.deepEqual(idsOf(answer).sort(), ['budget', 'meeting'])
})

test('operators stay as they were typed when a word is corrected', async () => {
  assert.equal((await search('source:wiki quartely')).corrected_query, 'source:wiki quarterly')
})

test('a misspelled phrase that nothing contains is corrected', async () => {
  const answer = await search('"quartely budget"')
  assert.equal(answer.corrected_query, '"quarterly budget"')
  assert.deepEqual(
    answer.relaxed.map((it: { value: string }) => it.value),
    ['quartely budget'],
  )
})

for (const query of ['quarterly', 'rep0rt', 'bdgt', 'author:adda']) {
  test(`"${query}" is not corrected`, async () => {
    assert.equal((await search(query)).corrected_query, null)
  })
}

test('a range of days includes both days, in the time zone of the request', async () => {
  const within = async (days: Record<string, string>) => idsOf(await search('report', days)).sort()
  assert.deepEqual(await within({ date_from: '2024-03-01', date_until: '2024-03-01' }), ['budget'])
  assert.deepEqual(await within({ date_from: '2024-03-02' }), ['meeting'])
  assert.deepEqual(await within({ date_until: '2024-02-29' }), [])
  // It is March 2 already, 14 hours east of Greenwich.
  assert.deepEqual(await within({ date_until: '2024-03-01', tz: 'Pacific/Kiritimati' }), [])
  assert.deepEqual(await within({ date_until: '9999-12-31' }), ['budget', 'meeting'])
})

test('a misspelled query can be searched as it is typed', async () => {
  const typed = await search('quartely', { correct_spelling: false })
  assert.deepEqual([typed.total, typed.corrected_query], [0, null])
})

test('a result has its owners and its age in the source', async () => {
  const [budget] = (await search('"budget report"')).results
  assert.deepEqual(
    [budget.primary_owners, budget.doc_updated_at, budget.updated_at],
    [['Ada Lovelace'], '2024-03-01T12:00:00.000Z', '2024-03-01T12:00:00.000Z'],
  )
  await push(documentOf('An ageless note about lighthouses.', { id: 'ageless' }))
  const [ageless] = (await search('lighthouses')).results
  assert.equal(ageless.doc_updated_at, null)
  assert.ok(Date.parse(ageless.updated_at) > Date.parse('2026-01-01'))
})

test('users who manage connectors get score components that sum to the score', async () => {
  const { results } = await search('quarterly budget report', { explain: true })
  for (const { score, explanation } of results) {
    const sum = explanation.parts.reduce((all: number, it: { value: number }) => all + it.value, 0)
    assert.equal(sum, explanation.score)
    assert.equal(Math.round(sum * 1_000) / 1_000, score)
    assert.ok(explanation.words.length > 0)
  }
})

test('other users get an explanation in words', async () => {
  const key = await makeKey({ role: 'basic' })
  const { results } = await search('quarterly budget report', { explain: true }, { key })
  for (const { explanation } of results) {
    assert.deepEqual([explanation.score, explanation.parts], [null, null])
    assert.ok(explanation.words.length > 0)
    assert.equal(explanation.reasons.length, explanation.words.length)
    assert.match(explanation.reasons[0], /^(?:most|many|some)_words$/)
  }
})
