import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Database } from '../database/database.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { findRecordTrace, type RecordFile, readRecordFile, recordFilePath, writeRecordFile } from './record-file.ts'
import { openRecordGuard } from './record-guard.ts'
import { getRecordVersion } from './record-identity.ts'
import { findRecordLoss, type IndexPosition } from './record-loss.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }

async function open(dataDir = folder()): Promise<{ db: Database; dataDir: string; state: () => string }> {
  const db = await openSqlite({ path: join(dataDir, 'pharos.db'), failpoint: null, onFatal: assert.fail })
  const settings = { dataDir, kind: 'sqlite' as const, indexPositions: [], logger, now: 1, randomId: () => 'renewed' }
  const record = await openRecordGuard({ db, ...settings })
  return { db, dataDir, state: () => record.state().state }
}

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-kept-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

const insert = (name: string) => ({ sql: `insert into sequence (name, value) values (?1, 1)`, parameters: [name] })
const counters = async (dataDir: string) => {
  const { changes, commits } = (await readRecordFile(dataDir))!
  return { changes, commits }
}

test('the file counts every writing transaction before it is answered, and no other', async () => {
  const { db, dataDir } = await open()
  const before = await counters(dataDir)
  await db.commit([[insert('a')]])
  assert.deepEqual(await counters(dataDir), { ...before, commits: before.commits + 1 })
  await db.transaction().execute((trx) => trx.insertInto('sequence').values({ name: 'b', value: 1 }).execute())
  assert.equal((await counters(dataDir)).commits, before.commits + 2)

  await db.check()
  await db.commit([[{ sql: 'select 1', parameters: [] }]])
  await db.transaction().execute(async (trx) => void (await trx.selectFrom('sequence').selectAll().execute()))
  assert.equal((await counters(dataDir)).commits, before.commits + 2)
  await db.updateTable('sequence').set({ value: 7 }).where('name', '=', 'change').execute()
  assert.deepEqual(await counters(dataDir), { changes: 7, commits: before.commits + 3 })
  assert.deepEqual(await counters(dataDir), await heldIn(db))
  await db.close()
})

const heldIn = async (db: Database) => {
  const { changes, commits } = await getRecordVersion(db)
  return { changes, commits }
}

test('a transaction that is rolled back at its end is never counted', async () => {
  const { db, dataDir } = await open()
  const before = await counters(dataDir)
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('sequence').values({ name: 'a', value: 1 }).execute()
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, /changed my mind/)
  assert.deepEqual(await counters(dataDir), before)
  // A constraint that is checked only at COMMIT makes the COMMIT itself fail.
  await db.commit([[{ sql: 'create table parent (id integer primary key)', parameters: [] }]])
  const sql = 'create table child (id integer references parent (id) deferrable initially deferred)'
  await db.commit([[{ sql, parameters: [] }]])
  const held = await heldIn(db)
  await assert.rejects(db.commit([[{ sql: 'insert into child values (1)', parameters: [] }, insert('c')]]))
  assert.deepEqual(await heldIn(db), held)
  assert.ok((await counters(dataDir)).commits <= held.commits)
  await db.commit([[insert('d')]])
  assert.deepEqual(await counters(dataDir), await heldIn(db))
  await db.close()
})

test('an unreadable file is written again, with its counters in the first sector', async () => {
  const { db, dataDir } = await open()
  await db.close()
  writeFileSync(recordFilePath(dataDir), 'nonsense')
  assert.equal(await findRecordTrace(dataDir), 'record.json')
  const again = await open(dataDir)
  assert.equal(again.state(), 'ok')
  assert.match(readFileSync(recordFilePath(dataDir), 'utf8'), /^\{"changes": +\d+,"commits": +\d+,.*\}\n$/)
  await again.db.close()
})

test('every start reports a loss, even after a crash before the record got its new identity', async () => {
  const { db, dataDir } = await open()
  await db.close()
  const known = (await readRecordFile(dataDir))!
  await writeRecordFile(dataDir, { ...known, changes: 5 })
  const second = await open(dataDir)
  assert.equal(second.state(), 'incomplete')
  const { id, lost, changes } = (await readRecordFile(dataDir))!
  assert.deepEqual([id, lost.length, changes], ['renewed', 1, 0])
  await second.db.close()
  for (const state of [
    { ...known, changes: 5, lost },
    { ...known, lost },
  ]) {
    await writeRecordFile(dataDir, state)
    const again = await open(dataDir)
    assert.equal(again.state(), 'incomplete')
    assert.deepEqual((await readRecordFile(dataDir))!.lost, lost)
    await again.db.close()
  }
})

const KNOWN: RecordFile = { id: 'one', kind: 'sqlite', changes: 10, commits: 20, lost: [] }
const HELD = { id: 'one', changes: 10, commits: 20 }
const cases: [
  name: string,
  known: RecordFile | null,
  held: typeof HELD,
  followed: IndexPosition[],
  loss: RegExp | null,
][] = [
  ['as much as known', KNOWN, HELD, [], null],
  ['more than known', KNOWN, { ...HELD, changes: 11, commits: 22 }, [{ record: 'one', position: 11 }], null],
  ['nothing known', null, HELD, [{ record: 'other', position: 99 }], null],
  ['a new one may begin', { ...KNOWN, id: null }, { ...HELD, id: 'new', changes: 0, commits: 0 }, [], null],
  ['fewer changes', KNOWN, { ...HELD, changes: 8 }, [], /at least document changes 9 to 10 \(2\) are missing/],
  ['fewer transactions', KNOWN, { ...HELD, commits: 19 }, [], /at least 1 of 20 transactions are missing/],
  ['less than the index', null, HELD, [{ record: 'one', position: 12 }], /document changes 11 to 12 \(2\)/],
  [
    'another one',
    KNOWN,
    { ...HELD, id: 'other', changes: 3 },
    [],
    /different record .* had 10 document changes.* has 3/,
  ],
]
for (const [name, known, held, followed, loss] of cases) {
  test(`${name}: ${loss === null ? 'no loss' : 'a loss'}`, () => {
    const found = findRecordLoss(known, held, followed)
    if (loss === null) assert.equal(found, null)
    else assert.match(found!.reason, loss)
  })
}
