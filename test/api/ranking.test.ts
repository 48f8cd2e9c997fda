// The ranking settings of administrators and their effects.
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey, makePair } = await start()

const DEFAULT = {
  ...{ half_life_days: null, source_half_life_days: [], boosts: [], pins: [], synonyms: [] },
  ...{ click_weight: 0.3, link_weight: 0, freshness_weight: 0.2 },
}
const OFF = { half_life_days: null, source_half_life_days: null, boosts: null, pins: null, synonyms: null }
const set = (body: object): Promise<Reply['body']> => ok('PATCH', '/admin/ranking', { body })
const settingsOf = ({ version: _, documents: __, ...settings }: Reply['body']) => settings
const idsOf = ({ results }: Reply['body']): string[] => results.map((it: { document_id: string }) => it.document_id)

before(async () => {
  const pair = await makePair('Pinned pair')
  const document_set = { name: 'Front', description: '', cc_pair_ids: [pair], is_public: true, users: [], groups: [] }
  await ok('POST', '/manage/admin/document-set', { body: document_set })
  await push(
    documentOf('ranked ranked ranked', { id: 'strong', source: 'wiki', doc_updated_at: '2001-01-01T00:00:00Z' }),
  )
  await push(documentOf('ranked among some other words', { id: 'weak', source: 'file' }), { cc_pair_id: pair })
  await push(documentOf('nothing of it here', { id: 'other' }))
})
afterEach(() => set(OFF))

test('the defaults are set initially', async () => {
  assert.deepEqual(settingsOf(await ok('GET', '/admin/ranking')), DEFAULT)
  assert.deepEqual(idsOf(await search('ranked')), ['strong', 'weak'])
})

const MOVES: [what: string, settings: object, part: string][] = [
  ['a half-life', { half_life_days: 30 }, 'recency'],
  ['a half-life of one source', { source_half_life_days: [{ source: 'wiki', days: 30 }] }, 'recency'],
  ['a boost of a source', { boosts: [{ source: 'wiki', factor: 0.1 }] }, 'boost'],
  ['a boost of a set', { boosts: [{ document_set: 'Front', factor: 10 }] }, 'boost'],
  ['a boost of a document', { boosts: [{ document_id: 'weak', factor: 10 }] }, 'boost'],
  ['a pin', { pins: [{ query: ' Ranked ', document_ids: ['weak'] }] }, 'pin'],
]
for (const [what, settings, part] of MOVES) {
  test(`${what} puts the other document first, and the explanation shows it`, async () => {
    assert.deepEqual(settingsOf(await set(settings)), { ...DEFAULT, ...settings })
    const answer = await search('ranked', { explain: true })
    assert.deepEqual(idsOf(answer), ['weak', 'strong'])
    const all: Reply['body'][] = answer.results.map((it: Reply['body']) => it.explanation)
    assert.ok(all.some((it) => it.parts.some((own: { name: string }) => own.name === part)))
    for (const it of all) {
      assert.equal(
        it.parts.reduce((sum: number, own: { value: number }) => sum + own.value, 0),
        it.score,
      )
    }
  })
}

test('a pinned document without words of the query is found once and counted', async () => {
  await set({ pins: [{ query: 'ranked', document_ids: ['other'] }] })
  const answer = await search('ranked')
  assert.deepEqual([idsOf(answer), answer.total], [['other', 'strong', 'weak'], 3])
  assert.deepEqual(idsOf(await search('ranked', { offset: 1 })), ['strong', 'weak'])
  assert.deepEqual(idsOf(await search('ranked words')).includes('other'), false)
})

test('a pin bypasses neither access nor filters', async () => {
  const closed = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  await push(documentOf('closed', { id: 'closed', external_access: closed }))
  await set({ pins: [{ query: 'ranked', document_ids: ['closed', 'other'] }] })
  const key = await makeKey({ role: 'basic' })
  assert.deepEqual(idsOf(await search('ranked', {}, { key })), ['other', 'strong', 'weak'])
  assert.deepEqual(idsOf(await search('ranked', { sources: ['wiki'] })), ['strong'])
})

test('a word also finds its synonyms', async () => {
  await push(documentOf('The lorry is late.', { id: 'lorry' }))
  assert.deepEqual(idsOf(await search('truck')), [])
  await set({ synonyms: [['truck', 'lorry']] })
  assert.deepEqual(idsOf(await search('truck')), ['lorry'])
  assert.equal((await search('"truck"', { relax: false })).total, 0)
  await push(documentOf('The truck is early.', { id: 'truck' }))
  assert.deepEqual(idsOf(await search('"truck"')), ['truck'])
})

for (const [body, field] of [
  [{ half_life_days: 0 }, 'half_life_days'],
  [{ boosts: [{ source: 'wiki', factor: 0 }] }, 'boosts'],
  [{ boosts: [{ factor: 2 }] }, 'boosts'],
  [{ pins: [{ query: 'x', document_ids: [] }] }, 'pins'],
  [{ synonyms: [['alone']] }, 'synonyms'],
] as const) {
  test(`${JSON.stringify(body)} is refused`, async () => {
    const reply = await ask('PATCH', '/admin/ranking', { body })
    assert.equal(reply.status, 422)
    assert.deepEqual(reply.body.detail[0].loc.slice(0, 2), ['body', field])
  })
}

test('settings name the documents that the administrator may read', async () => {
  const closed = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  await push(documentOf('secret', { id: 'secret', semantic_identifier: 'CANARY', external_access: closed }))
  const pins = [{ query: 'ranked', document_ids: ['secret', 'other', 'never'] }]
  const { documents } = await set({ pins, boosts: [{ document_id: 'weak', factor: 2 }] })
  const ids = documents.map((it: { document_id: string }) => it.document_id)
  assert.deepEqual(ids.toSorted(), ['other', 'weak'])
  assert.ok(documents.every((it: { semantic_identifier: string }) => it.semantic_identifier !== ''))
})

test('an update of settings that another person changed meanwhile is refused, and an undo is not', async () => {
  const { version } = await ok('GET', '/admin/ranking')
  const pinned = await set({ pins: [{ query: 'ranked', document_ids: ['weak'] }], expected_version: version })
  assert.notEqual(pinned.version, version)
  const reply = await ask('PATCH', '/admin/ranking', { body: { half_life_days: 9, expected_version: version } })
  assert.deepEqual([reply.status, reply.body.error_code], [409, 'RANKING_CHANGED'])
  assert.equal((await ok('GET', '/admin/ranking')).half_life_days, null)
  assert.deepEqual(await set({ pins: [], expected_version: pinned.version }), await ok('GET', '/admin/ranking'))
  assert.equal((await ok('GET', '/admin/ranking')).version, version)
})

test('a preview ranks with both settings, grades the documents, and changes nothing', async () => {
  await ok('PUT', '/admin/relevance/judgements', { body: { query: 'ranked', document_id: 'weak', grade: 3 } })
  const before = await ok('GET', '/admin/ranking')
  const preview = (body: object): Promise<Reply['body']> => ok('POST', '/admin/ranking/preview', { body })
  const settings = { pins: [{ query: 'ranked', document_ids: ['weak'] }] }
  const { current, changed, ndcg_10 } = await preview({ query: 'Ranked', settings })
  assert.deepEqual(
    [idsOf({ results: current }), idsOf({ results: changed })],
    [
      ['strong', 'weak'],
      ['weak', 'strong'],
    ],
  )
  assert.deepEqual(
    changed.map((it: Reply['body']) => [it.grade, it.citation_id]),
    [
      [3, 1],
      [null, 2],
    ],
  )
  assert.ok(changed[0].explanation.reasons.includes('pinned'), JSON.stringify(changed[0].explanation))
  assert.ok(ndcg_10.current < 1 && ndcg_10.changed === 1, JSON.stringify(ndcg_10))
  const one = await preview({ query: 'lorry', settings, num_hits: 1 })
  assert.deepEqual([one.changed.length, one.ndcg_10], [1, null])
  assert.deepEqual(await ok('GET', '/admin/ranking'), before)
})

test('a preview shows no document that the administrator may not read', async () => {
  const closed = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  await push(documentOf('ranked', { id: 'hidden', semantic_identifier: 'CANARY', external_access: closed }))
  const settings = {
    pins: [{ query: 'ranked', document_ids: ['hidden'] }],
    boosts: [{ document_id: 'hidden', factor: 9 }],
  }
  const { text } = await ask('POST', '/admin/ranking/preview', { body: { query: 'ranked', settings } })
  assert.equal(/CANARY|hidden/.test(text), false)
})
