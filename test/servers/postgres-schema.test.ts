import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrationNamesOfCount } from '../../src/store/database/migrations.ts'
import { postgresMigrations } from '../../src/store/postgres/migrate-postgres.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const newest = readdirSync('sql/postgres').length

await onPostgres((server) => {
  test('if several programs start at once, one migrates and all work', async () => {
    const url = await server.createDatabase()
    const all = await Promise.all(Array.from({ length: 5 }, () => open(url)))
    for (const db of all) assert.equal((await db.selectFrom('connector').select('id').execute()).length, 1)
    assert.deepEqual(await server.query('select version::int from schema_version', url), [{ version: newest }])
    await Promise.all(all.map((db) => db.close()))
  })

  test('an interrupted migration leaves nothing, and the next start repeats it', async () => {
    const url = await server.createDatabase()
    await server.query('create table tool ()', url)
    await assert.rejects(open(url), { code: 'STORE_UNFIT', message: /"tool" already exists/ })
    const tables = await server.query(`select 1 from pg_class where relname in ('connector', 'document')`, url)
    assert.deepEqual(tables, [])
    await server.query('drop table tool', url)
    await (await open(url)).close()
  })

  test('a database of a newer program is refused unchanged', async () => {
    const url = await server.createDatabase()
    await (await open(url)).close()
    await server.query('update schema_version set version = 999', url)
    await assert.rejects(open(url), { code: 'SCHEMA_NEWER' })
    assert.deepEqual(await server.query('select version::int from schema_version', url), [{ version: 999 }])
  })

  /** A database of a program that only counted migrations. */
  async function countedDatabase(count: number): Promise<string> {
    const url = await server.createDatabase()
    const names = migrationNamesOfCount(count)
    const texts = postgresMigrations().filter((it) => names.includes(it.name))
    await server.query(texts.map((it) => it.text).join(';\n'), url)
    await server.query(
      `create table schema_version (version bigint not null); insert into schema_version values (${count})`,
      url,
    )
    return url
  }
  const columnsOf = (url: string) =>
    server.query(
      `select table_name, column_name, data_type, is_nullable from information_schema.columns
        where table_schema = 'public' order by 1, 2`,
      url,
    )
  const indexesOf = (url: string) =>
    server.query(`select indexdef from pg_indexes where schemaname = 'public' order by 1`, url)

  test('a database with counted migrations is recognised in merge order', async () => {
    const fresh = await server.createDatabase()
    await (await open(fresh)).close()
    for (const count of [3, 7, 11, 14, 17, 18]) {
      const url = await countedDatabase(count)
      await (await open(url)).close()
      assert.deepEqual(await columnsOf(url), await columnsOf(fresh))
      assert.deepEqual(await indexesOf(url), await indexesOf(fresh))
      const names = await server.query<{ name: string }>('select name from schema_migration order by name', url)
      assert.deepEqual(
        names.map((it) => it.name),
        postgresMigrations().map((it) => it.name),
      )
      assert.deepEqual(await server.query('select version::int from schema_version', url), [{ version: newest }])
    }
  })

  test('a counted database with tables of another count is refused unchanged', async () => {
    const url = await countedDatabase(14)
    await server.query('update schema_version set version = 12', url)
    await assert.rejects(open(url), {
      code: 'SCHEMA_UNKNOWN',
      message: /12 migrations, but its tables are those of 14/,
    })
    assert.deepEqual(await server.query("select to_regclass('schema_migration') as it", url), [{ it: null }])
  })

  test('a database with an unknown or different migration is refused, and the error names it', async () => {
    const url = await server.createDatabase()
    await (await open(url)).close()
    await server.query(`insert into schema_migration values ('0999-later.sql', '00', 0)`, url)
    await assert.rejects(open(url), { code: 'SCHEMA_NEWER', message: /it has 0999-later\.sql/ })
    await server.query(`delete from schema_migration where name like '0999%'`, url)
    await server.query(`update schema_migration set sha256 = '00' where name like '0001%'`, url)
    await assert.rejects(open(url), { code: 'SCHEMA_DIFFERENT', message: /has 0001-first\.sql with a different text/ })
  })

  test('tables, columns and initial rows equal those of SQLite', async () => {
    const url = await server.createDatabase()
    await (await open(url)).close()
    const ours = await server.query<{ it: string }>(
      `select table_name || '.' || column_name || case when data_type = 'bigint' then ' integer' else ' ' || data_type end
        || case when is_nullable = 'NO' then ' not null' else '' end as it
      from information_schema.columns where table_schema = 'public' and table_name <> 'schema_version'`,
      url,
    )
    const { columns, rows } = await sqliteSchema()
    assert.deepEqual(ours.map((it) => it.it).sort(), columns.sort())
    for (const [table, count] of Object.entries(rows)) {
      assert.deepEqual(
        [table, await server.query(`select count(*)::int as n from ${table}`, url)],
        [table, [{ n: count }]],
      )
    }
  })

  test('a generated id is unused', async () => {
    const url = await server.createDatabase()
    await (await open(url)).close()
    const identities = await server.query<{ table: string }>(
      `select table_name as table from information_schema.columns where is_identity = 'YES' and column_name = 'id'`,
      url,
    )
    assert.ok(identities.length >= 5)
    for (const { table } of identities) {
      const [row] = await server.query<{ next: number; last: number }>(
        `select nextval(pg_get_serial_sequence('${table}', 'id'))::int as next, coalesce(max(id), 0)::int as last from ${table}`,
        url,
      )
      assert.equal(row!.next, row!.last + 1, table)
    }
  })
})

async function sqliteSchema(): Promise<{ columns: string[]; rows: Record<string, number> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-schema-'))
  const path = join(folder, 'pharos.db')
  await (await openSqlite({ path, failpoint: null, onFatal: assert.fail })).close()
  const db = new DatabaseSync(path)
  const tables = db.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`).all()
  const columns: string[] = []
  const rows: Record<string, number> = {}
  for (const { name: table } of tables as { name: string }[]) {
    rows[table] = (db.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n
    for (const it of db.prepare(`pragma table_info(${table})`).all() as unknown as ColumnInfo[]) {
      columns.push(`${table}.${it.name} ${it.type.toLowerCase()}${it.notnull === 1 || it.pk > 0 ? ' not null' : ''}`)
    }
  }
  db.close()
  rmSync(folder, { recursive: true })
  return { columns, rows }
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  pk: number
}
