// Loss of a secret key, and how the service continues without it.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { alterRecord, databaseOf } from '../record.ts'
import { startServer } from '../server.ts'
import { pharos, temporaryFolder } from './pharos.ts'

const LOST = 'the-key-that-will-be-lost-0123456789'
const KEPT = 'the-key-that-is-kept-0123456789'
const TOOL = {
  name: 'Weather',
  passthrough_auth: false,
  custom_headers: [{ key: 'X-Key', value: 'header-of-the-weather' }],
  definition: {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather', version: '1' },
    servers: [{ url: 'https://weather.invalid' }],
    paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
  },
}
const credentialOf = (name: string | null) => ({
  credential_json: { token: `token of ${name}, long enough` },
  admin_public: true,
  source: 'zendesk',
  name,
})

async function open(dataDir: string, env: Record<string, string>) {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'warn', ...env } })
  const ask = createRequester(server)
  return { server, ask, ...createSetup(ask) }
}

test('secrets without their key are listed by name and abandoned on request; everything else works', async () => {
  const dataDir = temporaryFolder()
  const first = await open(dataDir, { SECRET_KEY: LOST })
  const { id: named } = await first.ok('POST', '/manage/credential', { body: credentialOf('Robot') })
  const { id: unnamed } = await first.ok('POST', '/manage/credential', { body: credentialOf(null) })
  const { id: tool } = await first.ok('POST', '/admin/tool/custom', { body: TOOL })
  const url = 'https://hooks.invalid/'
  const { id: webhook } = await first.ok('POST', '/admin/webhook', { body: { url } })
  const provider = { name: 'Models', provider: 'openai', api_key: 'key-of-the-models', model_configurations: [] }
  const { id: models } = await first.ok('PUT', '/admin/llm/provider?is_creation=true', { body: provider })
  const [{ kid }] = (await first.ok('GET', '/admin/secret-key')).keys
  await first.push({ id: 'doc', semantic_identifier: 'A note', sections: [{ text: 'larkspur' }], metadata: {} })
  const database = await databaseOf(dataDir)
  const run = (env: Record<string, string>, ...words: string[]) =>
    pharos(words, { dataDir, env: { PORT: '0', ...database, ...env } })

  const busy = await run({}, 'secrets', '--give-up')
  assert.equal(busy.code, 75, 'not while the service runs')
  await first.server.stop()
  const whole = await run({ SECRET_KEY: LOST }, 'secrets')
  assert.deepEqual([whole.code, whole.out], [0, 'The available keys decrypt every secret.\n'])

  const refused = await run({ SECRET_KEY: KEPT })
  assert.equal(refused.code, 78)
  assert.match(
    refused.error,
    new RegExp(`contains 5 secrets .* key ${kid},.* "pharos secrets" lists the affected secrets`),
  )

  const lost = [
    { kind: 'credential', id: named, name: 'Robot', kid },
    { kind: 'credential', id: unnamed, name: 'zendesk', kid },
    { kind: 'tool', id: tool, name: 'Weather', kid },
    { kind: 'webhook', id: webhook, name: url, kid },
    { kind: 'llm_provider', id: models, name: 'Models', kid },
  ]
  const listed = await run({}, 'secrets', '--json')
  assert.equal(listed.code, 65)
  assert.deepEqual(JSON.parse(listed.out), { lost, given_up: false })
  assert.ok(!existsSync(join(dataDir, 'secret-key')), 'listing creates no key')
  assert.match((await run({}, 'secrets')).out, /credential +\d+ +Robot +\S+\n.*--give-up/s)

  const done = await run({}, 'secrets', '--give-up', '--json')
  assert.deepEqual([done.code, JSON.parse(done.out)], [0, { lost, given_up: true }])
  assert.ok(existsSync(join(dataDir, 'secret-key')))
  assert.match((await run({}, 'secrets', '--give-up')).out, /decrypt every secret/)

  const again = await open(dataDir, {})
  assert.deepEqual(await again.found('larkspur'), ['doc'])
  const credentials: Record<string, unknown>[] = await again.ok('GET', '/manage/credential')
  assert.deepEqual(
    credentials.slice(1).map(({ name, credential_json }) => [name, credential_json]),
    [
      ['Robot', {}],
      [null, {}],
    ],
  )
  const [weather] = await again.ok('GET', '/tool/openapi')
  assert.deepEqual([weather.id, weather.custom_headers, weather.enabled], [tool, [], false])
  const [hook] = await again.ok('GET', '/admin/webhook')
  assert.deepEqual([hook.id, hook.status], [webhook, 'paused'])
  assert.match(hook.reason, /^The secret is lost\. To continue, PATCH/)
  const [llm] = (await again.ok('GET', '/admin/llm/provider')).providers
  assert.deepEqual([llm.id, llm.api_key, llm.needs_secrets], [models, null, true])
  const acts: Record<string, unknown>[] = await again.ok('GET', '/admin/audit?actor=system')
  assert.deepEqual(
    acts.map(({ action, object_id, outcome }) => [action, object_id, outcome]).reverse(),
    lost.map(({ kind, id }) => [`${kind}.give_up_secret`, String(id), 'success']),
  )
  const { broken_at } = await again.ok('GET', '/admin/audit/check')
  assert.equal(broken_at, null)
})

test('a damaged secret is abandoned alone; what another key opens stays', async () => {
  const dataDir = temporaryFolder()
  const { server, ok } = await open(dataDir, {})
  const { id: whole } = await ok('POST', '/manage/credential', { body: credentialOf('Whole') })
  const { id: damaged } = await ok('POST', '/manage/credential', { body: credentialOf('Damaged') })
  await server.stop()
  await alterRecord(
    dataDir,
    `update credential set credential_json = (select credential_json from credential where id = ${whole}) where id = ${damaged}`,
  )
  const env = await databaseOf(dataDir)
  const { out } = await pharos(['secrets', '--give-up', '--json'], { dataDir, env })
  assert.deepEqual(
    JSON.parse(out).lost.map((it: { id: number }) => it.id),
    [damaged],
  )
  const again = await open(dataDir, {})
  const credentials: Record<string, unknown>[] = await again.ok('GET', '/manage/credential')
  assert.deepEqual(
    credentials.slice(1).map((it) => Object.keys(it.credential_json as object)),
    [['token'], []],
  )
})

test('listing secrets does not create a record', async () => {
  const dataDir = join(temporaryFolder(), 'nothing')
  const { code, error } = await pharos(['secrets'], { dataDir })
  assert.equal(code, 66)
  assert.match(error, /There is no database at/)
  assert.ok(!existsSync(dataDir))
})
