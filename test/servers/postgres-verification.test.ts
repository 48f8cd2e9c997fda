// Owners, verifications and stale documents over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findDocumentsOfPerson, removePersonFromDocuments } from '../../src/store/documents/person-documents.ts'
import { purgeTrashedDocuments } from '../../src/store/documents/trash.ts'
import { mapLastClicks } from '../../src/store/freshness/clicks.ts'
import { listOwnedDocuments, listStaleDocuments } from '../../src/store/freshness/stale-documents.ts'
import { mapVerifications, saveVerification } from '../../src/store/freshness/verifications.ts'
import { saveFeedback } from '../../src/store/search/judgements.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000
const CLICKS = { from: NOW - 100, minPeople: 3 }
const ALL = { pairs: 'all', source: null, ccPairId: null, ownerKey: null, changedBefore: null } as const
const owner = { display_name: null, first_name: null, middle_initial: null, last_name: null, email: 'Ada@Example.com' }

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
    for (const id of ['a', 'b']) await accept(id, 'text', NOW - (id === 'a' ? 10 : 20))
  })
  after(async () => {
    await db.close()
  })
  const accept = async (id: string, text: string, now: number) => {
    const content = { ...contentOf(id, text), primary_owners: [owner], secondary_owners: [owner] }
    const [accepted] = await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], now)
    assert.ok(accepted !== undefined && !(accepted instanceof Error), String(accepted))
  }
  const stale = async (filter = {}) => {
    const page = { after: null, limit: 10, now: NOW, clicks: CLICKS }
    const rows = await listStaleDocuments(db, { ...ALL, notOpenedSince: null, state: null, ...filter }, page)
    return rows.map((it) => it.id)
  }
  const owned = async (after: Parameters<typeof listOwnedDocuments>[2]['after'] = null) =>
    listOwnedDocuments(db, 'ada@example.com', { after, limit: 1, now: NOW })

  test('the longest unchanged document comes first, and pages follow each other', async () => {
    assert.deepEqual(await stale(), ['b', 'a'])
    const [first] = await owned()
    assert.deepEqual([first?.id, first?.rank, first?.changed_at], ['b', 0, NOW - 20])
    assert.deepEqual(
      (await owned(first)).map((it) => it.id),
      ['a'],
    )
    assert.deepEqual(await stale({ ownerKey: 'ada@example.com', changedBefore: NOW - 15 }), ['b'])
  })

  test('a verification holds until its end or until the text changes', async () => {
    await saveVerification(db, { document_id: 'b', verified_by: 'x', verified_at: NOW - 5, verified_until: NOW + 5 })
    await saveVerification(db, { document_id: 'b', verified_by: 'x', verified_at: NOW - 4, verified_until: NOW + 5 })
    const states = async () =>
      Promise.all((['never', 'valid', 'changed', 'expired'] as const).map((state) => stale({ state })))
    assert.deepEqual(await states(), [['a'], ['b'], [], []])
    assert.deepEqual(
      (await owned()).map((it) => it.id),
      ['a'],
    )
    await accept('b', 'other text', NOW - 3)
    assert.deepEqual(await states(), [['a'], [], ['b'], []])
    assert.equal((await mapVerifications(db, ['a', 'b'])).get('b')?.text_changed_at, NOW - 3)
  })

  test('clicks of two people do not show, those of three do', async () => {
    for (const [at, user_id] of ['p', 'q', 'q', 'r'].entries()) {
      assert.equal((await mapLastClicks(db, ['a'], CLICKS)).size, 0)
      const query = { id: at, search_id: `s${at}`, user_id, query_key: 'k', asked_at: NOW - 50 + at }
      const shown = { query: 'k', filters: {}, document_ids: ['a'], total: 1, ranked_by: 'words', took_ms: 1 } as const
      await saveFeedback(db, { ...query, ...shown }, 'a', 'click')
    }
    assert.deepEqual([...(await mapLastClicks(db, ['a', 'b'], CLICKS))], [['a', NOW - 47]])
    assert.deepEqual(await stale({ notOpenedSince: NOW - 47 }), ['b'])
    assert.deepEqual(await stale({ notOpenedSince: NOW - 46 }), ['a', 'b'])
  })

  test('a removed person owns nothing, and a purged document leaves nothing', async () => {
    const { documents } = await findDocumentsOfPerson(db, { email: 'ada@example.com', ids: [] }, { after: 0, limit: 9 })
    await removePersonFromDocuments(db, documents, { now: NOW, requestId: 'r' })
    assert.deepEqual(await owned(), [])
    await db.updateTable('document').set({ deleted_at: 1 }).execute()
    await purgeTrashedDocuments(db, NOW, Number.MAX_SAFE_INTEGER)
    assert.deepEqual(await db.selectFrom('document_verification').selectAll().execute(), [])
  })
})
