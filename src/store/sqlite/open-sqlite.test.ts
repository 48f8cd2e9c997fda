import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { Database } from '../database/database.ts'
import { openSqlite } from './open-sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-sqlite-'))
const open = (name = 'main.db') =>
  openSqlite({
    path: join(folder, name),
    failpoint: null,
    onFatal: (error) => {
      throw error
    },
  })
let db: Database
before(async () => {
  db = await open()
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const insert = (name: string, value: unknown = 1) => ({
  sql: 'insert into sequence (name, value) values (?1, ?2)',
  parameters: [name, value],
})
const names = async () =>
  (await db.selectFrom('sequence').select('name').orderBy('name').execute()).map((it) => it.name)

test('a failed item is rolled back alone', async () => {
  const results = await db.commit([[insert('a')], [insert('b'), insert('a')], [insert('c')]])
  assert.deepEqual(
    results.map((it) => it.ok),
    [true, false, true],
  )
  assert.deepEqual(await names(), ['a', 'c', 'change', 'compared', 'mark'])
})

test('a later statement of an item sees earlier ones', async () => {
  const count = { sql: 'select count(*) as n from sequence where name = ?1', parameters: ['d'] }
  const [result] = await db.commit([[insert('d'), count]])
  assert.deepEqual(result, { ok: true, rows: [[], [{ n: 1 }]] })
})

test('batches that arrive during a commit share the next one and keep their order', async () => {
  const results = await Promise.all(Array.from({ length: 100 }, (_, at) => db.commit([[insert(`e${at}`, at)]])))
  assert.ok(results.every(([result]) => result!.ok))
  const rows = await db.selectFrom('sequence').select('value').where('name', 'like', 'e%').execute()
  assert.equal(rows.length, 100)
})

test('a transaction that throws leaves nothing, and others wait for its end', async () => {
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('sequence').values({ name: 'f', value: 1 }).execute()
    throw new Error('changed my mind')
  })
  const meanwhile = db.commit([[insert('g')]])
  await assert.rejects(failing, /changed my mind/)
  await meanwhile
  const found = await names()
  assert.ok(!found.includes('f') && found.includes('g'))
})

test('a transaction sees its own writes before others do', async () => {
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('sequence').values({ name: 'h', value: 1 }).execute()
    const inside = await trx.selectFrom('sequence').select('name').where('name', '=', 'h').execute()
    const outside = await db.selectFrom('sequence').select('name').where('name', '=', 'h').execute()
    assert.deepEqual([inside.length, outside.length], [1, 0])
  })
})

test('an invalid statement fails each time and harms no other', async () => {
  const wrong = { sql: 'select * from nowhere', parameters: [] }
  for (let time = 0; time < 2; time++) {
    const [first, second] = await db.commit([[wrong, insert(`never${time}`)], [insert(`i${time}`)]])
    assert.equal(first!.ok, false)
    assert.equal(second!.ok, true)
  }
})

test('a statement that was sent but not reached works the next time', async () => {
  const late = { sql: 'insert into sequence (value, name) values (?1, ?2)', parameters: [1, 'late'] }
  const [failed] = await db.commit([[insert('a'), late]])
  assert.equal(failed!.ok, false)
  const [done] = await db.commit([[late]])
  assert.equal(done!.ok, true)
})

test('data is there after closing and reopening', async () => {
  const first = await open('second.db')
  await first.insertInto('sequence').values({ name: 'kept', value: 7 }).execute()
  await first.close()
  const second = await open('second.db')
  assert.equal((await second.selectFrom('sequence').selectAll().where('name', '=', 'kept').execute())[0]!.value, 7)
  await second.close()
})

test('a database of a newer program is refused', async () => {
  const newer = new DatabaseSync(join(folder, 'newer.db'))
  newer.exec('PRAGMA user_version = 999')
  newer.close()
  await assert.rejects(open('newer.db'), { code: 'SCHEMA_NEWER' })
})

test('a file that is not a database is refused', async () => {
  writeFileSync(join(folder, 'foreign.db'), 'this is not a database, and it is longer than one hundred bytes'.repeat(9))
  await assert.rejects(open('foreign.db'))
})
