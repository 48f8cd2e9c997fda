import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { insertPerson } from '../store/identity/people.ts'
import { saveFeedback } from '../store/search/judgements.ts'
import { updateSettings } from '../store/settings/settings.ts'
import { DAY_MS } from '../wire/date-time.ts'
import { createClickCounter } from './click-counter.ts'

const { db } = await temporaryDatabase()
const NOW = 1_795_000_000_000
const logger = { debug() {}, info() {}, warn: assert.fail, error: assert.fail }

/** The time of the clicks is that of the search. */
async function click(name: string, document_id: string, asked_at: number): Promise<void> {
  const person = { email: `${name}@example.com`, name: null, is_verified: false, password_hash: null }
  const { id: user_id } = await insertPerson(db, { ...person, role: 'basic' }, NOW)
  const search = { id: 0, search_id: name, user_id, query: 'q', query_key: 'q', asked_at, filters: {} }
  const shown = { document_ids: [document_id], total: 1, ranked_by: 'words' as const, took_ms: 1 }
  await saveFeedback(db, { ...search, ...shown }, document_id, 'click')
}

async function countedAt(now: number): Promise<string[]> {
  const stop = new AbortController()
  const running = createClickCounter({ db, logger, now: () => now }).run(stop.signal)
  stop.abort()
  await running
  const rows = await db.selectFrom('document_popularity').select('document_id').distinct().execute()
  return rows.map((it) => it.document_id)
}

test('the clicks of 90 days count, or of the days for which queries are kept', async () => {
  for (const name of ['ann', 'bob', 'cid']) await click(name, 'a', NOW)
  assert.deepEqual(await countedAt(NOW + 89 * DAY_MS), ['a'])
  assert.deepEqual(await countedAt(NOW + 91 * DAY_MS), [])
  await updateSettings(db, { recorded_query_retention_days: 7 })
  assert.deepEqual(await countedAt(NOW + 6 * DAY_MS), ['a'])
  assert.deepEqual(await countedAt(NOW + 8 * DAY_MS), [])
  await updateSettings(db, { recorded_query_retention_days: null })
})

test('more people than three are needed if queries show for more, never fewer, and none if they are hidden', async () => {
  await updateSettings(db, { query_min_people: 1 })
  await click('dan', 'one', NOW)
  assert.deepEqual(await countedAt(NOW), ['a'])
  await updateSettings(db, { query_min_people: 4 })
  assert.deepEqual(await countedAt(NOW), [])
  await updateSettings(db, { query_min_people: null })
  assert.deepEqual(await countedAt(NOW), ['a'])
  await updateSettings(db, { query_history_type: 'disabled' })
  assert.deepEqual(await countedAt(NOW), [])
})
