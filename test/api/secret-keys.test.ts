// Secret keys: rotation while the service runs, deletion of old keys, and a wrong key at the start.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { alterRecord, databaseOf } from '../record.ts'
import { COMPILE_CACHE, startServer, waitFor } from '../server.ts'
import { createRequester, type Requester } from './request.ts'

const KEYS = '/admin/secret-key'
const ROTATE = '/admin/secret-key/rotate'
const FIRST = 'canary-first-key-of-the-operator'
const SECOND = 'canary-second-key-of-the-operator'

const folders: string[] = []
after(() => {
  for (const it of folders) rmSync(it, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-secret-keys-'))
  folders.push(folder)
  return folder
}

async function open(dataDir: string, env: Record<string, string> = {}) {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'trace', ...env } })
  return { server, ask: createRequester(server), path: join(dataDir, 'secret-key') }
}

/** The mask shows six characters at each end, so a wrong secret would be visible. */
const tokenOf = (at: number) => `${String(at).padStart(4, '0')}-canary-token-${String(at).padStart(4, '0')}`
const maskOf = (at: number) => `${String(at).padStart(4, '0')}...${String(at).padStart(4, '0')}`

async function storeSecrets(ask: Requester, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const body = { credential_json: { token: tokenOf(at) }, admin_public: true, source: 'zendesk', name: `${at}` }
    assert.equal((await ask('POST', '/manage/credential', { body })).status, 200)
    const tool = { ...TOOL, custom_headers: [{ key: 'X-Key', value: tokenOf(at) }] }
    assert.equal((await ask('POST', '/admin/tool/custom', { body: tool })).status, 200)
  }
}

const TOOL = {
  name: 'Weather',
  passthrough_auth: false,
  definition: {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather', version: '1' },
    servers: [{ url: 'https://weather.invalid' }],
    paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
  },
}

/** Asserts that every secret is readable and equal to the stored one. */
async function assertReadable(ask: Requester, count: number): Promise<void> {
  const credentials = (await ask('GET', '/manage/credential')).body.slice(1)
  const tools = (await ask('GET', '/tool/openapi')).body
  const masks = Array.from({ length: count }, (_, at) => maskOf(at))
  assert.deepEqual(
    credentials.map((it: { credential_json: { token: string } }) => it.credential_json.token),
    masks,
  )
  assert.deepEqual(
    tools.map((it: { custom_headers: { value: string }[] }) => it.custom_headers[0]!.value),
    masks,
  )
}

const stateOf = async (ask: Requester) => (await ask('GET', KEYS)).body
const settled = (ask: Requester) =>
  waitFor(async () => {
    const state = await stateOf(ask)
    return !state.is_rotating && state
  }, 'the secrets to be sealed with the newest key')

/** Starts the program where it must refuse to start, and returns its output. */
async function refusedStart(dataDir: string, env: Record<string, string> = {}): Promise<string> {
  const words = ['--disable-warning=ExperimentalWarning', 'src/main.ts']
  const settings = { PORT: '0', DATA_DIR: dataDir, ...(await databaseOf(dataDir)), ...env }
  const all = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings }
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env: all, encoding: 'utf8', timeout: 60_000 })
  assert.deepEqual([status, stdout], [78, ''], stderr)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
  assert.ok(!stderr.includes('canary'), stderr)
  return stderr.trim()
}

test('a secret key is generated at the first start, readable by its owner only, and kept', async () => {
  const dataDir = newFolder()
  const { ask, path, server } = await open(dataDir)
  const before = readFileSync(path, 'utf8')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const { keys, is_rotating, unreadable } = await stateOf(ask)
  assert.deepEqual([is_rotating, unreadable, keys.length], [false, 0, 1])
  const [{ kid, ...key }] = keys
  assert.deepEqual(key, { origin: 'file', is_newest: true, secrets: 0 })
  assert.match(kid, /^[\w-]{8}$/)
  await server.stop()
  const again = await open(dataDir)
  assert.equal(readFileSync(path, 'utf8'), before)
  assert.equal((await stateOf(again.ask)).keys[0].kid, kid)
})

test('a rotation re-encrypts all secrets while the service runs, and then the old key can be deleted', async () => {
  const { ask, path, server } = await open(newFolder())
  await storeSecrets(ask, 40)
  const [{ kid: old }] = (await stateOf(ask)).keys
  assert.equal(
    (await ask('DELETE', `${KEYS}/${old}`)).body.detail,
    `Secret key ${old} cannot be removed: it is the newest.`,
  )

  const { status, body } = await ask('POST', ROTATE)
  assert.deepEqual([status, body.is_rotating, body.keys.length], [200, true, 2])
  let isDone = false
  const done = settled(ask).finally(() => {
    isDone = true
  })
  let asked = 0
  do {
    await assertReadable(ask, 40)
    asked++
  } while (!isDone)
  const { keys } = await done
  assert.ok(asked > 0)
  assert.deepEqual(
    keys.map(({ kid: _, ...it }: { kid: string }) => it),
    [
      { origin: 'file', is_newest: false, secrets: 0 },
      { origin: 'file', is_newest: true, secrets: 80 },
    ],
  )
  assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, 2)
  assert.deepEqual((await ask('DELETE', `${KEYS}/${old}`)).body.keys, [keys[1]])
  const [entry] = (await ask('GET', '/admin/audit?action=secret_key.remove')).body
  assert.deepEqual([entry.object_id, entry.outcome], [old, 'success'])
  assert.equal(readFileSync(path, 'utf8').trim().split('\n').length, 1)
  await assertReadable(ask, 40)
  await server.stop()
  await assertReadable((await open(server.dataDir)).ask, 40)
})

test('neither a key in use nor an unknown key can be deleted', async () => {
  const { ask, server } = await open(newFolder())
  await storeSecrets(ask, 1)
  const [{ kid: old }] = (await stateOf(ask)).keys
  await ask('POST', ROTATE)
  const [, { kid }] = (await settled(ask)).keys
  // As if another program with only the old key had sealed a secret meanwhile.
  await alterRecord(server.dataDir, `update tool set custom_headers = 'v1.${old}.x.y' where custom_headers is not null`)
  const inUse = await ask('DELETE', `${KEYS}/${old}`)
  assert.deepEqual(
    [inUse.status, inUse.body],
    [
      409,
      { error_code: 'SECRET_KEY_IN_USE', detail: `Secret key ${old} cannot be removed: 1 secrets are sealed with it.` },
    ],
  )
  assert.equal((await ask('DELETE', `${KEYS}/${kid}`)).body.error_code, 'SECRET_KEY_IN_USE')
  const missing = await ask('DELETE', `${KEYS}/nobody`)
  assert.deepEqual([missing.status, missing.body.error_code], [404, 'SECRET_KEY_NOT_FOUND'])
})

test('an undecryptable secret is left unchanged and counted, and blocks nothing', async () => {
  const { ask, server } = await open(newFolder())
  await storeSecrets(ask, 3)
  const [{ kid }] = (await stateOf(ask)).keys
  const damaged = `v1.${kid}.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`
  const last = "(select max(id) from credential where credential_json like 'v1.%')"
  await alterRecord(server.dataDir, `update credential set credential_json = '${damaged}' where id = ${last}`)
  await ask('POST', ROTATE)
  const { keys, unreadable } = await settled(ask)
  assert.equal(unreadable, 1)
  assert.deepEqual(
    keys.map((it: { secrets: number }) => it.secrets),
    [1, 5],
  )
})

test('with a new SECRET_KEY and the former as SECRET_KEY_PREVIOUS, secrets are re-encrypted automatically', async () => {
  const dataDir = newFolder()
  const first = await open(dataDir, { SECRET_KEY: FIRST })
  await storeSecrets(first.ask, 30)
  const refused = await first.ask('POST', ROTATE)
  assert.deepEqual(
    [refused.status, refused.body],
    [
      409,
      {
        error_code: 'SECRET_KEY_FROM_ENVIRONMENT',
        detail:
          'This secret key comes from the environment: start the service with a new SECRET_KEY and the present one as SECRET_KEY_PREVIOUS; secrets are then resealed automatically.',
      },
    ],
  )
  await first.server.stop()
  const second = await open(dataDir, { SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: FIRST })
  await assertReadable(second.ask, 30)
  const { keys } = await settled(second.ask)
  assert.deepEqual(
    keys.map(({ kid: _, ...it }: { kid: string }) => it),
    [
      { origin: 'SECRET_KEY_PREVIOUS', is_newest: false, secrets: 0 },
      { origin: 'SECRET_KEY', is_newest: true, secrets: 60 },
    ],
  )
  const { body } = await second.ask('DELETE', `${KEYS}/${keys[0].kid}`)
  assert.equal(body.error_code, 'SECRET_KEY_FROM_ENVIRONMENT')
  await second.server.stop()
  const third = await open(dataDir, { SECRET_KEY: SECOND })
  await assertReadable(third.ask, 30)
  assert.ok(!readdirSync(dataDir).includes('secret-key'), 'no key was made where one is given')
})

test('a key can be moved from the file to SECRET_KEY and back', async () => {
  const dataDir = newFolder()
  const kept = await open(dataDir)
  await storeSecrets(kept.ask, 2)
  await kept.server.stop()
  const given = await open(dataDir, { SECRET_KEY: FIRST })
  const { keys } = await settled(given.ask)
  assert.deepEqual(
    keys.map((it: { origin: string; secrets: number }) => [it.origin, it.secrets]),
    [
      ['file', 0],
      ['SECRET_KEY', 4],
    ],
  )
  await given.server.stop()
  const back = await open(dataDir, { SECRET_KEY_PREVIOUS: FIRST })
  await settled(back.ask)
  await back.server.stop()
  await assertReadable((await open(dataDir)).ask, 2)
})

test('a wrong or missing key stops the start with a one-line remedy, and the right key starts it again', async () => {
  const dataDir = newFolder()
  const { ask, server, path } = await open(dataDir, { SECRET_KEY: FIRST })
  await storeSecrets(ask, 1)
  const [{ kid }] = (await stateOf(ask)).keys
  await server.stop()
  const said = `The database contains 2 secrets encrypted with the key ${kid}, which is missing. Start with that key as SECRET_KEY_PREVIOUS, or as a line of ${path}. If the key is lost, "pharos secrets" lists the affected secrets and can discard them.`
  assert.equal(await refusedStart(dataDir, { SECRET_KEY: SECOND }), said)
  assert.equal(await refusedStart(dataDir, { SECRET_KEY: `${FIRST} ` }), said, 'no key is made from another one')
  assert.equal(await refusedStart(dataDir), said)
  assert.ok(!readdirSync(dataDir).includes('secret-key'), 'no new key was made beside secrets of another one')
  writeFileSync(path, `${SECOND}\n`, { mode: 0o600 })
  assert.equal(await refusedStart(dataDir), said)
  writeFileSync(path, `${SECOND}\nshort\n`)
  assert.equal(await refusedStart(dataDir), `${path} must contain one key per line, each of at least 20 characters.`)
  writeFileSync(path, `${FIRST}\n${SECOND}\n`)
  const again = await open(dataDir)
  await assertReadable(again.ask, 1)
  assert.equal((await settled(again.ask)).keys[1].secrets, 2, 'the last line is the newest key')
})

test('no secret and no key occurs in the record, the log or a response', async () => {
  const dataDir = newFolder()
  const env = { SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: FIRST, ADMIN_API_KEY: 'canary-administrator-key-0123' }
  const { ask, server } = await open(dataDir, env)
  const answers: string[] = []
  const seen: Requester = async (...question) => {
    const reply = await ask(...question)
    answers.push(reply.text)
    return reply
  }
  await storeSecrets(ask, 2)
  const bodies = [{ credential_json: 'canary-wrong-type' }, { credential_json: { token: tokenOf(7) } }]
  for (const body of bodies) await seen('POST', '/manage/credential', { body })
  for (const path of ['/manage/credential', '/tool', '/tool/openapi', KEYS, '/settings', '/me']) await seen('GET', path)
  await seen('POST', ROTATE)
  await seen('GET', '/me', { key: 'canary-wrong-key-0123456789' })
  await seen('GET', '/me?key=canary-in-the-query')
  await server.stop()
  const texts = { log: server.output(), answers: answers.join('\n') }
  for (const [what, text] of Object.entries(texts)) assert.doesNotMatch(text, /canary/, what)
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  assert.ok(files.length > 2)
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name))
    for (const it of FORMS) assert.ok(!bytes.includes(it), `${name} holds a secret`)
  }
})

const FORMS = ['canary', Buffer.from(tokenOf(1)).toString('base64').slice(0, 20), Buffer.from('canary').toString('hex')]
