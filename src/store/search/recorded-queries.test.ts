import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import type { RecordedQuery } from '../../domain/search/relevance.ts'
import { listFeedbackByUsers, saveFeedback } from './judgements.ts'
import {
  expireRecordedQueries,
  findRecordedQuery,
  insertRecordedQueries,
  listRecordedQueries,
  queryKey,
  type StoredQuery,
} from './recorded-queries.ts'

const { db } = await temporaryDatabase()

const asked = (search_id: string, asked_at: number): RecordedQuery => ({
  search_id,
  user_id: 'ann',
  query: 'Harbour',
  filters: { source_types: ['web'] },
  document_ids: ['a', 'b'],
  total: 2,
  ranked_by: 'words',
  took_ms: 7,
  asked_at,
})
const all = async () => {
  const found: StoredQuery[] = []
  for (let page: StoredQuery[] | null = null; page === null || page.length > 0; ) {
    page = await listRecordedQueries(db, { from: 0, until: 1_000 }, { before: page?.at(-1) ?? null, limit: 2 })
    found.push(...page)
  }
  return found.map((it) => it.search_id)
}

test('written queries are read, however their fields are ordered', async () => {
  const { asked_at, ...rest } = asked('two', 20)
  await insertRecordedQueries(db, [asked('one', 10), { asked_at, ...rest }])
  await insertRecordedQueries(db, [])
  for (const query of [asked('one', 10), asked('two', 20)]) {
    const { id, ...found } = (await findRecordedQuery(db, 'ann', query.search_id))!
    assert.deepEqual(found, { ...query, query_key: queryKey('  harbour') })
    assert.ok(id > 0)
  }
})

test('pages follow each other, even when many queries have the same time', async () => {
  await insertRecordedQueries(db, [asked('three', 20), asked('four', 20), asked('zero', 5)])
  assert.deepEqual(await all(), ['four', 'three', 'two', 'one', 'zero'])
})

test('expired queries are deleted in any number, with their feedback', async () => {
  const old = Array.from({ length: 5_001 }, (_, at) => asked(`old ${at}`, 1))
  await insertRecordedQueries(db, old)
  for (const id of ['old 5000', 'four']) {
    await saveFeedback(db, (await findRecordedQuery(db, 'ann', id))!, 'a', 'click')
  }
  await expireRecordedQueries(db, 20)
  assert.deepEqual(await all(), ['four', 'three', 'two'])
  assert.deepEqual(
    (await listFeedbackByUsers(db, ['ann'])).map((it) => it.search_id),
    ['four'],
  )
})
