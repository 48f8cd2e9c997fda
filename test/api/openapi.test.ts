import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from './setup.ts'

const { ask, ok } = await start()
const description = await ok('GET', '/openapi.json', { key: null })

test('the interface is described as OpenAPI 3.1.0, version Development', () => {
  assert.deepEqual([description.openapi, description.info.version], ['3.1.0', 'Development'])
})

test('the description is the same under /api', async () => {
  assert.deepEqual(await ok('GET', '/api/openapi.json', { key: null }), description)
})

const SEED = [
  'put /admin/tool/custom/{tool_id}',
  'post /manage/admin/connector',
  'put /manage/admin/connector/{connector_id}/credential/{credential_id}',
  'post /service-api/ingestion',
  'post /user/file/upload',
]
for (const operation of SEED) {
  const [method, path] = operation.split(' ') as [string, string]
  test(`${operation} is described, with its 200 and its 422`, () => {
    const { responses, operationId, summary } = description.paths[path][method]
    assert.ok(responses['200'].content['application/json'].schema)
    assert.deepEqual(responses['422'].content['application/json'].schema, {
      $ref: '#/components/schemas/HTTPValidationError',
    })
    assert.match(operationId, /^[a-zA-Z]+$/)
    assert.ok(summary.length > 3)
  })
}

test('get /manage/admin/credential is described, with its 200', () => {
  const { responses } = description.paths['/manage/admin/credential'].get
  assert.equal(responses['200'].content['application/json'].schema.type, 'array')
})

test('every operation requires the bearer key, except public ones', () => {
  assert.deepEqual(description.security, [{ bearer: [] }])
  assert.deepEqual(description.components.securitySchemes, { bearer: { type: 'http', scheme: 'bearer' } })
  const open = Object.entries<Record<string, { security?: unknown[] }>>(description.paths)
    .filter(([, methods]) => Object.values(methods).some((it) => it.security?.length === 0))
    .map(([path]) => path)
  assert.deepEqual(open.sort(), [
    ...[
      '/auth/forgot-password',
      '/auth/ldap/login',
      '/auth/link',
      '/auth/login',
      '/auth/oidc/authorize',
      '/auth/oidc/backchannel-logout/{slug}',
    ],
    ...['/auth/passkey/login', '/auth/passkey/options', '/auth/providers'],
    ...['/auth/register', '/auth/registration-link', '/auth/reset-password'],
    ...['/auth/saml/{slug}/authorize', '/auth/saml/{slug}/metadata', '/auth/session', '/auth/type'],
    ...['/health', '/health/ready', '/version'],
  ])
})

test('the body of an association is optional, and that of a tool update is not', () => {
  const body = (path: string) => description.paths[path].put.requestBody.required
  assert.equal(body('/manage/admin/connector/{connector_id}/credential/{credential_id}'), false)
  assert.equal(body('/admin/tool/custom/{tool_id}'), true)
})

const { schemas } = description.components

test('ToolSnapshot requires what the seed requires', () => {
  assert.deepEqual(schemas.ToolSnapshot.required, [
    'id',
    'name',
    'description',
    'definition',
    'display_name',
    'in_code_tool_id',
    'custom_headers',
    'passthrough_auth',
  ])
})

test('ToolSnapshot has the defaults of the seed', () => {
  const { enabled, chat_selectable, agent_creation_selectable, default_enabled } = schemas.ToolSnapshot.properties
  assert.deepEqual(
    [enabled.default, chat_selectable.default, agent_creation_selectable.default, default_enabled.default],
    [true, true, true, false],
  )
})

test('CustomToolUpdate has the fields of the seed and three of its own, and requires none', () => {
  assert.deepEqual(Object.keys(schemas.CustomToolUpdate.properties), [
    'name',
    'description',
    'definition',
    'custom_headers',
    'passthrough_auth',
    'oauth_config_id',
    'requires_confirmation',
    'is_public',
    'expected_version',
  ])
  assert.equal(schemas.CustomToolUpdate.required, undefined)
})

test('Header requires key and value', () => assert.deepEqual(schemas.Header.required, ['key', 'value']))

test('ValidationError requires loc, msg and type', () => {
  assert.deepEqual(schemas.ValidationError.required, ['loc', 'msg', 'type'])
})

test('HTTPValidationError has the optional field detail', () => {
  assert.equal(schemas.HTTPValidationError.required, undefined)
  assert.deepEqual(schemas.HTTPValidationError.properties.detail, {
    type: 'array',
    items: { $ref: '#/components/schemas/ValidationError' },
  })
})

test('every reference of the description resolves', () => {
  const references = JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)
  for (const [, reference] of references) {
    const target = reference!
      .split('/')
      .slice(1)
      .reduce((it, key) => it?.[key], description)
    assert.ok(target, reference)
  }
})

test('no two operations have one operationId', () => {
  const ids = Object.values<Record<string, { operationId: string }>>(description.paths).flatMap((methods) =>
    Object.values(methods).map((it) => it.operationId),
  )
  assert.deepEqual(ids, [...new Set(ids)])
})

test('every parameter of a path is described', () => {
  for (const [path, methods] of Object.entries<Record<string, { parameters: { name: string; in: string }[] }>>(
    description.paths,
  )) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((it) => it[1])
    for (const { parameters } of Object.values(methods)) {
      const described = parameters.filter((it) => it.in === 'path').map((it) => it.name)
      assert.deepEqual(described, named, path)
    }
  }
})

const page = await ask('GET', '/docs', { key: null })

test('the reference is a page', () => {
  assert.equal(page.status, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(page.text, /^<!doctype html>/)
  assert.match(page.text, /<html lang="en">/)
  assert.match(page.text, /<title>[^<]+<\/title>/)
  assert.match(page.text, /<h1>[^<]+<\/h1>/)
})

test('the page shows every operation', () => {
  for (const [path, methods] of Object.entries<Record<string, unknown>>(description.paths)) {
    for (const method of Object.keys(methods)) assert.ok(page.text.includes(`${method.toUpperCase()} ${path}`), path)
  }
})

test('the page shows every schema', () => {
  for (const name of Object.keys(schemas)) assert.ok(page.text.includes(`id="schema-${name}"`), name)
})

test('every link of the page stays on it or on this server', () => {
  const links = [...page.text.matchAll(/(?:src|href|action|data|poster)="([^"]*)"/g)].map((it) => it[1]!)
  assert.ok(links.length > 20)
  for (const link of links) {
    assert.equal(new URL(link, 'http://here.test/docs').origin, 'http://here.test', link)
  }
})

test('every anchor of the page resolves', () => {
  const ids = new Set([...page.text.matchAll(/ id="([^"]+)"/g)].map((it) => it[1]))
  for (const [, anchor] of page.text.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.has(anchor), anchor)
})

test('the page has only the linked script, and no frame, inline style or foreign address', () => {
  assert.equal(page.text.match(/<script/g)?.length, 1)
  assert.match(page.text, /<script src="docs\/script.js" defer><\/script>/)
  assert.doesNotMatch(page.text, /<iframe|<object|<embed|<style|\son\w+=|@import|url\(/i)
})

for (const [at, base] of [
  ['/docs', 'http://here.test/docs'],
  ['/api/docs', 'http://here.test/api/docs'],
] as const) {
  test(`every resource that the page at ${at} loads exists`, async () => {
    const [, href] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text)!
    const { pathname } = new URL(href!, base)
    const { status, headers, text } = await ask('GET', pathname, { key: null })
    assert.deepEqual([status, headers['content-type']], [200, 'text/css; charset=utf-8'])
    assert.doesNotMatch(text, /@import|url\(/)
    const [, src] = /<script src="([^"]+)"/.exec(page.text)!
    const loaded = await ask('GET', new URL(src!, base).pathname, { key: null })
    assert.deepEqual([loaded.status, loaded.headers['content-type']], [200, 'text/javascript; charset=utf-8'])
    assert.doesNotMatch(loaded.text, /innerHTML|eval\(/)
  })
}

test('the page is allowed to load its own style and script, and nothing else', () => {
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /style-src 'self'; script-src 'self'/)
  assert.match(policy, /trusted-types 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
})

// biome-ignore lint/suspicious/noExplicitAny: a schema is looked into as far as it goes.
type Schema = any

function* schemasIn(value: Schema, place = ''): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return
  yield [place, value]
  for (const [key, inner] of Object.entries(value)) yield* schemasIn(inner, `${place}/${key}`)
}
const everything = [...schemasIn(description)]

test('no field has the default null, because an absent field is null', () => {
  assert.deepEqual(
    everything.filter(([, it]) => it.default === null).map(([place]) => place),
    [],
  )
})

test('each object of a union has a name of its own', () => {
  const isBare = (it: Schema) => it.$ref === undefined && it.properties !== undefined
  const bare = everything.filter(([, it]) => {
    const branches: Schema[] = [it.anyOf ?? it.oneOf ?? []].flat().filter((branch: Schema) => branch.type !== 'null')
    return branches.length > 1 && branches.some(isBare)
  })
  assert.deepEqual(
    bare.map(([place]) => place),
    [],
  )
})

test('a batch can be sent as bytes by a client without an NDJSON type', async () => {
  const { content } = description.paths['/service-api/ingestion/batch'].post.requestBody
  assert.deepEqual(content['application/octet-stream'], { schema: { type: 'string', format: 'binary' } })
  const bytes = `${JSON.stringify({ document: { semantic_identifier: 'Line', sections: [], metadata: {} } })}\n`
  const headers = { 'content-type': 'application/octet-stream' }
  const { status, text } = await ask('POST', '/service-api/ingestion/batch', { bytes, headers })
  assert.equal(status, 200)
  assert.match(text, /"document_id":"ingestion_api_Line"/)
})

test('operations are grouped, and each has a sample with the required fields', () => {
  for (const tag of ['Search', 'Ingestion', 'Connectors']) assert.match(page.text, new RegExp(`<h2>${tag}</h2>`))
  assert.match(
    page.text,
    /data-method="POST" data-path="\/search" data-body="\{\n {2}&quot;query&quot;: &quot;text&quot;\n\}"/,
  )
  assert.match(page.text, /data-method="GET" data-path="\/service-api\/ingestion\/\{document_id\}"/)
})

test('the page stays small', () => assert.ok(page.text.length < 800_000, `${page.text.length} bytes`))
