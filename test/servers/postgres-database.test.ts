import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { Database, SqlStatement } from '../../src/store/database/database.ts'
import { databaseContract } from '../contract/database.ts'
import { waitFor } from '../server.ts'
import { open } from './open-postgres.ts'
import { onPostgres, type Postgres } from './start-postgres.ts'

const insert = (name: string): SqlStatement => ({
  sql: 'insert into sequence (name, value) values (?1, 1)',
  parameters: [name],
})
const count = async (db: Database) => (await db.selectFrom('sequence').select('name').execute()).length

await onPostgres(async (server) => {
  const url = await server.createDatabase()
  databaseContract('PostgreSQL', () => open(url))
  refusals(server)
  faults(server)
  losses(server)
})

function refusals(server: Postgres): void {
  const settings = [
    ['alter system set fsync = off', /fsync=off/],
    ['alter system set full_page_writes = off', /full_page_writes=off/],
    ['alter system set synchronous_commit = off', /synchronous_commit=off/],
  ] as const
  for (const [setting, reason] of settings) {
    test(`"${setting}" is refused, because it loses acknowledged writes`, async () => {
      const url = await server.createDatabase()
      await server.query(setting)
      await server.query('select pg_reload_conf()')
      try {
        await waitFor(() => open(url).then(close, (error) => hasReason(error, reason)), 'a refusal')
      } finally {
        await server.query('alter system reset all')
        await server.query('select pg_reload_conf()')
      }
    })
  }

  test('the same settings on a database or role, a standby and another encoding are refused', async () => {
    const url = await server.createDatabase()
    const name = new URL(url).pathname.slice(1)
    await server.query(`alter database ${name} set synchronous_commit = off`)
    await assert.rejects(open(url), (error) => hasReason(error, /synchronous_commit=off/))
    await server.query(`alter database ${name} reset all`)
    await server.query(`alter database ${name} set default_transaction_read_only = on`)
    await assert.rejects(open(url), (error) => hasReason(error, /read-only/))
    await server.query(`create database ascii encoding 'SQL_ASCII' locale 'C' locale_provider libc template template0`)
    await assert.rejects(open(url.replace(name, 'ascii')), (error) => hasReason(error, /SQL_ASCII/))
  })

  const addresses = [
    ['postgres://postgres@127.0.0.1:1/x', /ECONNREFUSED/],
    [`postgres://postgres@127.0.0.1:${server.port}/nobody_made_it`, /"nobody_made_it" does not exist/],
    [`postgres://nobody:hunter2@127.0.0.1:${server.port}/postgres`, /role "nobody" does not exist/],
  ] as const
  for (const [url, reason] of addresses) {
    test(`an unusable address gives its reason: ${reason}`, async () => {
      await assert.rejects(open(url), (error) => hasReason(error, reason) && !String(error).includes('hunter2'))
    })
  }
}

const close = async (db: Database) => {
  await db.close()
  return false
}
const hasReason = (error: unknown, reason: RegExp) =>
  error instanceof Error && 'code' in error && error.code === 'STORE_UNFIT' && reason.test(error.message)

function faults(server: Postgres): void {
  test('a full disk rejects the whole group, and the next write works', async () => {
    const db = await open(await server.createDatabase())
    const before = await count(db)
    const full = { sql: `do $$ begin raise exception using errcode = 'disk_full'; end $$`, parameters: [] }
    await assert.rejects(db.commit([[insert('a')], [full], [insert('b')]]), { code: 'STORE_FULL' })
    assert.equal(await count(db), before)
    assert.equal((await db.commit([[insert('a')]]))[0]!.ok, true)
    await db.close()
  })

  test('a NUL character fails only its own item', async () => {
    const db = await open(await server.createDatabase())
    const [good, bad] = await db.commit([[insert('good')], [insert('b\0d')]])
    assert.equal(good!.ok, true)
    assert.ok(!bad!.ok && 'code' in bad!.error && bad!.error.code === 'INVALID_INPUT')
    await db.close()
  })

  test('errors contain no row values, because they are logged', async () => {
    const db = await open(await server.createDatabase())
    const secret = { sql: `insert into sequence (name, value) values ('secret', null)`, parameters: [] }
    const [result] = await db.commit([[secret]])
    assert.ok(!result!.ok && !JSON.stringify({ ...result!.error }).includes('secret'))
    await db.close()
  })

  test('a group that loses a deadlock is written again', async () => {
    const url = await server.createDatabase()
    const db = await open(url)
    await db.commit([[insert('a')], [insert('b')], [insert('c')]])
    const add = (name: string): SqlStatement => ({
      sql: 'update sequence set value = value + 1 where name = ?1',
      parameters: [name],
    })
    const waiting = (sessions: number) =>
      waitFor(async () => (await waitingFor(server, 'transactionid')) === sessions, `${sessions} that wait`)
    const third = new Client({ connectionString: url })
    await third.connect()
    await third.query(`begin; update sequence set value = 0 where name = 'c'`)
    let group: Promise<unknown> = Promise.resolve()
    await db.transaction().execute(async (trx) => {
      // The first connection to detect a deadlock is its victim. This one never checks.
      await sql`set local deadlock_timeout = '1h'`.execute(trx)
      const touch = (name: string) => trx.updateTable('sequence').set({ value: 10 }).where('name', '=', name).execute()
      await touch('a')
      group = db.commit([[add('b'), add('c'), add('a')]])
      await waiting(1)
      const touched = touch('b')
      await waiting(2)
      // The group waits for "a", which closes the cycle, and detects it.
      await third.query('rollback')
      await touched
    })
    await third.end()
    await group
    const rows = await db.selectFrom('sequence').select('value').where('name', 'in', ['a', 'b']).execute()
    assert.deepEqual(
      rows.map((it) => it.value),
      [11, 11],
    )
    await db.close()
  })
}

async function waitingFor(server: Postgres, lock: string): Promise<number> {
  const rows = await server.query(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and wait_event = '${lock}'`,
  )
  return rows.length
}

function losses(server: Postgres): void {
  test('connections that the server closes are reopened', async () => {
    const db = await open(await server.createDatabase())
    await db.commit([[insert('before')]])
    await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pharos'`)
    await waitFor(() => db.commit([[insert('after')]]).then(isOk, isUnavailable), 'a write')
    assert.ok((await waitFor(() => count(db).catch(isUnavailable), 'a read')) >= 3)
    await db.close()
  })

  test('a server crash loses no acknowledged write, and work continues after its restart', async () => {
    const db = await open(await server.createDatabase())
    const confirmed: string[] = []
    let isOver = false
    let refusals = 0
    const write = async (client: number) => {
      for (let at = 0; !isOver; at++) {
        const name = `${client}/${at}`
        const isKept = await db.commit([[insert(name)]]).then(isOk, isUnavailable)
        if (isKept) confirmed.push(name)
        else refusals++
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const writing = Promise.all(Array.from({ length: 16 }, (_, client) => write(client)))
    for (let crash = 0; crash < 3; crash++) {
      const before = confirmed.length
      await waitFor(() => confirmed.length > before + 100, 'confirmed writes')
      await server.kill()
      await waitFor(() => refusals > 0, 'a refused write')
      await assert.rejects(count(db), { code: 'STORE_UNAVAILABLE' })
      await server.start()
    }
    const before = confirmed.length
    await waitFor(() => confirmed.length > before, 'a write after the crash')
    isOver = true
    await writing
    const rows = await waitFor(() => db.selectFrom('sequence').select('name').execute().catch(isUnavailable), 'a read')
    const kept = new Set(rows.map((it) => it.name))
    assert.deepEqual(
      confirmed.filter((it) => !kept.has(it)),
      [],
    )
    await db.close()
  })
}

const isOk = ([result]: readonly { ok: boolean }[]) => result!.ok
const isUnavailable = (error: { code?: string }): false => {
  if (error.code !== 'STORE_UNAVAILABLE') throw error
  return false
}
