// The whole program over PostgreSQL: the same tests as over SQLite, file by file in a process of its own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { onPostgres } from './start-postgres.ts'

const API = readdirSync('test/api').filter((it) => it.endsWith('.test.ts'))
const CRASH = ['failpoint.test.ts', 'kill.test.ts', 'sigterm.test.ts']
const files = [...CRASH.map((it) => `test/crash/${it}`), ...API.map((it) => `test/api/${it}`)]

await onPostgres((server) => {
  describe('over PostgreSQL', { concurrency: 2 }, () => {
    for (const file of files) test(file, async (t) => passes(t, file, server.url))
  })
})

/** Node runs no tests inside of tests, unless the inner ones do not know that they are. */
async function passes(t: TestContext, file: string, server: string): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env, TEST_POSTGRES: server }
  delete env.NODE_TEST_CONTEXT
  const words = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=spec', file]
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
  t.diagnostic(`${file}: ${tests} tests`)
}
