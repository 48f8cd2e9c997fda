// schemathesis, a property-based tester of HTTP interfaces, over what the running program publishes of itself. It takes
// up new operations by itself; only an object that it cannot make needs a word here, in `seed`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { asking } from '../api/ask.ts'
import { form, formHeaders, png } from '../api/form.ts'
import { documentOf, stepsOf } from '../api/steps.ts'
import { SCHEMATHESIS } from '../needs.ts'
import { chooseSeed } from '../random.ts'
import { type Server, startServer } from '../server.ts'

export const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

interface Run {
  role: Role
  /** How many requests schemathesis makes up for an operation, beside those that look for its edges. */
  cases: number
  env?: Record<string, string>
  timeoutMs: number
}

/** Fails with what schemathesis found; answers how often each operation gave which status. */
export async function fuzz(t: TestContext, { role, cases, env = {}, timeoutMs }: Run): Promise<Map<string, number[]>> {
  const server = await startServer({ env: { LOG_LEVEL: 'warn', ...env } })
  const { key, seeds } = await seed(server, role)
  const folder = mkdtempSync(join(tmpdir(), 'pharos-schemathesis-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const calls = join(folder, 'calls')
  const words = [
    ...['--no-color', 'run', `${server.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`],
    ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--mode', 'all', '--continue-on-failure'],
    ...['--max-examples', String(cases), '--seed', String(chooseSeed((line) => t.diagnostic(line))), '--workers', '2'],
    ...['--suppress-health-check', 'all', '--generation-database', 'none'],
  ]
  const { isClean, output } = await run(words, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CALLS: calls,
      SEEDS: JSON.stringify(seeds),
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

/** A run that saw nothing but refusals would have tested the refusals alone. */
export async function allSucceeded(answers: Map<string, number[]>): Promise<void> {
  const { api } = await startServer()
  const { paths } = (await api('GET', '/openapi.json')).body as { paths: Record<string, Record<string, unknown>> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const never = operations.filter((it) => !answers.get(it)?.some((status) => status >= 200 && status < 300))
  assert.deepEqual(never, [], 'no request of these succeeded: see `seed` in test/servers/schemathesis.ts')
}

function run(words: string[], options: object): Promise<{ isClean: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      join(SCHEMATHESIS, 'bin/schemathesis'),
      words,
      { ...options, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => resolve({ isClean: error === null, output: `${stdout}\n${stderr}` }),
    )
  })
}

/** A key of the role, and one object of each kind that schemathesis does not find a way to. */
async function seed(server: Server, role: Role) {
  const ask = asking(server)
  const { ok, push, makeConnector, makePair, makeKey } = stepsOf(ask)
  const key = role === 'admin' ? server.key : await makeKey({ role })
  const cc_pair_id = await makePair('Seeded')
  await push(documentOf('seeded', { id: 'seeded' }), { cc_pair_id })
  const set = { description: '', cc_pair_ids: [cc_pair_id], is_public: true, users: [], groups: [] }
  const id = await ok('POST', '/manage/admin/document-set', { body: { name: 'Seeded', ...set } })
  const connector_id = await makeConnector('Swapped')
  await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  const doomed = await makeConnector('Doomed')
  await ok('PUT', `/manage/admin/connector/${doomed}/credential/0`)
  const secret = { credential_json: {}, admin_public: true, source: 'web' }
  const credential = await ok('POST', '/manage/credential', { body: secret })
  const uploaded = await ask('POST', '/user/file/upload', { key, headers: formHeaders, bytes: form(png) })
  const reader = await makeConnector('Reader', { source: 'file', connector_specific_config: { file_locations: ['a'] } })
  await ok('PUT', `/manage/admin/connector/${reader}/credential/0`)
  return {
    key,
    seeds: {
      parameters: { cc_pair_id, document_id: 'seeded', file_id: uploaded.body.id ?? 'none' },
      paths: {
        'GET /manage/admin/connector/{connector_id}/files': { connector_id: reader },
        'POST /manage/admin/connector/{connector_id}/files/update': { connector_id: reader },
      },
      bodies: {
        'PATCH /manage/admin/document-set': { id, ...set },
        'PUT /manage/admin/credential/swap': { connector_id, new_credential_id: credential.id },
        'PUT /manage/admin/cc-pair/{cc_pair_id}/property': { name: 'refresh_frequency', value: '3600' },
        'POST /admin/persona/upload-image': { file: ['GIF89a'] },
        'POST /manage/admin/deletion-attempt': { connector_id: doomed, credential_id: 0 },
        'PATCH /admin/tool/status': { tool_ids: [1], enabled: true },
      },
    },
  }
}
