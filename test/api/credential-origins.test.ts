// A credential is sent only to origins to which it is bound. The attacker is a curator with their own server, which must
// not receive a connection.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openConfluence } from '../connectors/confluence-server.ts'
import { startWithConnectors } from '../connectors/setup.ts'
import { connectorOf } from './setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-origins-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
const service = await startWithConnectors({}, { dataDir })
const { server, ask, ok, makeKey, alterRecord, ended, until } = service
const CONNECTOR = '/manage/admin/connector'

/** Counts connections and records what they send. As a mail server it speaks first. */
async function openAttacker(greeting = ''): Promise<{ port: number; connections: () => number; heard: () => string }> {
  let connections = 0
  let heard = ''
  const listener: Server = createServer((socket: Socket) => {
    connections += 1
    socket.on('error', () => {})
    if (greeting !== '') socket.write(greeting)
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
      if (greeting === '')
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
      else socket.end('a1 NO no\r\n')
    })
  })
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  after(() => void listener.close())
  const { port } = listener.address() as { port: number }
  return { port, connections: () => connections, heard: () => heard }
}

const http = await openAttacker()
const mail = await openAttacker('* OK hello\r\n')
const connections = () => http.connections() + mail.connections()
const heard = () => http.heard() + mail.heard()
const ATTACKER = `http://127.0.0.1:${http.port}`
/** A host name that does not resolve: the source cannot be checked yet, and the pair is created. */
const HOME = 'http://home.invalid'

interface Case {
  credential: Record<string, string>
  at: (base: string) => Record<string, unknown>
  /** The part of it that an owner's own server receives. */
  seen: string
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

const CASES: Record<string, Case> = {
  confluence: {
    credential: { confluence_username: 'svc', confluence_access_token: 'SUPERSECRET' },
    at: (base) => ({ wiki_base: base, is_cloud: true }),
    seen: base64('svc:SUPERSECRET'),
  },
  github: {
    credential: { github_access_token: 'SUPERSECRET' },
    at: (base) => ({ repo_owner: 'them', github_base_url: `${base}/api/v3` }),
    seen: 'Bearer SUPERSECRET',
  },
  jira: {
    credential: { jira_user_email: 'svc@x.example', jira_api_token: 'SUPERSECRET' },
    at: (base) => ({ jira_base_url: base }),
    seen: base64('svc@x.example:SUPERSECRET'),
  },
  ticket_tracker: {
    credential: { jira_api_token: 'SUPERSECRET' },
    at: (base) => ({ tracker_base_url: base }),
    seen: 'Bearer SUPERSECRET',
  },
  redmine: {
    credential: { redmine_api_key: 'SUPERSECRET' },
    at: (base) => ({ base_url: base }),
    seen: 'SUPERSECRET',
  },
  git: {
    credential: { git_access_token: 'SUPERSECRET' },
    at: (base) => ({ repository_url: `${base}/team/repository.git` }),
    seen: base64('git:SUPERSECRET'),
  },
  s3: {
    credential: { aws_access_key_id: 'SUPERSECRET', aws_secret_access_key: 'x', aws_session_token: 'SESSION' },
    at: (base) => ({ bucket_name: 'b', region_name: 'eu-west-1', endpoint_url: base }),
    seen: 'SESSION',
  },
  mediawiki: {
    credential: { mediawiki_username: 'svc', mediawiki_password: 'SUPERSECRET' },
    at: (base) => ({ hostname: base }),
    seen: 'GET /w/api.php',
  },
  imap: {
    credential: { imap_username: 'svc', imap_password: 'SUPERSECRET' },
    at: (base) => ({
      host: new URL(base).hostname,
      port: base === ATTACKER ? mail.port : 143,
      is_encrypted: false,
    }),
    seen: 'SUPERSECRET',
  },
}

let curator = ''
before(async () => {
  curator = await makeKey({ role: 'curator' })
})

let made = 0
const connectorAt = (source: string, base: string) =>
  connectorOf(`C${++made}`, {
    source,
    connector_specific_config: CASES[source]!.at(base),
    refresh_freq: null,
    prune_freq: null,
  })
const makeCredential = async (source: string, more: object = {}, key = server.key): Promise<number> => {
  const body = { credential_json: CASES[source]!.credential, admin_public: true, source, ...more }
  return (await ok('POST', '/manage/credential', { body, key })).id
}
const makeConnector = async (source: string, base: string, key = server.key): Promise<number> =>
  (await ok('POST', CONNECTOR, { body: connectorAt(source, base), key })).id
const pairAt = async (source: string, base: string, credential: number, key = server.key, body: object = {}) => {
  const connector = await makeConnector(source, base, key)
  const { data } = await ok('PUT', `${CONNECTOR}/${connector}/credential/${credential}`, { key, body })
  return { connector, pair: data as number }
}
const previewOf = (source: string, base: string, credential_id: number) => {
  const { connector_specific_config } = connectorAt(source, base)
  return { source, connector_specific_config, credential_id }
}
const originsOf = async (id: number): Promise<string[]> => (await ok('GET', `/manage/credential/${id}`)).allowed_origins

/** An attempt of the curator: rejected without a connection, with an error that names who may allow it. */
async function refused(method: string, path: string, body: unknown): Promise<void> {
  const before = connections()
  const reply = await ask(method, path, { key: curator, ...(body !== null && { body }) })
  assert.deepEqual([reply.status, reply.body.error_code], [403, 'CREDENTIAL_ORIGIN_REFUSED'], reply.text)
  assert.match(
    reply.body.detail,
    /Its owner or an administrator can allow this: PUT \/manage\/credential\/\d+\/allowed-origins/,
  )
  assert.equal(connections(), before)
  assert.ok(!heard().includes('canary'))
}

for (const [source, { seen }] of Object.entries(CASES)) {
  test(`${source}: users who cannot change a shared credential cannot redirect it`, async () => {
    const credential = await makeCredential(source)
    const home = await pairAt(source, HOME, credential)
    await refused('POST', `${CONNECTOR}/preview`, previewOf(source, ATTACKER, credential))
    const theirs = await makeConnector(source, ATTACKER, curator)
    await refused('PUT', `${CONNECTOR}/${theirs}/credential/${credential}`, {})
    await refused('PUT', `/manage/connector/${theirs}/credential/${credential}`, {})
    await refused('PATCH', `${CONNECTOR}/${home.connector}`, connectorAt(source, ATTACKER))
    // Existing bindings keep working for everyone.
    await pairAt(source, HOME, credential, curator)
    await ok('PATCH', `${CONNECTOR}/${home.connector}`, { body: connectorAt(source, HOME), key: curator })
    await ok('POST', `${CONNECTOR}/preview`, { body: previewOf(source, HOME, credential), key: curator })
  })

  test(`${source}: a private credential cannot be redirected through the connector that uses it`, async () => {
    const credential = await makeCredential(source, { admin_public: false })
    const { connector, pair } = await pairAt(source, HOME, credential)
    await refused('PATCH', `${CONNECTOR}/${connector}`, connectorAt(source, ATTACKER))
    const before = connections()
    await ended(pair)
    await ok('POST', `${CONNECTOR}/run-once`, { body: { connector_id: connector }, key: curator })
    await ended(pair, 2)
    assert.equal(connections(), before)
  })

  test(`${source}: swapping in another user's credential cannot redirect it`, async () => {
    const shared = await makeCredential(source)
    const theirs = await makeConnector(source, ATTACKER, curator)
    const swap = { new_credential_id: shared, connector_id: theirs, access_type: 'public' }
    await refused('PUT', '/manage/admin/credential/swap', swap)
  })

  test(`${source}: the owner and administrators may redirect it`, async () => {
    const credential = await makeCredential(source, { admin_public: false }, curator)
    for (const key of [curator, server.key]) {
      const before = heard().length
      await ok('POST', `${CONNECTOR}/preview`, { body: previewOf(source, ATTACKER, credential), key })
      assert.ok(heard().slice(before).includes(seen), heard().slice(before))
    }
    assert.deepEqual(await originsOf(credential), [], 'a preview keeps nothing')
  })
}

test('a run sends nothing to an unbound address, however the connector got it', async () => {
  const credential = await makeCredential('confluence', { admin_public: false })
  const { connector, pair } = await pairAt('confluence', HOME, credential)
  await ended(pair)
  const before = connections()
  const config = JSON.stringify(CASES.confluence!.at(ATTACKER))
  await alterRecord(`update connector set connector_specific_config = '${config}' where id = ${connector}`)
  await ok('POST', `${CONNECTOR}/run-once`, { body: { connector_id: connector }, key: curator })
  const { error_msg } = await ended(pair, 2)
  assert.match(
    error_msg,
    /^allowed_origins: The credential may not be sent to http:\/\/127\.0\.0\.1:\d+\. Its owner or/,
  )
  assert.equal(connections(), before)
})

test("the owner's first use binds a credential, and others may then use it there", async () => {
  const wiki = await openConfluence('server')
  const origin = new URL(wiki.base).origin
  const body = { credential_json: { confluence_access_token: 'token' }, admin_public: true, source: 'confluence' }
  const { id } = await ok('POST', '/manage/credential', { body })
  assert.deepEqual(await originsOf(id), [])
  const connector = connectorOf('First use', {
    source: 'confluence',
    connector_specific_config: { wiki_base: wiki.base, is_cloud: false },
  })
  const first = (await ok('POST', CONNECTOR, { body: connector })).id
  await refused('PUT', `${CONNECTOR}/${first}/credential/${id}`, {})
  await ok('PUT', `${CONNECTOR}/${first}/credential/${id}`, { body: {} })
  assert.deepEqual(await originsOf(id), [origin])
  const second = (await ok('POST', CONNECTOR, { body: { ...connector, name: 'Second use' }, key: curator })).id
  const { data } = await ok('PUT', `${CONNECTOR}/${second}/credential/${id}`, { body: {}, key: curator })
  assert.equal((await ended(data)).status, 'success')
})

test('the owner can list the origins of a credential', async () => {
  const allowed_origins = [`HTTP://HOME.invalid:80/`, 'imaps://mail.example:993', 'https://[::1]:8443']
  const id = await makeCredential('confluence', { allowed_origins }, curator)
  assert.deepEqual(await originsOf(id), ['http://home.invalid', 'imaps://mail.example', 'https://[::1]:8443'])
  const path = `/manage/credential/${id}/allowed-origins`
  await ok('PUT', path, { key: curator, body: { allowed_origins: [ATTACKER, ATTACKER] } })
  assert.deepEqual(await originsOf(id), [ATTACKER])
  const put = { name: 'x', credential_json: {}, allowed_origins: ['https://a.example'] }
  await ok('PUT', `/manage/admin/credential/${id}`, { key: curator, body: put })
  assert.deepEqual(await originsOf(id), ['https://a.example'])
  await ok('PUT', `/manage/admin/credential/${id}`, { key: curator, body: { name: 'x', credential_json: {} } })
  assert.deepEqual(await originsOf(id), ['https://a.example'], 'absent fields keep their values')
  const other = await makeKey({ role: 'curator' })
  assert.equal((await ask('PUT', path, { key: other, body: { allowed_origins: [ATTACKER] } })).status, 403)
  for (const wrong of [
    'a.example',
    'https://a.example/path',
    'https://u@a.example',
    'ftp://a.example',
    'https://*',
    '',
  ]) {
    const reply = await ask('PUT', path, { body: { allowed_origins: [wrong] } })
    assert.deepEqual([reply.status, reply.body.detail?.[0].loc], [422, ['body', 'allowed_origins', 0]], wrong)
  }
})

test('a shared credential can be used at the origins that its owner listed', async () => {
  const id = await makeCredential('redmine', { allowed_origins: [HOME] })
  await pairAt('redmine', HOME, id, curator)
  await refused('POST', `${CONNECTOR}/preview`, previewOf('redmine', ATTACKER, id))
})

test('the credential of a pair with synced permissions can be replaced only by users who may change it', async () => {
  const id = await makeCredential('confluence', { admin_public: false })
  const { connector } = await pairAt('confluence', HOME, id, server.key, { access_type: 'sync' })
  const own = await makeCredential('confluence', { allowed_origins: [HOME] }, curator)
  for (const new_credential_id of [own, 0]) {
    const body = { new_credential_id, connector_id: connector, access_type: 'sync' }
    const reply = await ask('PUT', '/manage/admin/credential/swap', { key: curator, body })
    assert.deepEqual([reply.status, reply.body.error_code], [403, 'CREDENTIAL_NOT_YOURS'], reply.text)
  }
  const body = { new_credential_id: own, connector_id: connector, access_type: 'sync' }
  await ok('PUT', '/manage/admin/credential/swap', { body })
})

test('a preview is audited with its source, addresses and credential', async () => {
  const id = await makeCredential('confluence')
  const entry = async (key: string, request: string) => {
    const headers = { 'x-request-id': request }
    await ask('POST', `${CONNECTOR}/preview`, { body: previewOf('confluence', ATTACKER, id), key, headers })
    // Refusals are listed with a short delay.
    const [found] = await until(async () => {
      const entries = await ok('GET', `/admin/audit?request_id=${request}`)
      return entries.length > 0 && entries
    }, request)
    return [found.action, found.object_id, found.outcome, found.error_code]
  }
  const object = `confluence, ${ATTACKER}, credential ${id}`
  assert.deepEqual(await entry(server.key, 'preview-1'), ['connector.preview', object, 'success', null])
  const refusal = ['connector.preview', object, 'refused', 'CREDENTIAL_ORIGIN_REFUSED']
  // The same rejection of one key is audited once a minute.
  assert.deepEqual(await entry(await makeKey({ role: 'curator' }), 'preview-2'), refusal)
})

test('an upgrade binds credentials to their connectors, and their pairs keep running', async () => {
  const wiki = await openConfluence('server')
  const origin = new URL(wiki.base).origin
  const body = { credential_json: { confluence_access_token: 'token' }, admin_public: false, source: 'confluence' }
  const { id } = await ok('POST', '/manage/credential', { body })
  const unused = await makeCredential('redmine')
  const connector_specific_config = { wiki_base: wiki.base, is_cloud: false }
  const connector = connectorOf('Upgraded', { source: 'confluence', connector_specific_config })
  const { id: connectorId } = await ok('POST', CONNECTOR, { body: connector })
  const { data: pair } = await ok('PUT', `${CONNECTOR}/${connectorId}/credential/${id}`, { body: {} })
  await ended(pair)
  const withMail = await makeCredential('imap')
  await pairAt('imap', HOME, withMail)
  await server.stop()
  await alterRecord('update credential set allowed_origins = null')
  const after = await startWithConnectors({}, { dataDir })
  const shown = async (it: number) => (await after.ok('GET', `/manage/credential/${it}`)).allowed_origins
  assert.deepEqual(await shown(id), [origin])
  assert.deepEqual(await shown(unused), [])
  assert.deepEqual(await shown(withMail), ['imap://home.invalid'])
  assert.equal((await after.runAgain(pair)).status, 'success')
  const moved = connectorOf('Upgraded', {
    source: 'confluence',
    connector_specific_config: { wiki_base: ATTACKER, is_cloud: false },
  })
  const reply = await after.ask('PATCH', `${CONNECTOR}/${connectorId}`, { key: curator, body: moved })
  assert.deepEqual([reply.status, reply.body.error_code], [403, 'CREDENTIAL_ORIGIN_REFUSED'])
})
