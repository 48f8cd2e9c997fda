// Runs the same tests of the whole program on PostgreSQL as on SQLite, each file in a separate process.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { createRequester } from '../api/request.ts'
import { startServer, waitFor } from '../server.ts'
import { onPostgres, type Postgres } from './start-postgres.ts'

const API = readdirSync('test/api').filter((it) => it.endsWith('.test.ts'))
const CRASH = [
  'chat.test.ts',
  'failpoint.test.ts',
  'kill.test.ts',
  'key-rotation.test.ts',
  'reindex.test.ts',
  'sigterm.test.ts',
]
const CONNECTORS = readdirSync('test/connectors').filter((it) => it.endsWith('.test.ts'))
const files = [
  'src/ingestion/pull/run-attempt.test.ts',
  'src/ingestion/pull/scheduler.test.ts',
  'src/ingestion/pull/run-access-sync.test.ts',
  ...CONNECTORS.map((it) => `test/connectors/${it}`),
  'test/cli/secrets.test.ts',
  ...CRASH.map((it) => `test/crash/${it}`),
  ...API.map((it) => `test/api/${it}`),
]
const FILE_TIMEOUT_MS = 1_500_000

await onPostgres((server) => {
  test('two programs on one database index the documents that either accepts', async () => {
    const env = { DATABASE_URL: await server.createDatabase() }
    const [one, other] = await Promise.all([startServer({ env }), startServer({ env })])
    const document = { id: 'shared', semantic_identifier: 'Shared', sections: [{ text: 'heliotrope' }], metadata: {} }
    for (const [here, there, text] of [
      [one, other, 'heliotrope'],
      [other, one, 'periwinkle'],
    ] as const) {
      const body = { document: { ...document, sections: [{ text }] } }
      assert.equal((await here.api('POST', '/service-api/ingestion', body)).status, 200)
      const isFound = async () =>
        (await createRequester(there)('POST', '/search', { body: { query: text } })).body.total === 1
      await waitFor(isFound, `"${text}" to be found`)
    }
  })

  describe('on PostgreSQL', { concurrency: 2 }, () => {
    for (const file of files) test(file, { timeout: FILE_TIMEOUT_MS }, async (t) => passes(t, file, server))
  })
})

/** Node runs no tests inside a test unless the inner process does not know about the outer one. */
async function passes(t: TestContext, file: string, server: Postgres): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env, TEST_POSTGRES: server.url }
  delete env.NODE_TEST_CONTEXT
  const words = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=spec', file]
  const before = await databases(server)
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, words, { env, signal: t.signal, maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(new Error(stdout.slice(Math.max(stdout.indexOf('✖ failing tests'), 0)), { cause: error }))
    })
  })
  const [tests, skipped] = ['tests', 'skipped'].map((it) =>
    Number(new RegExp(`^ℹ ${it} (\\d+)`, 'm').exec(output)?.[1]),
  )
  assert.ok(tests! > 0 && skipped === 0, `${tests} tests, of which ${skipped} were skipped`)
  assert.ok((await databases(server)) > before, 'it never asked for a database')
  t.diagnostic(`${file}: ${tests} tests`)
}

async function databases(server: Postgres): Promise<number> {
  return (await server.query('select 1 from pg_database')).length
}
