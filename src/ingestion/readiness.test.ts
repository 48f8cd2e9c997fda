import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../domain/errors.ts'
import { createReadiness } from './readiness.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const working = {
  db: { check: async () => {} },
  searchIndex: { stats: async () => ({}) as never },
  indexer: { progress: () => ({ accepted_seq: 5, indexed_seq: 3, pending: 2, waiting_for: null as string | null }) },
  disk: { check: () => {} },
  logger: quiet,
}
const rejecting = (error: Error) => async () => {
  throw error
}
const throwing = (error: Error) => () => {
  throw error
}
const never = () => new Promise<never>(() => {})

const standstill = { accepted_seq: 5, indexed_seq: 3, pending: 2, waiting_for: 'the disk is full' }

const cases: [name: string, needs: Partial<Parameters<typeof createReadiness>[0]>, faults: RegExp[]][] = [
  ['everything works, and changes wait', {}, []],
  ['the database is away', { db: { check: rejecting(new AppError('STORE_UNAVAILABLE')) } }, [/^The database does not/]],
  ['the database is read-only', { db: { check: rejecting(new AppError('STORE_READ_ONLY')) } }, [/is read-only/]],
  [
    'the database fails by an error of its own',
    { db: { check: rejecting(new Error('/x')) } },
    [/^The database cannot/],
  ],
  ['the database hangs', { db: { check: never } }, [/^The database has not answered for 0.02 s\.$/]],
  ['the index cannot be asked', { searchIndex: { stats: rejecting(new Error('ended')) } }, [/^The index cannot be/]],
  [
    'the index is not written',
    { searchIndex: { stats: async () => ({ stalled: 'its disk is full' }) as never } },
    [/cannot be written to disk: its disk is full\.$/],
  ],
  ['the index hangs', { searchIndex: { stats: never } }, [/^The index has not answered/]],
  [
    'the disk is low',
    { disk: { check: throwing(new AppError('DISK_LOW', { free: 1, bound: 2 })) } },
    [/has 1 MB left/],
  ],
  ['the index takes nothing', { indexer: { progress: () => standstill } }, [/not searchable yet: the disk is full\.$/]],
  ['something else is wrong', { extraChecks: [throwing(new AppError('STORE_FULL'))] }, [/^The data disk is full/]],
  ['two things are wrong', { db: { check: never }, searchIndex: { stats: never } }, [/^The database/, /^The index/]],
]

for (const [name, needs, expected] of cases) {
  test(`${name}: ${expected.length} faults`, async () => {
    const faults = await createReadiness({ ...working, ...needs, deadlineMs: 20 }).faults()
    assert.equal(faults.length, expected.length, faults.join())
    for (const [at, pattern] of expected.entries()) assert.match(faults[at]!, pattern)
  })
}

test('a result is cached for a second, and concurrent callers share one check', async () => {
  let asked = 0
  let time = 0
  const db = { check: async () => void asked++ }
  const { faults } = createReadiness({ ...working, db, clock: () => time })
  await Promise.all([faults(), faults(), faults()])
  await faults()
  assert.equal(asked, 1)
  time = 1_001
  await faults()
  assert.equal(asked, 2)
})

test('a check that hangs is not started again', async () => {
  let asked = 0
  let time = 0
  const check = () => {
    asked++
    return never()
  }
  const { faults } = createReadiness({ ...working, db: { check }, clock: () => (time += 2_000), deadlineMs: 1 })
  for (let look = 0; look < 5; look++) assert.equal((await faults()).length, 1)
  assert.equal(asked, 1)
})

test('a fault and its end are logged once each', async () => {
  const lines: string[] = []
  const note = (_: unknown, text: string) => void lines.push(text)
  let isAway = true
  let time = 0
  const check = async () => {
    if (isAway) throw new AppError('STORE_UNAVAILABLE')
  }
  const logger = { ...quiet, error: note, info: note }
  const { faults } = createReadiness({ ...working, db: { check }, logger, clock: () => (time += 2_000) })
  await faults()
  await faults()
  isAway = false
  await faults()
  await faults()
  assert.deepEqual(lines, ['service not ready', 'service ready'])
})
