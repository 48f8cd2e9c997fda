// Near duplicates: one result of a search, and groups for administrators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makeKey, makePair } = await start()
const PAGE = '/admin/near-duplicates'

const textOf = (name: string, more = '') =>
  `${Array.from({ length: 120 }, (_, at) => `${name}${at}`).join(' ')} ${more} harbour`
const groups = async (query = ''): Promise<{ size: number; documents: { document_id: string }[] }[]> =>
  (await ok('GET', `${PAGE}${query}`)).items
const compared = () => waitFor(async () => (await ok('GET', PAGE)).waiting === 0, 'the comparison of all documents')
const search = (query: string, body: object = {}, more: object = {}) =>
  ok('POST', '/search', { body: { query, fold_similar: true, ...body }, ...more })
const member = await makeKey({ role: 'basic', user_group_ids: ['board'] })
type Hit = { document_id: string; citation_id: number; similar: Hit[]; similar_count: number }
const folded = ({ results }: { results: Hit[] }) =>
  results.map((it) => [it.document_id, it.similar.map((one) => one.document_id).sort(), it.similar_count])

test('a stranger to a private copy neither sees nor counts it', async () => {
  const cc_pair_id = await makePair('Board', { access_type: 'private', groups: ['board'] })
  await push(documentOf(textOf('pier'), { id: 'pier-1', title: 'Pier' }))
  await push(documentOf(textOf('pier', 'two'), { id: 'pier-2', title: 'Pier' }))
  await push(documentOf(textOf('pier', 'three'), { id: 'pier-3', title: 'Pier' }), { cc_pair_id })
  await compared()
  const stranger = await makeKey({ role: 'basic' })
  const seen = await search('pier7 pier8', {}, { key: stranger })
  assert.equal(seen.results.length, 1)
  const [hit] = seen.results
  assert.deepEqual([hit.document_id, ...hit.similar.map((it: Hit) => it.document_id)].sort(), ['pier-1', 'pier-2'])
  assert.equal(hit.similar_count, 1)
  assert.equal((await search('pier7 pier8', {}, { key: member })).results[0].similar_count, 2)
})

test('nothing is folded unless it is asked for', async () => {
  const { results } = await ok('POST', '/search', { body: { query: 'pier7 pier8' }, key: member })
  assert.equal(results.length, 3)
  assert.ok(results.every((it: Hit) => it.similar === null && it.similar_count === null))
})

test('pages stay full, and no document is on two of them', async () => {
  for (let at = 0; at < 6; at++) {
    const document = documentOf(`lantern ${textOf(`mole${at % 3}x`, `n${at}`)}`, {
      id: `mole-${at}`,
      title: `Mole ${at % 3}`,
    })
    await push(document)
  }
  await push(documentOf('A lantern at the end of the mole.', { id: 'mole-short', title: 'Short' }))
  await compared()
  const first = await search('lantern', { num_hits: 2, answers_only: false })
  assert.equal(first.results.length, 2)
  assert.equal(first.total, 7)
  const second = await search('lantern', { num_hits: 2, cursor: first.next_cursor, answers_only: false })
  const byOffset = await search('lantern', { num_hits: 2, offset: 2, answers_only: false })
  assert.deepEqual(folded(byOffset), folded(second))
  const all = [...first.results, ...second.results].flatMap((it: Hit) => [it, ...it.similar])
  assert.deepEqual(new Set(all.map((it) => it.document_id)).size, 7)
  assert.deepEqual(all.map((it) => it.citation_id).sort(), [1, 2, 3, 4, 5, 6, 7])
  assert.equal(second.results.length, 2)
})

test('a copy with another text, in the trash or hidden is no near duplicate', async () => {
  const of = async (id: string) =>
    (await groups()).find((it) => it.documents.some((one) => one.document_id === id))?.size
  assert.equal(await of('pier-1'), 3)
  await push(documentOf(textOf('quay'), { id: 'pier-2', title: 'Pier' }))
  await compared()
  assert.equal(await of('pier-1'), 2)
  assert.equal(await of('pier-2'), undefined)
  await push(documentOf(textOf('pier', 'two'), { id: 'pier-2', title: 'Pier' }))
  await compared()
  assert.equal(await of('pier-1'), 3)
  await ok('POST', '/manage/admin/doc-hidden', { body: { document_id: 'pier-2', hidden: true } })
  assert.equal(await of('pier-1'), 2)
  await ok('DELETE', '/service-api/ingestion/pier-1')
  assert.equal(await of('pier-3'), undefined)
  const left = async () => folded(await search('pier7 pier8', {}, { key: member }))
  await waitFor(async () => (await left()).length === 1, 'a single result')
  assert.deepEqual(await left(), [['pier-3', [], 0]])
})

test('groups are filtered by source and connector, and paged', async () => {
  const all = await groups()
  const { items, next_before } = await ok('GET', `${PAGE}?limit=1`)
  assert.deepEqual(items, all.slice(0, 1))
  assert.deepEqual((await groups(`?limit=100&before=${next_before}`)).length, all.length - 1)
  assert.deepEqual(await groups('?source=none'), [])
  assert.deepEqual(await groups('?cc_pair_id=999'), [])
  assert.equal((await ask('GET', PAGE, { key: await makeKey({ role: 'basic' }) })).status, 403)
})
