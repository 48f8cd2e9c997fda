import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { postgresMigrations } from '../postgres/migrate-postgres.ts'
import { migrateSqlite, sqliteMigrations } from '../sqlite/migrate-sqlite.ts'
import { readSqliteSchema, upgradeSqlite } from '../sqlite/upgrade-sqlite.ts'
import { type Migration, migrationNamesOfCount, readMigrations } from './migrations.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-migrations-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `${++files}.db`)

const open = <T>(path: string, ask: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}
const tables = (path: string) =>
  open(path, (db) => db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all())
const names = (path: string) =>
  open(path, (db) => db.prepare('SELECT name FROM schema_migration ORDER BY name').all()).map((it) => it.name)
const version = (path: string) => open(path, (db) => db.prepare('PRAGMA user_version').get()?.user_version)

const known = sqliteMigrations()
/** The database of a program that only counted migrations. */
const COUNTED = 18
const fresh = newPath()
migrateSqlite(fresh)

describe('migrations', () => {
  test('a released migration never changes: each has the hash of sql/migrations.json, and both databases have the same migrations', () => {
    const listed = JSON.parse(readFileSync('sql/migrations.json', 'utf8'))
    const found = ['postgres', 'sqlite'].flatMap((it) =>
      readMigrations(join('sql', it)).map(({ name, sha256 }) => [`${it}/${name}`, sha256]),
    )
    assert.deepEqual(
      Object.fromEntries(found),
      listed,
      'write a new file instead of changing one; "npm run generate" adds it to the list',
    )
    assert.deepEqual(
      postgresMigrations().map((it) => it.name),
      known.map((it) => it.name),
    )
  })

  test('no two migrations have the same number', () => {
    const numbers = known.map((it) => it.name.slice(0, 4))
    assert.deepEqual([...new Set(numbers)], numbers)
    assert.ok(known.every((it) => /^\d{4}-[a-z0-9-]+\.sql$/.test(it.name)))
  })

  test('databases made at any commit of main come to the same schema', () => {
    const landed = Object.keys(JSON.parse(readFileSync('sql/migrations.json', 'utf8')))
      .filter((it) => it.startsWith('sqlite/'))
      .map((it) => it.slice('sqlite/'.length))
    const columns = (path: string) =>
      open(path, (db) =>
        db
          .prepare(
            `SELECT s.type, s.name, s.tbl_name, c.name AS column, c.type AS kind, c."notnull", c.dflt_value, c.pk
              FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) c ORDER BY s.name, c.name`,
          )
          .all(),
      )
    for (let count = COUNTED; count < landed.length; count++) {
      const path = newPath()
      migrateSqlite(path, { known: known.filter((it) => landed.slice(0, count).includes(it.name)) })
      migrateSqlite(path)
      assert.deepEqual(columns(path), columns(fresh), `after ${landed[count - 1]}`)
    }
  })

  const made = (name: string, text: string): Migration => {
    writeFileSync(join(folder, name), text)
    const [only] = readMigrations(folder).filter((it) => it.name === name)
    rmSync(join(folder, name))
    return only!
  }
  const late = made('0090-late.sql', 'create table late (id integer primary key)')
  const later = made('0091-later.sql', 'create table later (id integer primary key)')
  const latest = made('0092-latest.sql', 'alter table later add column at integer')

  test('providers and models keep their ids when their tables are recreated, and ids are not reused', () => {
    const path = newPath()
    migrateSqlite(path, { known: known.filter((it) => it.name < '0028') })
    open(path, (db) =>
      db.exec(`
        insert into llm_provider values (7, 'one', 'openai', null, null, null, '', 1, 0, '[]', '[]', null, null, null, 1, 1);
        insert into llm_provider values (9, 'gone', 'openai', null, null, null, '', 1, 0, '[]', '[]', null, null, null, 1, 1);
        insert into llm_model values (30, 7, 'small', null, 1, null, 0, 1), (40, 9, 'small', null, 1, null, 0, 1);
        delete from llm_model where id = 40;
        delete from llm_provider where id = 9;`),
    )
    migrateSqlite(path)
    const ids = open(path, (db) => {
      db.exec(`
        insert into llm_provider (name, provider, secrets, is_public, is_auto_mode, groups, personas, time_created,
          time_updated) values ('one', 'openai', '', 1, 0, '[]', '[]', 1, 1);
        insert into llm_model (provider_id, name, is_visible, supports_image_input, supports_tools)
          values (10, 'small', 1, 0, 1);`)
      const broken = db.prepare('PRAGMA foreign_key_check').all()
      assert.deepEqual(broken, [])
      return db.prepare('select p.id, m.id as model from llm_provider p join llm_model m on m.provider_id = p.id').all()
    })
    assert.deepEqual(
      ids.map((it) => [it.id, it.model]),
      [
        [7, 30],
        [10, 41],
      ],
    )
  })

  test('a lower number that arrives later is applied once', () => {
    const path = newPath()
    migrateSqlite(path, { known: [...known, later] })
    const applied: string[] = []
    const failpoint = (step: string) => void (step === 'migration-applied' && applied.push(step))
    migrateSqlite(path, { known: [...known, late, later, latest], failpoint })
    assert.equal(applied.length, 2)
    migrateSqlite(path, { known: [...known, late, later, latest], failpoint })
    assert.equal(applied.length, 2)
    const all = [...known, late, later, latest].map((it) => it.name)
    assert.deepEqual([names(path), version(path)], [all, all.length])
  })

  test('a failed migration leaves neither tables nor a row', () => {
    const path = newPath()
    const broken = made('0093-broken.sql', 'create table half (id integer); create table connector (id integer)')
    assert.throws(() => migrateSqlite(path, { known: [...known, broken] }), /table connector already exists/)
    assert.deepEqual(tables(path), tables(fresh))
    assert.deepEqual([names(path), version(path)], [known.map((it) => it.name), known.length])
  })

  test('a database with an unknown or different migration is refused unchanged', () => {
    const path = newPath()
    migrateSqlite(path, { known: [...known, later] })
    const before = readFileSync(path)
    assert.throws(() => migrateSqlite(path), { code: 'SCHEMA_NEWER', message: /: it has 0091-later\.sql\. Start/ })
    assert.throws(() => readSqliteSchema(path), { code: 'SCHEMA_NEWER' })
    const other = { ...later, sha256: late.sha256 }
    assert.throws(() => migrateSqlite(path, { known: [...known, other] }), {
      code: 'SCHEMA_DIFFERENT',
      message: /has 0091-later\.sql with a different text/,
    })
    assert.ok(readFileSync(path).equals(before))
  })

  test('the text is the same on systems with carriage returns', () => {
    const unix = made('0094-lines.sql', '-- a\ncreate table lines (id integer);\n')
    assert.equal(made('0094-lines.sql', '-- a\r\ncreate table lines (id integer);\r\n').sha256, unix.sha256)
  })
})

describe('a database whose migrations were only counted', () => {
  /** The index as the program of that time created it. */
  function counted(applied: readonly Migration[]): string {
    const path = newPath()
    open(path, (db) => {
      for (const it of applied) db.exec(it.text)
      db.exec("INSERT INTO sequence VALUES ('kept', 7)")
      db.exec(`PRAGMA user_version = ${applied.length}; PRAGMA journal_mode = WAL`)
    })
    return path
  }
  const mergedUntil = (count: number) => known.filter((it) => migrationNamesOfCount(count).includes(it.name))

  for (let count = 1; count <= COUNTED; count++) {
    test(`${count} migrations in merge order are recognized and brought to this schema`, () => {
      const path = counted(mergedUntil(count))
      const expected = known.filter((it) => !migrationNamesOfCount(count).includes(it.name)).map((it) => it.name)
      assert.deepEqual(readSqliteSchema(path).migrations, expected)
      upgradeSqlite(path, () => {})
      assert.deepEqual([tables(path), names(path)], [tables(fresh), known.map((it) => it.name)])
      assert.equal(
        open(path, (db) => db.prepare("SELECT value FROM sequence WHERE name = 'kept'").get()?.value),
        7,
      )
    })
  }

  test('a database from before 0004 was changed gets the current index', () => {
    const path = counted(mergedUntil(7))
    open(path, (db) => db.exec('DROP INDEX receipt_mark; CREATE INDEX receipt_mark ON receipt (mark) WHERE mark > 0'))
    upgradeSqlite(path, () => {})
    assert.deepEqual(tables(path), tables(fresh))
  })

  test('a database whose tables do not match its count is refused unchanged, with the remedy', () => {
    const path = counted(mergedUntil(14))
    open(path, (db) => db.exec('PRAGMA user_version = 12; PRAGMA wal_checkpoint(TRUNCATE)'))
    const before = readFileSync(path)
    const refusal = {
      code: 'SCHEMA_UNKNOWN',
      message:
        'The database records 12 migrations, but its tables are those of 14. Start the version that last wrote it, make a backup with "pharos backup", and restore the backup with this version.',
    }
    assert.throws(() => readSqliteSchema(path), refusal)
    assert.throws(() => upgradeSqlite(path, () => {}), refusal)
    assert.ok(readFileSync(path).equals(before))
    assert.ok(!readdirSync(folder).includes('before-upgrade') || tables(path).length > 0)
  })
})
