// When an alert is opened and closed, over time, restarts and several processes. Each process has the record and the clock
// of the test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { listAlerts, listOpenAlerts } from '../store/alerts/alerts.ts'
import { createAlerts } from './alerts.ts'
import { OLD_BACKUP_MS, type ServiceProbes } from './conditions/service-conditions.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const DISK_OK = { state: 'ok', free_mb: 9_000, min_free_mb: 100 } as const
const DISK_LOW = { ...DISK_OK, state: 'low', free_mb: 50 } as const

async function setUp() {
  const { db } = await temporaryDatabase()
  const clock = { now: Date.parse('2026-01-31T12:00:00Z') }
  const events: string[] = []
  const logger = pino({ level: 'info' }, { write: (line) => void events.push(JSON.parse(line).msg) })
  /** A process with its own view of the service. */
  const start = () => {
    const seen = {
      isModelDown: false,
      disk: DISK_OK as ReturnType<ServiceProbes['disk']>,
      backupAt: null as number | null,
    }
    const model = { provider_id: 1, name: 'gpt', reason: 'It does not answer.', failing_since: 1 }
    const alerts = createAlerts({
      ...{ db, logger, now: () => clock.now, onWebhookEvent: () => {} },
      mail: { isConfigured: false, send: async () => true },
      probes: {
        disk: () => seen.disk,
        record: () => ({ state: 'ok', reason: null }),
        newestBackupAt: () => seen.backupAt,
        embeddingFault: () => null,
        failingModels: async () => (seen.isModelDown ? [model] : []),
      },
    })
    /** Lets time pass, and compares. Returns what was reported. */
    const after = async (ms: number): Promise<string[]> => {
      clock.now += ms
      await alerts.check()
      return events.splice(0)
    }
    return { seen, after }
  }
  return { db, clock, start, open: async () => (await listOpenAlerts(db)).map((it) => it.kind) }
}

test('the first end within a day is reported at once, and each further one later', async () => {
  const { start } = await setUp()
  const { seen, after } = start()
  for (const delay of [0, 5, 30, 120, 120]) {
    seen.isModelDown = true
    assert.deepEqual(await after(MINUTE_MS), ['alert opened'], `opened before ${delay}`)
    seen.isModelDown = false
    if (delay > 0) {
      assert.deepEqual(await after(MINUTE_MS), [], `the end is seen before ${delay}`)
      assert.deepEqual(await after((delay - 1) * MINUTE_MS), [], `${delay} minutes are not over`)
    }
    assert.deepEqual(await after(MINUTE_MS), ['alert closed'], `closed after ${delay}`)
  }
  seen.isModelDown = true
  assert.deepEqual(await after(DAY_MS), ['alert opened'])
  seen.isModelDown = false
  assert.deepEqual(await after(MINUTE_MS), ['alert closed'], 'the next day begins anew')
})

test('a condition that returns before its end is reported is no news', async () => {
  const { start, open } = await setUp()
  const { seen, after } = start()
  for (const isDown of [true, false, true]) {
    seen.isModelDown = isDown
    assert.equal((await after(MINUTE_MS)).length, 1)
  }
  seen.isModelDown = false
  assert.deepEqual(await after(MINUTE_MS), [])
  seen.isModelDown = true
  assert.deepEqual(await after(MINUTE_MS), [])
  assert.deepEqual(await after(10 * MINUTE_MS), [])
  assert.deepEqual(await open(), ['model_failing'])
  seen.isModelDown = false
  assert.deepEqual(await after(MINUTE_MS), [])
  assert.deepEqual(await after(4 * MINUTE_MS), [], 'the delay begins anew')
  assert.deepEqual(await after(MINUTE_MS), ['alert closed'])
})

test('a restart reports nothing twice, and an end that happened meanwhile once', async () => {
  const { start } = await setUp()
  const before = start()
  before.seen.isModelDown = true
  assert.deepEqual(await before.after(MINUTE_MS), ['alert opened'])
  const restarted = start()
  restarted.seen.isModelDown = true
  assert.deepEqual(await restarted.after(MINUTE_MS), [])
  const again = start()
  assert.deepEqual(await again.after(MINUTE_MS), ['alert closed'])
  assert.deepEqual(await start().after(MINUTE_MS), [])
})

test('a full disk of one process is not ended by another one, unless it is not seen for a minute', async () => {
  const { start, open } = await setUp()
  const [one, other] = [start(), start()]
  one.seen.disk = DISK_LOW
  assert.deepEqual(await one.after(MINUTE_MS), ['alert opened', 'alert opened'])
  assert.deepEqual(await other.after(30_000), [])
  assert.deepEqual((await open()).sort(), ['disk_full', 'disk_nearly_full'])
  await one.after(25_000)
  assert.deepEqual(await other.after(50_000), [], 'it was seen again')
  assert.deepEqual(await other.after(11_000), ['alert closed', 'alert closed'])
})

test('a disk with space again is no alert any more, also the second time in a day', async () => {
  const { db, clock, start } = await setUp()
  const { seen, after } = start()
  for (const _ of [1, 2]) {
    seen.disk = DISK_LOW
    assert.deepEqual(await after(MINUTE_MS), ['alert opened', 'alert opened'])
    seen.disk = DISK_OK
    await after(MINUTE_MS)
    const listed = await listAlerts(db, { pairs: 'all', isAdmin: true }, clock.now - OLD_BACKUP_MS)
    assert.deepEqual([listed.open.length, listed.ended.length > 0], [0, true])
    await after(120 * MINUTE_MS)
  }
})

test('a backup is an alert two weeks after it was made', async () => {
  const { start, clock, open } = await setUp()
  const { seen, after } = start()
  assert.deepEqual(await after(MINUTE_MS), [], 'no backup is made here')
  seen.backupAt = clock.now
  assert.deepEqual(await after(OLD_BACKUP_MS), [])
  assert.deepEqual(await after(MINUTE_MS), ['alert opened'])
  assert.deepEqual(await open(), ['backup_old'])
  seen.backupAt = clock.now
  assert.deepEqual(await after(MINUTE_MS), ['alert closed'])
})
