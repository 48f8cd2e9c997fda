// Backups go from one database to the other and back, and a restore into PostgreSQL is one transaction.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import { seedData } from '../cli/seed-data.ts'
import { runWorkload } from '../crash/workload.ts'
import { seeded } from '../random.ts'
import { settled, startServer } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

/** The rows of every table, sorted, because databases return them in any order. */
function rowsOf(file: string): Record<string, string[]> {
  const tar = gunzipSync(readFileSync(file))
  const rows: Record<string, string[]> = {}
  for (let at = 0; at < tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 136), 8) || 0
    const [, table] = /^record\/(\w+)\//.exec(name) ?? []
    const text = tar.toString('utf8', at + 512, at + 512 + size)
    if (table !== undefined && table !== 'record_identity')
      rows[table] = [...(rows[table] ?? []), ...text.split('\n').slice(1)]
    at += 512 + Math.ceil(size / 512) * 512
  }
  for (const table of Object.keys(rows)) rows[table]!.sort()
  return rows
}

await onPostgres((server) => {
  test('a backup keeps every row from SQLite to PostgreSQL and back', async () => {
    const folder = temporaryFolder()
    const source = await startServer({ env: { DATABASE_URL: '' } })
    await seedData(source.api)
    const key = (await source.api('POST', '/admin/api-key', { name: 'gone' })).body as { api_key_id: number }
    await source.api('DELETE', `/admin/api-key/${key.api_key_id}`)
    await runWorkload({ api: source.api, history: [], random: seeded(11), attempts: 300 })
    await settled(source)
    const files = ['one', 'two', 'three'].map((it) => join(folder, it))
    const url = await server.createDatabase()
    const steps: [string[], string, string][] = [
      [['backup', files[0]!], source.dataDir, ''],
      [['restore', files[0]!], join(folder, 'postgres'), url],
      [['backup', files[1]!], join(folder, 'postgres'), url],
      [['restore', files[1]!], join(folder, 'sqlite'), ''],
      [['backup', files[2]!], join(folder, 'sqlite'), ''],
    ]
    for (const [words, dataDir, DATABASE_URL] of steps) {
      const { code, error } = await pharos(words, { dataDir, env: { DATABASE_URL } })
      assert.equal(code, 0, `${words[0]} ${DATABASE_URL}: ${error}`)
    }
    const [first, ...others] = files.map(rowsOf)
    assert.ok(first!.document!.length > 50)
    for (const it of others) assert.deepEqual(it, first)

    copyFileSync(join(source.dataDir, 'secret-key'), join(folder, 'postgres/secret-key'))
    const moved = await startServer({ dataDir: join(folder, 'postgres'), env: { DATABASE_URL: url } })
    await settled(moved)
    const made = (await moved.api('POST', '/admin/api-key', { name: 'new' })).body as { api_key_id: number }
    assert.equal(made.api_key_id, key.api_key_id + 1, 'numbers that were given once are not given again')
    const pushed = { id: 'new', semantic_identifier: 'New', sections: [{ text: 'marigold' }], metadata: {} }
    const answer = await moved.api('POST', '/service-api/ingestion?wait_for=indexed', { document: pushed })
    assert.deepEqual([answer.status, (answer.body as { status: string }).status], [200, 'indexed'])
  })

  test('a backup during writes to PostgreSQL is a consistent snapshot', async () => {
    const folder = temporaryFolder()
    const DATABASE_URL = await server.createDatabase()
    const source = await startServer({ env: { DATABASE_URL } })
    const stop = new AbortController()
    const load = runWorkload({ api: source.api, history: [], random: seeded(12), signal: stop.signal })
    const file = join(folder, 'b')
    const { code, error } = await pharos(['backup', file], { dataDir: source.dataDir, env: { DATABASE_URL } })
    stop.abort()
    await load
    assert.equal(code, 0, error)
    const { document, sequence } = rowsOf(file)
    const highest = Math.max(0, ...document!.filter(Boolean).map((line) => JSON.parse(line)[1]))
    assert.ok(sequence!.some((line) => line.startsWith('["change",') && JSON.parse(line)[1] >= highest))
  })

  test('a restore refuses an existing record and a running program; --replace renames the old record', async () => {
    const folder = temporaryFolder()
    const DATABASE_URL = await server.createDatabase()
    const dataDir = join(folder, 'data')
    const elsewhere = join(folder, 'elsewhere')
    const running = await startServer({ dataDir, env: { DATABASE_URL } })
    await seedData(running.api)
    const file = join(folder, 'b')
    const run = (words: string[]) => pharos(words, { dataDir: elsewhere, env: { DATABASE_URL } })
    assert.equal((await run(['backup', file])).code, 0)
    const inUse = await run(['restore', file, '--replace'])
    assert.deepEqual([inUse.code, /connections of a running Pharos/.test(inUse.error)], [75, true], inUse.error)
    await running.stop()
    const exists = await run(['restore', file])
    assert.deepEqual([exists.code, /--replace sets it aside/.test(exists.error)], [73, true], exists.error)
    for (const step of ['restore-built', 'restore-switching']) {
      const killed = await pharos(['restore', file, '--replace'], {
        dataDir: elsewhere,
        env: { DATABASE_URL, FAILPOINT: `${step}:1` },
      })
      assert.equal(killed.signal, 'SIGKILL')
      const schemas = await server.query("select nspname from pg_namespace where nspname like 'public%'", DATABASE_URL)
      assert.deepEqual(schemas, [{ nspname: 'public' }], `${step}: all as it was`)
    }
    const done = await run(['restore', file, '--replace', '--json'])
    assert.equal(done.code, 0, done.error)
    const aside = (JSON.parse(done.out).aside as string).replace('schema ', '')
    const kept = await server.query(`select count(*)::int as n from ${aside}.credential`, DATABASE_URL)
    assert.deepEqual(kept, [{ n: 2 }])
    copyFileSync(join(dataDir, 'secret-key'), join(elsewhere, 'secret-key'))
    const again = await startServer({ dataDir: elsewhere, env: { DATABASE_URL } })
    const { status, body } = await again.api('GET', '/admin/api-key')
    assert.deepEqual([status, (body as unknown[]).length], [200, 1])
  })

  test('upgrade --check describes the database and says that it makes no copy', async () => {
    const DATABASE_URL = await server.createDatabase()
    const { code, out, error } = await pharos(['upgrade', '--check', '--json'], {
      dataDir: temporaryFolder(),
      env: { DATABASE_URL },
    })
    assert.equal(code, 0, error)
    const { database, current, migrations, copy } = JSON.parse(out)
    assert.deepEqual([database, current, migrations.length > 0, copy], ['postgres', 0, true, null])
    const missing = await pharos(['backup', join(temporaryFolder(), 'b')], { env: { DATABASE_URL } })
    assert.deepEqual([missing.code, /no database at/.test(missing.error)], [66, true])
  })
})
