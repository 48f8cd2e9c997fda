// Secrets and document texts must not appear in files, logs or errors.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { form, formHeaders, png } from '../api/multipart-form.ts'
import { connectorOf, documentOf, start } from '../api/setup.ts'
import { waitFor } from '../server.ts'

const { server, ask, ok, push, makeKey, search, alterRecord } = await start({ LOG_LEVEL: 'trace' })

/** Searches for the bytes, and for their base64 (at any of three offsets) and hexadecimal forms. */
function disguises(secret: string): Buffer[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((at) => bytes.subarray(at, bytes.length - ((bytes.length - at) % 3)).toString('base64'))
  const hex = bytes.toString('hex')
  return [
    secret,
    ...base64,
    ...base64.map((it) => it.replace(/\+/g, '-').replace(/\//g, '_')),
    hex,
    hex.toUpperCase(),
  ].map((it) => Buffer.from(it))
}

function assertNowhere(secret: string, what: string): void {
  const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  const texts = files.map((it) => [it.name, readFileSync(join(it.parentPath, it.name))] as const)
  for (const [name, bytes] of [...texts, ['the log', Buffer.from(server.output())] as const]) {
    for (const it of disguises(secret)) assert.ok(!bytes.includes(it), `${what} is in ${name} as ${it}`)
  }
}

test('no secret occurs in a file or the log, as bytes, base64 or hexadecimal [O1]', async () => {
  const [token, header] = ['canary-4f1d-of-a-credential', 'canary-77aa-of-a-header']
  const credential = {
    credential_json: { github_access_token: token, deep: [{ token }] },
    admin_public: true,
    source: 'github',
  }
  const { id } = await ok('POST', '/manage/credential', { body: credential })
  await ok('PUT', `/manage/admin/credential/${id}`, { body: { name: 'x', credential_json: { more: token } } })
  const definition = {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather', version: '1' },
    servers: [{ url: 'https://weather.example.com' }],
    paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
  }
  const custom_headers = [{ key: 'X-Token', value: header }]
  await ok('POST', '/admin/tool/custom', { body: { name: 'x', definition, custom_headers, passthrough_auth: false } })
  const key = await makeKey({ role: 'basic', name: 'a key' })
  const { token: pat } = await ok('POST', '/user/pats', { key, body: { name: 'x' } })
  await ok('GET', '/me', { key: pat })
  for (const [secret, what] of [
    [token, 'the value of a credential'],
    [header, 'the value of a header'],
    [key.slice(-40), 'a key'],
    [pat.slice(-40), 'a token'],
    [server.key, 'the key of the operator'],
  ] as const) {
    assertNowhere(secret, what)
  }
})

test('a secret in a file would be found [O1]', async () => {
  await push(documentOf('canary-in-the-open-for-comparison', { id: 'open' }))
  assert.throws(() => assertNowhere('canary-in-the-open', 'the text'), /the text is in/)
})

const CANARY = 'canary0f51'

test('neither the log nor errors of other requests contain document texts, queries or file contents [L10]', async () => {
  const owner = { display_name: CANARY, email: `${CANARY}@example.com` }
  await push({
    id: `id-${CANARY}`,
    semantic_identifier: CANARY,
    title: CANARY,
    sections: [{ text: `text ${CANARY}`, link: `https://example.com/${CANARY}`, heading: CANARY }],
    source: 'web',
    metadata: { [CANARY]: CANARY },
    primary_owners: [owner],
    external_access: { is_public: true, external_user_emails: [`${CANARY}@example.com`], external_user_group_ids: [] },
  })
  assert.equal((await search(CANARY)).total, 1)
  await ask('POST', '/search', { body: { query: CANARY, num_hits: -1 } })
  await ask('POST', '/service-api/ingestion', { body: { document: { title: CANARY } } })
  await ask('POST', '/service-api/ingestion', { bytes: `{"${CANARY}": ` })
  await ok('POST', '/user/file/upload', { headers: formHeaders, bytes: form({ ...png, name: `${CANARY}.png` }) })
  await ask('POST', '/user/file/upload', {
    headers: formHeaders,
    bytes: form({ ...png, content: CANARY }).subarray(0, -30),
  })
  await ask('POST', '/manage/admin/connector', { body: connectorOf('x', { connector_specific_config: { a: CANARY } }) })
  assert.ok(!server.output().includes(CANARY), 'the log holds the canary')
  const stranger = await makeKey({ role: 'basic', scopes: ['ingest'] })
  for (const [method, path] of [
    ['GET', '/service-api/ingestion/other'],
    ['GET', '/service-api/connector-docs/999'],
    ['DELETE', '/service-api/ingestion/other'],
    ['POST', '/search'],
  ] as const) {
    assert.ok(!(await ask(method, path, { key: stranger })).text.includes(CANARY), path)
  }
})

test('markup in names and texts is returned as plain text in JSON [X1]', async () => {
  const markup = '<script>alert(1)</script><img src=x onerror=alert(1)>'
  await push(
    documentOf(`${markup} heliotrope`, {
      id: 'markup',
      semantic_identifier: markup,
      title: markup,
      metadata: { [markup]: markup },
      primary_owners: [{ display_name: markup }],
    }),
  )
  const [hit] = (await search('heliotrope')).results
  assert.deepEqual(
    [hit.semantic_identifier, hit.title, hit.metadata, hit.blurb],
    [markup, markup, { [markup]: markup }, `${markup} heliotrope`],
  )
  assert.doesNotMatch(hit.match_highlights[0], /<(?!\/?mark>)/)
  const { documents } = await ok('POST', '/admin/search', { body: { query: 'heliotrope' } })
  assert.deepEqual(documents[0].primary_owners, [markup])
  assert.doesNotMatch(documents[0].match_highlights[0], /<(?!\/?mark>)/)
  const id = (await ok('POST', '/manage/admin/connector', { body: connectorOf(markup) })).id
  assert.equal((await ok('GET', `/manage/connector/${id}`)).name, markup)
})

test('every failure produces one line of JSON in the log, without control characters [X6]', async () => {
  const nasty = 'a\r\n{"level":60}\u001b[31m\u202e'
  await alterRecord(`update persona set starter_messages = '${nasty}'`)
  const { status, body } = await server.api('GET', `/persona/0?x=${encodeURIComponent(nasty)}`)
  assert.deepEqual([status, (body as { error_code: string }).error_code], [500, 'INTERNAL_ERROR'])
  assert.doesNotMatch(JSON.stringify(body), /level/)
  const lines = await waitFor(() => {
    const all = server.output().split('\n').slice(0, -1)
    return (
      all.some((it) => it.includes('request failed')) &&
      all.filter((it) => !/^(?:Pharos|Administrator|No administrator|http:)/.test(it))
    )
  }, 'a line of the log')
  for (const line of lines) {
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/)
    assert.ok(JSON.parse(line).level < 60)
  }
})
