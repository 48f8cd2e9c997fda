import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

type Json = Record<string, unknown>
const { ask, ok, push, makeKey, makePair } = await start()
const ann = await makeKey({ name: 'Ann', role: 'basic' })
const bob = await makeKey({ name: 'Bob', role: 'basic' })

const BLANK = { description: '', system_prompt: '', task_prompt: '', datetime_aware: true, tool_ids: [] }
let keeper: number
let recent: number
let privatePair: number

before(async () => {
  const zoo = await makePair('Zoo')
  const office = await makePair('Office')
  privatePair = await makePair('Vault', { access_type: 'private' })
  const documents = [
    ['zoo', 'The okapi eats leaves at noon.', zoo, '2026-01-01T00:00:00Z'],
    ['old-zoo', 'The okapi came by ship.', zoo, '2001-01-01T00:00:00Z'],
    ['office', 'The okapi is the mascot of the office.', office, '2026-01-01T00:00:00Z'],
    ['vault', 'The okapi of gold.', privatePair, '2026-01-01T00:00:00Z'],
  ] as const
  for (const [id, text, cc_pair_id, doc_updated_at] of documents) {
    await push(documentOf(text, { id, semantic_identifier: `Okapi ${id}`, doc_updated_at }), { cc_pair_id })
  }
  const setOf = (name: string, cc_pair_ids: number[]) =>
    ok('POST', '/manage/admin/document-set', { body: { name, description: '', cc_pair_ids, is_public: true } })
  const zooSet = await setOf('Zoo', [zoo, privatePair])
  await setOf('Office', [office])
  keeper = await makePersona({ name: 'Keeper', document_set_ids: [zooSet] })
  recent = await makePersona({ name: 'Recent', document_set_ids: [], search_start_date: '2020-01-01' })
})

const makePersona = async (more: Json): Promise<number> =>
  (await ok('POST', '/persona', { key: ann, body: { ...BLANK, ...more } })).id

const idsOf = (results: { document_id: string }[]) => results.map((it) => it.document_id).sort()
const searchAs = (key: string, more: Json) => ok('POST', '/search', { key, body: { query: 'okapi', ...more } })

test('a search with a persona finds documents of its document sets only', async () => {
  assert.deepEqual(idsOf((await searchAs(ann, {})).results), ['office', 'old-zoo', 'zoo'])
  const { results, total, facets } = await searchAs(ann, { persona_id: keeper, facets: true })
  assert.deepEqual([idsOf(results), total], [['old-zoo', 'zoo'], 2])
  const counts = facets.flatMap((it: { values: { count: number }[] }) => it.values.map(({ count }) => count))
  assert.ok(
    counts.every((it: number) => it <= 2),
    JSON.stringify(facets),
  )
  assert.doesNotMatch(JSON.stringify(facets), /Office/)
})

test('the start date of a persona limits searches', async () => {
  const { results, total, facets } = await searchAs(ann, { persona_id: recent, facets: true })
  assert.deepEqual([idsOf(results), total], [['office', 'zoo'], 2])
  const times = facets.find((it: { field: string }) => it.field === 'time').values
  const counts = times.filter((it: Json) => ['year', 'older'].includes(String(it.value))).map((it: Json) => it.count)
  assert.equal(counts[0] + counts[1], 2, JSON.stringify(times))
})

test('a persona narrows filters and never widens access', async () => {
  const narrowed = [{ document_sets: ['Office'] }, { query: 'okapi set:Office' }, { query: 'okapi gold' }]
  const found = await Promise.all(narrowed.map((it) => searchAs(ann, { persona_id: keeper, ...it })))
  assert.deepEqual(
    found.map(({ results }) => idsOf(results).filter((it) => ['office', 'vault'].includes(it))),
    [[], [], []],
  )
})

test('every page of a search with a persona is limited', async () => {
  const first = await searchAs(ann, { persona_id: keeper, num_hits: 1 })
  const second = await searchAs(ann, { persona_id: keeper, num_hits: 1, cursor: first.next_cursor })
  assert.deepEqual(idsOf([...first.results, ...second.results]), ['old-zoo', 'zoo'])
  assert.equal(second.next_cursor, null)
})

test('suggestions with a persona are limited to its documents', async () => {
  const suggestAs = (more: Json) => ok('POST', '/search/suggest', { key: ann, body: { query: 'mas', ...more } })
  assert.deepEqual((await suggestAs({})).terms, ['mascot'])
  assert.deepEqual((await suggestAs({ persona_id: keeper })).terms, [])
  const body = { query: 'okapi', persona_id: keeper }
  const { titles } = await ok('POST', '/search/suggest', { key: ann, body })
  assert.deepEqual(idsOf(titles), ['old-zoo', 'zoo'])
})

for (const path of ['/search', '/api/search', '/search/suggest']) {
  test(`${path} with an unknown or inaccessible persona is 404`, async () => {
    for (const [key, persona_id] of [
      [ann, 999_999],
      [ann, -1],
      [bob, keeper],
    ] as const) {
      const { status, body } = await ask('POST', path, { key, body: { query: 'okapi', persona_id } })
      assert.deepEqual(
        [status, body],
        [404, { error_code: 'PERSONA_NOT_FOUND', detail: `Persona with id ${persona_id} does not exist.` }],
      )
    }
  })
}

test('a search with a deleted persona is 404', async () => {
  const persona_id = await makePersona({ name: 'Gone', document_set_ids: [] })
  await ok('DELETE', `/persona/${persona_id}`, { key: ann })
  assert.equal((await ask('POST', '/search', { key: ann, body: { query: 'okapi', persona_id } })).status, 404)
})
