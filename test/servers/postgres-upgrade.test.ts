// Databases of earlier programs, stored by pg_dump, with the current program.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { postgresMigrations } from '../../src/store/postgres/migrate-postgres.ts'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import {
  assertFixtureContent,
  countMigrationsOf,
  fixturePath,
  listFixtures,
  readFixtureFacts,
} from '../fixtures/fixtures.ts'
import { settled, startServer } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

const names = postgresMigrations().map((it) => it.name)

await onPostgres((server) => {
  for (const name of listFixtures('.sql.gz'))
    test(`the database ${name} of an earlier program keeps working with all content`, async () => {
      const it = readFixtureFacts(name, '.postgres.json')
      const url = await server.createDatabase()
      await server.query(gunzipSync(readFileSync(fixturePath(`${name}.sql.gz`))).toString(), url)
      const env = { DATABASE_URL: url, SECRET_KEY: it.secret_key }
      const check = await pharos(['upgrade', '--check', '--json'], { dataDir: temporaryFolder(), env })
      assert.equal(check.code, 0, check.error)
      const plan = JSON.parse(check.out)
      assert.deepEqual([plan.current, plan.current + plan.migrations.length], [countMigrationsOf(name), names.length])
      const program = await startServer({ env })
      await settled(program)
      await assertFixtureContent(program, it)
      const applied = await server.query<{ name: string }>('select name from schema_migration order by name', url)
      assert.deepEqual(
        applied.map((row) => row.name),
        names,
      )
    })
})
