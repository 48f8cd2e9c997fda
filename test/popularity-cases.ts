// Counts of clicks and of links, over either database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessForPerson } from '../src/domain/access.ts'
import type { Database } from '../src/store/database/database.ts'
import { acceptDocuments } from '../src/store/documents/accept-documents.ts'
import { insertPerson } from '../src/store/identity/people.ts'
import { deleteClickCountsOfUsers, refreshClickCounts } from '../src/store/popularity/click-counts.ts'
import { replaceLinkCounts } from '../src/store/popularity/link-counts.ts'
import { findRankingFacts } from '../src/store/popularity/ranking-facts.ts'
import { deleteFeedbackOfUser, saveFeedback } from '../src/store/search/judgements.ts'
import { contentOf } from './document-content.ts'

/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000
const THRESHOLD = { from: NOW - 100, minPeople: 3 }
const PAIR = 1

export function testPopularity(database: () => Database): void {
  const people = new Map<string, string>()
  let searches = 0
  const idOf = async (name: string): Promise<string> => {
    const person = { email: `${name}@example.com`, name: null, role: 'basic', is_verified: false, password_hash: null }
    const id = people.get(name) ?? (await insertPerson(database(), { ...person, role: 'basic' }, NOW)).id
    people.set(name, id)
    return id
  }
  const clickAs = (user_id: string, document_id: string, query_key: string, asked_at = NOW) =>
    saveFeedback(
      database(),
      {
        ...{ id: 0, search_id: `s${searches++}`, user_id, query_key, asked_at, query: query_key, filters: {} },
        ...{ document_ids: [document_id], total: 1, ranked_by: 'words', took_ms: 1 },
      },
      document_id,
      'click',
    )
  const click = async (name: string, document_id: string, query_key: string, asked_at = NOW) =>
    clickAs(await idOf(name), document_id, query_key, asked_at)
  const counts = async () => {
    const rows = await database()
      .selectFrom('document_popularity')
      .selectAll()
      .orderBy('document_id')
      .orderBy('query_key')
      .execute()
    return rows.map((it) => [it.document_id, it.query_key, it.level])
  }
  const refresh = () => refreshClickCounts(database(), THRESHOLD)
  const facts = async (query_key: string, pairs = [PAIR]) =>
    (
      await findRankingFacts(database(), accessForPerson({ email: null, groups: [] }, pairs), {
        ids: ['a', 'b'],
        query_key,
      })
    ).get('a')

  test('three people count, each of them once, and keys of nobody do not', async () => {
    for (const id of ['a', 'b']) {
      const content = contentOf(id, 'text')
      await acceptDocuments(database(), 'all', [{ content, ccPairId: PAIR, requestId: null }], NOW)
    }
    for (const name of ['ann', 'bob']) await click(name, 'a', 'leave')
    for (let again = 0; again < 20; again++) await click('ann', 'a', 'leave')
    for (const key of ['key 1', 'key 2', 'key 3']) await clickAs(key, 'a', 'leave')
    await click('cid', 'a', 'leave', THRESHOLD.from - 1)
    await refresh()
    assert.deepEqual(await counts(), [])
    await click('cid', 'a', 'holiday')
    await click('cid', 'b', 'leave')
    await refresh()
    assert.deepEqual(await counts(), [['a', '', 1]])
    await click('dan', 'a', 'leave')
    await refresh()
    assert.deepEqual(await counts(), [
      ['a', '', 1],
      ['a', 'leave', 1],
    ])
    const { source } = contentOf('a', 'text')
    assert.deepEqual(await facts('leave'), { source, own_time: null, opened: 1, chosen: 1, links: 0 })
    assert.deepEqual(await facts('holiday'), { source, own_time: null, opened: 1, chosen: 0, links: 0 })
  })

  test('a refresh without a change writes nothing', async () => {
    const db = database()
    const reads = new Proxy(db, {
      get(own, name) {
        if (name === 'transaction') return () => assert.fail('written')
        const value = Reflect.get(own, name)
        return typeof value === 'function' ? value.bind(own) : value
      },
    })
    await refreshClickCounts(reads, THRESHOLD)
    await assert.rejects(refreshClickCounts(reads, { ...THRESHOLD, minPeople: 4 }), /written/)
  })

  test('a click that is deleted no longer counts', async () => {
    await deleteFeedbackOfUser(database(), await idOf('dan'))
    assert.deepEqual(await counts(), [])
    await refresh()
    assert.deepEqual(await counts(), [['a', '', 1]])
    await deleteClickCountsOfUsers(database(), ['nobody'])
    assert.equal((await counts()).length, 1)
  })

  test('counts end with the clicks, and when nobody may learn of them', async () => {
    await refreshClickCounts(database(), { ...THRESHOLD, minPeople: Number.POSITIVE_INFINITY })
    assert.deepEqual(await counts(), [])
    await refresh()
    assert.equal((await counts()).length, 1)
    await refreshClickCounts(database(), { ...THRESHOLD, from: NOW + 1 })
    assert.deepEqual(await counts(), [])
  })

  test('links are replaced, and count for readers of their pair', async () => {
    await replaceLinkCounts(database(), PAIR, new Map(Object.entries({ a: 7, b: 1 })))
    assert.equal((await facts('leave'))?.links, 7)
    assert.equal((await facts('leave', []))?.links, 0)
    await replaceLinkCounts(database(), PAIR, new Map(Object.entries({ a: 2 })))
    const left = await database().selectFrom('linked_document').selectAll().execute()
    assert.deepEqual(
      left.map((it) => [it.document_id, it.cc_pair_id, it.links]),
      [['a', PAIR, 2]],
    )
  })
}
