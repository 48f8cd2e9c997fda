// Processes that share a database add their measurements to rows of their own, and lose none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SAMPLE } from '../../src/domain/samples/sample.ts'
import { seriesPoints, seriesStart } from '../../src/domain/samples/series.ts'
import { addSample, listSamples } from '../../src/store/samples/samples.ts'
import { createRequester } from '../api/request.ts'
import { startServer } from '../server.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const MINUTE = 60_000

await onPostgres((server) => {
  test('measurements that two processes write at the same time are all kept, and added when read', async (t) => {
    const url = await server.createDatabase()
    const [one, other] = [await open(url), await open(url)]
    t.after(() => Promise.all([one.close(), other.close()]))
    const now = Math.floor(Date.now() / MINUTE) * MINUTE
    const counted = { ...EMPTY_SAMPLE, documents_accepted: 1, documents_indexed: 2, searches: { 40: 1 } }
    const writes = Array.from({ length: 10 }, (_, at) => now - (at + 1) * MINUTE).flatMap((at) =>
      [one, other].map((db) =>
        addSample(db, { at, process: db === one ? 'one' : 'other', sample: { ...counted, measured_ms: MINUTE } }, now),
      ),
    )
    await Promise.all(writes)
    // Two containers can have the same name and folder. Then they share a row.
    await Promise.all([one, other].map((db) => addSample(db, { at: now, process: 'same', sample: counted }, now)))
    const samples = await listSamples(other, 'minute', seriesStart('hour', now + MINUTE))
    const points = seriesPoints('hour', now + MINUTE, samples)
    const sumOf = (name: 'documents_accepted' | 'documents_indexed') =>
      points.reduce((sum, it) => sum + (it.sample?.[name] ?? 0), 0)
    assert.deepEqual([sumOf('documents_accepted'), sumOf('documents_indexed')], [22, 24])
    const ask = createRequester(await startServer({ env: { DATABASE_URL: url } }))
    const { status, body } = await ask('GET', '/admin/overview')
    assert.deepEqual([status, body.searches_last_day >= 20], [200, true])
  })
})
