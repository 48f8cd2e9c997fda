// Measurements in a real database.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import { EMPTY_SAMPLE, type Sample } from '../../domain/samples/sample.ts'
import { addSample, listSamples } from './samples.ts'

const { db } = await temporaryDatabase()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.UTC(2026, 10, 21, 12, 34)

beforeEach(async () => {
  await db.deleteFrom('sample').execute()
})

const add = (at: number, more: Partial<Sample>, process = 'a') =>
  addSample(db, { at, process, sample: { ...EMPTY_SAMPLE, measured_ms: MINUTE, ...more } }, at + MINUTE)
const count = async () => (await db.selectFrom('sample').select('at').execute()).length

test('a minute is added to its hour', async () => {
  await add(NOW, { documents_accepted: 2, searches: { 8: 1 } })
  await add(NOW + MINUTE, { documents_accepted: 3, searches: { 8: 2, 40: 1 } })
  const minutes = await listSamples(db, 'minute', NOW)
  assert.deepEqual(minutes.map((it) => [it.at - NOW, it.sample.documents_accepted]).sort(), [
    [0, 2],
    [MINUTE, 3],
  ])
  const [hour, ...others] = await listSamples(db, 'hour', NOW - HOUR)
  assert.deepEqual(others, [])
  assert.deepEqual(hour, {
    at: Date.UTC(2026, 10, 21, 12),
    process: 'a',
    sample: { ...EMPTY_SAMPLE, measured_ms: 2 * MINUTE, documents_accepted: 5, searches: { 8: 3, 40: 1 } },
  })
})

test('a minute that a restart divided has both parts, and is no longer than a minute', async () => {
  await add(NOW, { measured_ms: 20_000, answers: 1 })
  await add(NOW, { measured_ms: 50_000, answers: 2 })
  const [minute] = await listSamples(db, 'minute', NOW)
  assert.deepEqual([minute?.sample.measured_ms, minute?.sample.answers], [MINUTE, 3])
})

test('processes that write at the same time have rows of their own', async () => {
  const names = ['a', 'b', 'c']
  await Promise.all(names.flatMap((it) => [add(NOW, { answers: 1 }, it), add(NOW, { answers: 1, measured_ms: 0 }, it)]))
  const found = await listSamples(db, 'minute', NOW)
  assert.deepEqual(found.map((it) => [it.process, it.sample.answers]).sort(), [
    ['a', 2],
    ['b', 2],
    ['c', 2],
  ])
})

test('rows are deleted when they are too old, also those of processes that are gone', async () => {
  await add(NOW, {}, 'gone')
  await add(NOW + 24 * HOUR, {})
  assert.equal((await listSamples(db, 'minute', NOW)).length, 2)
  await add(NOW + 26 * HOUR, {})
  assert.deepEqual(
    (await listSamples(db, 'minute', NOW)).map((it) => it.process),
    ['a', 'a'],
  )
  assert.equal((await listSamples(db, 'hour', 0)).length, 3)
  await add(NOW + 60 * 24 * HOUR, {})
  assert.equal(await count(), 2)
})

test('a row of a release that measured less is read with what it has', async () => {
  await db
    .insertInto('sample')
    .values({ resolution: 'minute', at: NOW, process: 'a', measurements: '{"measured_ms":60000,"answers":1}' })
    .execute()
  assert.deepEqual((await listSamples(db, 'minute', NOW))[0]?.sample, {
    ...EMPTY_SAMPLE,
    measured_ms: MINUTE,
    answers: 1,
  })
})
