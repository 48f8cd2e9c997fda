// Egress settings of the operator.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { databaseOf } from '../record.ts'
import { COMPILE_CACHE } from '../server.ts'
import { start } from './setup.ts'

const APPROVAL = '/admin/egress/approval'
const PASSWORD = 'canary-proxy-password'

const { server, ask, ok } = await start({
  LOG_LEVEL: 'trace',
  EGRESS_ALLOW: '10.0.0.0/8, *.office.corp, localhost:9999',
  EGRESS_APPROVALS: 'off',
  EGRESS_PROXY: `http://me:${PASSWORD}@127.0.0.1:3128`,
})
const check = async (url: string, more: object = {}) =>
  (await ok('POST', '/admin/egress/check', { body: { url, ...more } })).reason

test('EGRESS_ALLOW opens its ranges and ports to every profile, but not metadata services', async () => {
  for (const profile of ['admin-target', 'public-only']) {
    assert.equal(await check('http://10.2.3.4:9000/', { profile }), null)
    assert.equal(await check('http://localhost:9999/', { profile }), null)
    assert.equal(await check('http://localhost:9998/', { profile }), 'private')
    assert.equal(await check('http://192.168.0.1/', { profile }), 'private')
    assert.equal(await check('http://169.254.169.254/', { profile }), 'never')
  }
})

test('the proxy itself is never called [S6]', async () => {
  assert.equal(await check('http://127.0.0.1:3128/'), 'own')
})

test('EGRESS_APPROVALS=off rejects approvals, ignores stored ones, and explains the alternative', async () => {
  const { status, body } = await ask('POST', APPROVAL, { body: { host: 'wiki.corp', reason: 'x' } })
  assert.deepEqual(
    [status, body],
    [
      403,
      {
        error_code: 'EGRESS_APPROVALS_OFF',
        detail:
          'The operator has disabled approvals. To allow wiki.corp, start the service with EGRESS_APPROVALS=on, or list it in EGRESS_ALLOW.',
      },
    ],
  )
  assert.deepEqual(await ok('GET', APPROVAL), [])
})

test('the proxy password is in no response and no log line', async () => {
  await check('https://example.invalid/')
  assert.ok(!server.output().includes(PASSWORD))
})

const folder = mkdtempSync(join(tmpdir(), 'pharos-egress-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const database = await databaseOf(folder)
for (const [name, value, said] of [
  ['EGRESS_ALLOW', 'wiki.corp,https://x', 'EGRESS_ALLOW must be a comma-separated list such as'],
  ['EGRESS_PROXY', `socks5://me:${PASSWORD}@proxy.corp`, 'EGRESS_PROXY must be a URL such as'],
  ['EGRESS_APPROVALS', 'maybe', 'EGRESS_APPROVALS must be one of on, off'],
  ['EGRESS_CA_FILE', '/nowhere/ca.pem', 'EGRESS_CA_FILE must name a PEM file'],
] as const) {
  test(`an invalid ${name} ends the start with one line and exit code 78`, () => {
    const settings = { PORT: '0', DATA_DIR: folder, ...database, [name]: value }
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings }
    const words = ['--disable-warning=ExperimentalWarning', 'src/main.ts']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [78, ''], stderr)
    assert.ok(stderr.startsWith(said) && stderr.trim().split('\n').length === 1, stderr)
    assert.ok(!stderr.includes(PASSWORD))
  })
}
