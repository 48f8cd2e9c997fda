// Runs schemathesis, a property-based tester of HTTP interfaces, on the description that the program publishes. It tests new
// operations automatically; objects that it cannot create are in schemathesis-seeds.ts.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { SCHEMATHESIS } from '../needs.ts'
import { chooseSeed } from '../random.ts'
import { startServer } from '../server.ts'
import { startSeeds } from './schemathesis-seeds.ts'
import { startRemoteServers } from './start-remote-servers.ts'

export const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

interface Run {
  role: Role
  /** The number of generated requests per operation, in addition to those at the limits of its values. */
  cases: number
  /** The default is all checks of schemathesis. */
  phases?: string
  env?: Record<string, string>
  timeoutMs: number
}

/** A timeout so long that a slow machine is no finding. */
const ANSWER_WITHIN_S = 120
const ALL_PHASES = 'examples,coverage,fuzzing,stateful'

/** Fails with the findings of schemathesis. Returns the number of responses by operation and status. */
export async function fuzz(t: TestContext, run: Run): Promise<Map<string, number[]>> {
  const { role, cases, phases = ALL_PHASES, env = {}, timeoutMs } = run
  const nearby = await startRemoteServers()
  const server = await startServer({ env: { LOG_LEVEL: 'warn', ...nearby.env, ...env } })
  const key = role === 'admin' ? server.key : await createSetup(createRequester(server)).makeKey({ role })
  const folder = mkdtempSync(join(tmpdir(), 'pharos-schemathesis-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const calls = join(folder, 'calls')
  const words = [
    ...['--no-color', 'run', `${server.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`],
    ...['--checks', 'all', '--phases', phases, '--mode', 'all', '--continue-on-failure'],
    ...['--request-timeout', String(ANSWER_WITHIN_S), '--max-response-time', String(ANSWER_WITHIN_S)],
    ...['--max-examples', String(cases), '--seed', String(chooseSeed((line) => t.diagnostic(line)))],
    // Two threads that read source text at once fail in Python 3.11: https://github.com/python/cpython/issues/106905
    ...['--workers', '1'],
    ...['--suppress-health-check', 'all', '--generation-database', 'none'],
  ]
  const { isClean, output } = await schemathesis(words, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CALLS: calls,
      // A key without rights succeeds nowhere.
      SEEDS: role === 'limited' ? '' : await startSeeds({ server, nearby, key, databaseUrl: env.DATABASE_URL }),
      SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    timeout: timeoutMs,
    signal: t.signal,
  })
  assert.ok(isClean, output)
  assert.deepEqual(server.output().match(/.*"level":(?:50|60).*/g), null, 'the log has an error')
  assert.equal((await server.api('GET', '/health')).status, 200)
  const answers = Map.groupBy(linesOf(calls), (it) => it.slice(0, it.lastIndexOf(' ')))
  return new Map([...answers].map(([operation, lines]) => [operation, lines.map((it) => Number(it.split(' ').at(-1)))]))
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trim().split('\n')

/** Operations that cannot succeed here, with the reason. */
const KEY_OF_NOBODY = 'the keys act for nobody, so they have no second factors'
const NO_PERSON = 'only people make and download backups, and the keys act for nobody'
const NO_AUTHENTICATOR = 'browsers give no passkeys to a site at an IP address'
const REFUSING: Readonly<Record<string, string>> = {
  'GET /auth/second-factor': KEY_OF_NOBODY,
  'POST /auth/second-factor': KEY_OF_NOBODY,
  'POST /auth/second-factor/confirm': KEY_OF_NOBODY,
  'POST /auth/second-factor/recovery-codes': KEY_OF_NOBODY,
  'POST /auth/second-factor/disable': KEY_OF_NOBODY,
  'GET /auth/passkeys': KEY_OF_NOBODY,
  'POST /auth/passkeys': KEY_OF_NOBODY,
  'POST /auth/passkeys/options': KEY_OF_NOBODY,
  'DELETE /auth/passkeys/{passkey_id}': KEY_OF_NOBODY,
  'POST /admin/backup': NO_PERSON,
  'POST /admin/backup/{backup_id}/download': NO_PERSON,
  'GET /admin/backup/{backup_id}/file': NO_PERSON,
  'DELETE /admin/backup/{backup_id}': NO_PERSON,
  'POST /auth/passkey/options': NO_AUTHENTICATOR,
  'POST /auth/passkey/login': NO_AUTHENTICATOR,
  'POST /auth/oidc/backchannel-logout/{slug}': 'no provider nearby signs a token',
  'POST /auth/ldap/login': 'no directory is nearby',
  'POST /auth/refresh': 'requests come with a key, not with the cookie of a session',
  'POST /password/change-password': 'the keys act for nobody, so they have no password',
  'GET /user/personalization': 'the keys act for nobody, so they have no name',
  'PATCH /user/personalization': 'the keys act for nobody, so they have no name',
  'GET /user/data': 'the keys act for nobody, of whom nothing is kept',
  'PATCH /user/preferences': 'the keys act for nobody, so they have no preferences',
  'PUT /admin/embedding/embedding-provider': 'the settings name the embedding model',
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': 'no source nearby says who may read what',
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-groups': 'no source nearby says who may read what',
}

/** Fails if an operation never succeeded, because a run with refusals only would test only refusals. */
export async function allSucceeded(answers: Map<string, number[]>): Promise<void> {
  const { api } = await startServer()
  const { paths } = (await api('GET', '/openapi.json')).body as { paths: Record<string, Record<string, unknown>> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const never = operations.filter(
    (it) => !(it in REFUSING) && !answers.get(it)?.some((status) => status >= 200 && status < 300),
  )
  assert.deepEqual(never, [], 'no request of these succeeded: see test/servers/schemathesis-seeds.ts')
}

function schemathesis(words: string[], options: object): Promise<{ isClean: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      join(SCHEMATHESIS, 'bin/schemathesis'),
      words,
      { ...options, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ isClean: error === null, output: `${stdout}\n${stderr}` }),
    )
  })
}
