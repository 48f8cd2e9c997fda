// The compliance checker of SCIM against the running program, on both databases.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { needs, SCIM2_TESTER } from '../needs.ts'
import { onPostgres } from './start-postgres.ts'

const TIMEOUT_MS = 300_000

async function checkCompliance(env: Record<string, string> = {}): Promise<void> {
  const { server, ask } = await start(env)
  const { body } = await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: 'checker' } })
  const url = `${server.url.replace(/\/$/, '')}/scim/v2`
  const checker = spawn(join(SCIM2_TESTER, 'bin/scim2'), ['--url', url, 'test'], {
    env: { ...process.env, SCIM_CLI_HEADERS: `Authorization: Bearer ${body.raw_token}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([
    text(checker.stdout),
    text(checker.stderr),
    new Promise((resolve) => checker.once('close', resolve)),
  ])
  assert.equal(checker.exitCode, 0, output + errors)
  const words = output.split(/\s+/)
  assert.ok(words.filter((it) => it === 'SUCCESS').length > 30, output)
  assert.ok(!words.includes('ERROR') && !words.includes('CRITICAL'), output)
}

test('scim2-tester finds no error', { ...needs('scim2-tester'), timeout: TIMEOUT_MS }, () => checkCompliance())

await onPostgres((postgres) => {
  test('on PostgreSQL scim2-tester finds no error', { ...needs('scim2-tester'), timeout: TIMEOUT_MS }, async () =>
    checkCompliance({ DATABASE_URL: await postgres.createDatabase() }),
  )
})
