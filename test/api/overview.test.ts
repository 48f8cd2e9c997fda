// The overview, with measurements that are in the record.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-overview-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
const { server, ask, ok, push, search, makePair, alterRecord } = await start({}, { dataDir })
const MINUTE = 60_000

interface Point {
  at: string
  measured_s: number
  [name: string]: unknown
}
const series = async (range?: string): Promise<{ step_s: number; range: string; points: Point[] }> =>
  ok('GET', `/admin/overview/series${range === undefined ? '' : `?range=${range}`}`)

/** Adds the measurements of a minute. */
const measure = (at: number, process: string, measurements: object) =>
  alterRecord(
    `insert into sample (resolution, at, process, measurements) values ('minute', ${at}, '${process}', '${JSON.stringify({ measured_ms: MINUTE, ...measurements })}')`,
  )

test('every range has its points, with null where nothing was measured', async () => {
  for (const [range, points, step_s] of [
    ['hour', 60, 60],
    ['day', 144, 600],
    ['month', 240, 10_800],
  ] as const) {
    const found = await series(range)
    assert.deepEqual([found.range, found.points.length, found.step_s], [range, points, step_s])
    const [first, second] = found.points
    assert.equal(Date.parse(second!.at) - Date.parse(first!.at), step_s * 1_000)
    const { at: _, measured_s, ...values } = first!
    assert.equal(measured_s, 0)
    assert.ok(
      Object.values(values).every((it) => it === null),
      'a gap is no zero',
    )
  }
  assert.equal((await series()).range, 'hour')
})

test('another range is refused', async () => {
  const { status, body } = await ask('GET', '/admin/overview/series?range=year')
  assert.equal(status, 422)
  assert.match(JSON.stringify(body), /range/)
})

test('the measurements of several processes are one point', async () => {
  const at = Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE
  const oldest = { age_s: 90, reason: 'index_stalled', detail: 'The index does not respond.' }
  await measure(at, 'first', {
    documents_accepted: 4,
    documents_indexed: 6,
    searches: { 64: 99 },
    waiting: 3,
    oldest,
    disk: { used_bytes: 10, free_bytes: 5 },
    memory_bytes: 100,
  })
  await measure(at, 'second', {
    documents_accepted: 2,
    documents_indexed: 5,
    searches: { 96: 1 },
    answers: 1,
    input_tokens: 70,
    output_tokens: 8,
    server_errors: 2,
    memory_bytes: 50,
  })
  const point = (await series()).points.find((it) => Date.parse(it.at) === at)
  assert.deepEqual(point, {
    at: new Date(at).toISOString(),
    measured_s: 60,
    documents_accepted: 6,
    documents_indexed: 6,
    documents_failed: 0,
    waiting: 3,
    oldest_waiting_s: 90,
    oldest_waiting_reason: 'index_stalled',
    oldest_waiting_detail: 'The index does not respond.',
    searches: 100,
    search_p50_ms: 245.1,
    search_p99_ms: 245.1,
    answers: 1,
    input_tokens: 70,
    output_tokens: 8,
    server_errors: 2,
    disk_used_bytes: 10,
    disk_free_bytes: 5,
    memory_bytes: 150,
  })
})

test('the overview counts documents, connectors, and the searches of the last day', async () => {
  await makePair('Wiki')
  await makePair('Handbook')
  await push(documentOf('heliotrope', { id: 'one' }))
  const { documents, cc_pairs, sources, searches_last_day, answers_last_day } = await ok('GET', '/admin/overview')
  assert.deepEqual([documents, cc_pairs, sources, searches_last_day, answers_last_day], [1, 2, 1, 100, 1])
})

test('a stop writes the minute that has begun, and a restart continues with it', async () => {
  await search('heliotrope')
  await server.stop()
  const restarted = await start({}, { dataDir })
  const { points }: { points: Point[] } = await restarted.ok('GET', '/admin/overview/series?range=month')
  const sumOf = (name: string) => points.reduce((sum, it) => sum + Number(it[name]), 0)
  assert.deepEqual([sumOf('documents_accepted'), sumOf('documents_indexed'), sumOf('searches')], [1, 1, 1])
  const measured = sumOf('measured_s')
  assert.ok(measured > 0 && measured < 600, `${measured} s`)
})
