import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair } = await start()
const owner = (more: object) => ({
  display_name: null,
  first_name: null,
  middle_initial: null,
  last_name: null,
  email: null,
  ...more,
})
let pair: number
before(async () => {
  pair = await makePair('Searched')
  const primary_owners = [
    owner({ first_name: 'ada', middle_initial: 'k', last_name: 'lovelace', display_name: 'not this' }),
    owner({ display_name: 'Countess', email: 'not@this.example' }),
    owner({ email: 'ada@example.com', first_name: 'Ada' }),
    owner({ first_name: 'Ada' }),
    owner({}),
  ]
  const document = documentOf('An old sycamore', {
    id: 'owned',
    sections: [{ text: 'An old sycamore', link: 'https://a/1' }],
    doc_updated_at: '2020-01-01T00:00:00Z',
    metadata: { kind: 'tree' },
    primary_owners,
  })
  await push(document, { cc_pair_id: pair })
  await push(documentOf('A young sycamore', { id: 'other', source: 'github' }))
  await ok('POST', '/manage/admin/document-set', {
    body: { name: 'Trees', description: '', cc_pair_ids: [pair], is_public: true },
  })
})

const ids = async (filters: object | null): Promise<string[]> => {
  const { documents } = await ok('POST', '/admin/search', { body: { query: 'sycamore', filters } })
  return documents.map((it: { document_id: string }) => it.document_id).sort()
}

test('a result shows the owners of the document', async () => {
  const { documents } = await ok('POST', '/admin/search', { body: { query: 'old', filters: {} } })
  const [{ score, ...document }] = documents
  assert.ok(score > 0)
  assert.deepEqual(document, {
    document_id: 'owned',
    chunk_ind: 0,
    semantic_identifier: 'A note',
    link: 'https://a/1',
    blurb: 'An old sycamore',
    source_type: 'web',
    boost: 0,
    hidden: false,
    metadata: { kind: 'tree' },
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: ['An <mark>old</mark> sycamore'],
    updated_at: '2020-01-01T00:00:00.000Z',
    primary_owners: ['Ada K. Lovelace', 'Countess', 'ada@example.com', 'Ada', 'Unknown'],
    secondary_owners: [],
    is_internet: false,
    file_id: null,
  })
})

for (const [filters, expected] of [
  [null, ['other', 'owned']],
  [{ source_type: ['github'] }, ['other']],
  [{ document_set: ['Trees'] }, ['owned']],
  [{ document_set: ['nobody made it'] }, []],
  [{ time_cutoff: '2021-01-01' }, ['other']],
  [{ updated_at_range: { start: '2020-01-01', end: '2020-01-01' } }, ['owned']],
  [{ updated_at_range: { start: '2020-01-01T00:00:01Z' } }, ['other']],
  [{ updated_at_range: { end: '2020-06-01' } }, ['owned']],
  [{ updated_at_range: { start: null } }, ['other', 'owned']],
  [{ updated_at_range: { start: '2019-01-01' }, time_cutoff: '2021-01-01' }, ['other']],
  [{ tags: [{ tag_key: 'kind', tag_value: 'tree' }] }, ['owned']],
] as const) {
  test(`the filters ${JSON.stringify(filters)} leave ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await ids(filters), expected)
  })
}

test('an empty query finds nothing', async () => {
  assert.deepEqual(await ok('POST', '/admin/search', { body: { query: '' } }), { documents: [] })
})

test('a range of values that are not dates is rejected', async () => {
  for (const updated_at_range of ['2020', { start: 'soon' }, { end: [] }]) {
    const { status, body } = await ask('POST', '/admin/search', {
      body: { query: 'old', filters: { updated_at_range } },
    })
    assert.deepEqual([status, body.detail[0].loc.slice(0, 3)], [422, ['body', 'filters', 'updated_at_range']])
  }
})

test('a search without a query is rejected', async () => {
  assert.equal((await ask('POST', '/admin/search', { body: {} })).status, 422)
})
