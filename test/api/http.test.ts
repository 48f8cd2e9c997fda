// Hostile and unusual HTTP requests: the response is always JSON of one shape with the right status.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { HEADER_LIMITS } from '../../src/api/admission/header-limits.ts'
import { checkInside, checkShape, type RawReply, sendRaw } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, makeKey } = await start()
const KEY = `Authorization: Bearer ${server.key}\r\n`
const INGESTION = '/service-api/ingestion'
const MIB = 1 << 20

const raw = async (head: string, body: string | Buffer | Iterable<Buffer> = ''): Promise<RawReply> => {
  const bytes = Buffer.from(`${head}\r\n`)
  const isText = typeof body === 'string' || Buffer.isBuffer(body)
  const reply = await sendRaw(server, isText ? Buffer.concat([bytes, Buffer.from(body)]) : [bytes, ...body])
  checkInside(head, reply.text)
  return reply
}
const line = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: here.test\r\nConnection: close\r\n`

const wrong = { bytes: '{"name":5}' }
test('a request without a key is 401, whatever else is wrong', async () => {
  assert.equal((await ask('PUT', '/admin/tool/custom/x', { ...wrong, key: null })).status, 401)
  assert.equal((await ask('PUT', '/admin/tool/custom/999999', { bytes: '{', key: 'bad' })).status, 401)
})

test('a request without the required right is 403, whatever else is wrong', async () => {
  const key = await makeKey({ role: 'limited' })
  assert.equal((await ask('PUT', '/admin/tool/custom/x', { ...wrong, key })).status, 403)
  assert.equal((await ask('PUT', '/admin/tool/custom/999999', { bytes: '{', key })).status, 403)
  assert.equal((await ask('POST', INGESTION, { bytes: '', key, headers: { 'content-type': 'text/xml' } })).status, 403)
})

test('an invalid request is 422, also for unknown objects', async () => {
  assert.equal((await ask('PUT', '/admin/tool/custom/999999', wrong)).status, 422)
  const body = { document: { id: 5 }, cc_pair_id: 999_999 }
  assert.equal((await ask('POST', INGESTION, { body })).status, 422)
  const association = { body: { access_type: 'secret' } }
  assert.equal((await ask('PUT', '/manage/admin/connector/999999/credential/0', association)).status, 422)
})

test('a valid request for an unknown object is 404', async () => {
  assert.equal((await ask('PUT', '/admin/tool/custom/999999', { body: {} })).status, 404)
})

test('a 403 names the missing right', async () => {
  const { status, body } = await ask('GET', '/manage/admin/credential', { key: await makeKey({ role: 'basic' }) })
  assert.deepEqual(
    [status, body],
    [
      403,
      {
        error_code: 'INSUFFICIENT_PERMISSIONS',
        detail: 'This key lacks the right "connectors" or "curate".',
      },
    ],
  )
})

test('a Content-Length of 100 MB is 413 before the body is sent, and the socket is closed [B1]', async () => {
  const { status, head, text } = await raw(
    `POST ${INGESTION} HTTP/1.1\r\nHost: x\r\n${KEY}Content-Length: 100000000\r\n`,
    '{"document":',
  )
  assert.equal(status, 413)
  assert.match(head, /^connection: close\r?$/im)
  checkShape('B1', 413, JSON.parse(text))
})

test('a body of 100 MB is 401 without a key, unread [B1]', async () => {
  const { status } = await raw(`POST ${INGESTION} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n`, '{')
  assert.equal(status, 401)
})

/** Ends one byte over the limit: with more data the connection reset could discard the response. */
function* chunksOverTheLimit(): Generator<Buffer> {
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, ' '), Buffer.from('\r\n')])
  for (let at = 0; at < 32; at++) yield chunk
  yield Buffer.from('1\r\n \r\n')
}

test('a chunked body is 413 when it exceeds the limit [B2]', async () => {
  const head = `POST ${INGESTION} HTTP/1.1\r\nHost: x\r\n${KEY}Transfer-Encoding: chunked\r\n`
  assert.equal((await raw(head, chunksOverTheLimit())).status, 413)
})

test('the 413 names the limit', async () => {
  const { text } = await raw(`POST ${INGESTION} HTTP/1.1\r\nHost: x\r\n${KEY}Content-Length: 100000000\r\n`, '{')
  assert.match(JSON.parse(text).detail, /32 MiB|33554432/)
})

test('a body of 31 MiB is accepted', async () => {
  const bytes = `{"document":{"id":"large"}}${' '.repeat(31 * MIB)}`
  assert.equal((await ask('POST', INGESTION, { bytes })).status, 422)
})

for (const encoding of ['gzip', 'br', 'deflate', 'compress']) {
  test(`a body encoded as ${encoding} is 415 [B3]`, async () => {
    const bytes = gzipSync(JSON.stringify({ document: documentOf('x') }))
    const reply = await ask('POST', INGESTION, { bytes, headers: { 'content-encoding': encoding } })
    assert.equal(reply.status, 415)
  })
}

test('a body with the encoding identity is accepted [B3]', async () => {
  const bytes = JSON.stringify({ query: 'x' })
  assert.equal((await ask('POST', '/search', { bytes, headers: { 'content-encoding': 'identity' } })).status, 200)
})

test('Expect: 100-continue with 5 GB is 413 without 100 [B4]', async () => {
  const head = `POST ${INGESTION} HTTP/1.1\r\nHost: x\r\n${KEY}Expect: 100-continue\r\nContent-Length: 5000000000\r\n`
  assert.equal((await raw(head)).status, 413)
})

test('Expect: 100-continue without a key is 401 without 100 [B4]', async () => {
  const head = `POST ${INGESTION} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 50\r\n`
  assert.equal((await raw(head)).status, 401)
})

test('Expect: 100-continue with a valid request gets 100 [B4]', async () => {
  const head = `${line('POST', '/search')}${KEY}Expect: 100-continue\r\nContent-Length: 13\r\n`
  const { status, text } = await raw(head, '{"query":"x"}')
  assert.deepEqual([status, text.slice(0, 12)], [100, 'HTTP/1.1 200'])
})

for (const [what, bytes] of [
  ['arrays', '['.repeat(200_000)],
  ['closed arrays', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['objects', '{"a":'.repeat(200_000)],
  ['arrays in a field', `{"document":{"metadata":${'['.repeat(200_000)}`],
] as const) {
  test(`${what} nested 200,000 deep are rejected [B5]`, async () => {
    const { status, body } = await ask('POST', INGESTION, { bytes })
    assert.deepEqual(
      [status, body],
      [
        422,
        {
          detail: [{ loc: ['body'], msg: 'JSON is nested deeper than 64 levels', type: 'too_deep' }],
          message: 'body: JSON is nested deeper than 64 levels',
        },
      ],
    )
  })
}

const JSON_INVALID = { msg: 'JSON decode error', type: 'json_invalid' }
const NO_OBJECT = {
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
  type: 'model_attributes_type',
}
const BODIES: [row: string, bytes: string, error: object][] = [
  ['B7', '{', { loc: ['body', 1], ...JSON_INVALID }],
  ['B7', '', { loc: ['body'], msg: 'Field required', type: 'missing' }],
  ['B7', 'null', NO_OBJECT],
  ['B7', '[]', NO_OBJECT],
  ['B7', '"x"', NO_OBJECT],
  ['B7', '5', NO_OBJECT],
  ['B7', '{"query":"x",}', { loc: ['body', 13], ...JSON_INVALID }],
  ['B7', '{"query":"x"} {}', { loc: ['body', 14], ...JSON_INVALID }],
  ['B7', '{"query":"x"', { loc: ['body', 12], ...JSON_INVALID }],
  ['B7', '{"query":"x}', { loc: ['body', 9], ...JSON_INVALID }],
  ['B15', '{"num_hits":NaN}', { loc: ['body', 12], ...JSON_INVALID }],
  ['B15', '{"num_hits":Infinity}', { loc: ['body', 12], ...JSON_INVALID }],
  ['B15', '{"num_hits":-Infinity}', { loc: ['body', 12], ...JSON_INVALID }],
  ['B15', '{"num_hits":0x1}', { loc: ['body', 13], ...JSON_INVALID }],
  ['B15', '{"num_hits":01}', { loc: ['body', 13], ...JSON_INVALID }],
  ['B15', "{'query':'a'}", { loc: ['body', 1], ...JSON_INVALID }],
  ['B15', '{"query":"a"/* why */}', { loc: ['body', 12], ...JSON_INVALID }],
  ['B15', '{query:"a"}', { loc: ['body', 1], ...JSON_INVALID }],
]
for (const [row, bytes, error] of BODIES) {
  test(`the body ${JSON.stringify(bytes)} is rejected [${row}]`, async () => {
    const { status, body } = await ask('POST', '/search', { bytes })
    assert.deepEqual([status, body.detail], [422, [error]])
  })
}

test('bytes that are not UTF-8 are rejected [B12]', async () => {
  const bytes = Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
  const { status, body } = await ask('POST', '/search', { bytes })
  assert.deepEqual(
    [status, body.detail],
    [422, [{ loc: ['body', 10], msg: 'JSON decode error, not valid UTF-8', type: 'json_invalid' }]],
  )
})

test('a byte order mark before the JSON is accepted [B13]', async () => {
  assert.equal((await ask('POST', '/search', { bytes: '\ufeff{"query":"x"}' })).status, 200)
})

test('UTF-16 is rejected [B13]', async () => {
  const bytes = Buffer.from('\ufeff{"query":"x"}', 'utf16le')
  assert.equal((await ask('POST', '/search', { bytes })).status, 422)
  const headers = { 'content-type': 'application/json; charset=utf-16' }
  assert.equal((await ask('POST', '/search', { bytes, headers })).status, 415)
})

test('a body without a content type is read as JSON [C1]', async () => {
  const bytes = '{"query":"x"}'
  assert.equal((await raw(`${line('POST', '/search')}${KEY}Content-Length: 13\r\n`, bytes)).status, 200)
})

test('a body with an empty content type is read as JSON or answered 415 [C1]', async () => {
  const head = `${line('POST', '/search')}${KEY}Content-Type:\r\nContent-Length: 13\r\n`
  const { status } = await raw(head, '{"query":"x"}')
  assert.ok([200, 415].includes(status), `answered ${status}`)
})

const ACCEPTED_TYPES = [
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
]
for (const type of ACCEPTED_TYPES) {
  test(`the content type ${type} is accepted [C2]`, async () => {
    const { status } = await ask('POST', '/search', { bytes: '{"query":"x"}', headers: { 'content-type': type } })
    assert.equal(status, 200)
  })
}

const REFUSED_TYPES = [
  'C2 application/json;charset=utf-16',
  'C2 application/json garbage',
  'C2 application/json, text/plain',
  'C2 application/jsonx',
  'C2 text/json',
  'C2 json',
  'C3 text/plain',
  'C3 application/x-www-form-urlencoded',
  'C3 multipart/form-data; boundary=x',
  'C3 multipart/form-data',
  'C3 text/html',
  'C3 application/octet-stream',
]
for (const it of REFUSED_TYPES) {
  const [row, type] = [it.slice(0, 2), it.slice(3)]
  test(`the content type ${type} is 415 [${row}]`, async () => {
    for (const [method, path] of [
      ['POST', '/search'],
      ['POST', INGESTION],
      ['PUT', '/admin/tool/custom/1'],
      ['PUT', '/manage/admin/connector/0/credential/0'],
    ] as const) {
      const { status } = await ask(method, path, { bytes: '{"query":"x"}', headers: { 'content-type': type } })
      assert.equal(status, 415, `${method} ${path}`)
    }
  })
}

test('the content type does not bypass validation [C2]', async () => {
  for (const type of ['application/json', 'application/json\t', 'APPLICATION/JSON ; charset=utf-8']) {
    const { status } = await ask('POST', '/search', { bytes: '{"query":5}', headers: { 'content-type': type } })
    assert.ok([415, 422].includes(status), `${type}: ${status}`)
  }
})

const NOWHERE: [method: string, path: string][] = [
  ['GET', '/'],
  ['GET', '/nowhere'],
  ['GET', '/api'],
  ['GET', '/api/'],
  ['GET', '/api/api/version'],
  ['POST', '//manage/admin/connector'],
  ['POST', '/manage//admin/connector'],
  ['POST', '/manage/admin/../service-api/ingestion'],
  ['GET', '/tool/../manage/admin/credential'],
  ['GET', '/manage/admin/%2e%2e/admin/credential'],
  ['GET', '/manage/%2e%2e/manage/admin/credential'],
  ['GET', '/manage%2fadmin%2fcredential'],
  ['GET', '/manage/admin%2fcredential'],
  ['GET', '/manage/admin/credential;a=b'],
  ['GET', '/manage;x/admin/credential'],
  ['GET', '/manage/admin/credential/'],
  ['POST', '/service-api/ingestion/'],
  ['GET', '/service-api/ingestion/'],
  ['DELETE', '/service-api/ingestion/'],
  ['GET', '/tool/'],
  ['PUT', '/admin/tool/custom/'],
  ['PUT', '/manage/admin/connector/1/credential/'],
  ['PUT', '/manage/admin/connector//credential/0'],
  ['GET', '/MANAGE/admin/credential'],
  ['GET', '/Health'],
  ['GET', '/health%00'],
  ['GET', '/docs/../openapi.json'],
  ['GET', '/docs/style.css/..'],
  ['GET', '/.env'],
  ['GET', '/package.json'],
  ['GET', '/..%2f..%2fetc/passwd'],
  ['POST', '/bench/parse-only'],
]
for (const [method, path] of NOWHERE) {
  test(`${method} ${path} is 404 [C5]`, async () => {
    const { status } = await ask(method, path, method === 'GET' ? {} : { bytes: '{}' })
    assert.equal(status, 404)
  })
}

test('an unknown path is 404 without a key too', async () => {
  const { status, body } = await ask('GET', '/nowhere', { key: null })
  assert.deepEqual([status, body], [404, { error_code: 'NOT_FOUND', detail: 'Not Found' }])
})

test('the body of a request to an unknown path is not read', async () => {
  for (const [path, expected] of [
    ['/nowhere', 404],
    ['/tool/1', 405],
  ] as const) {
    const { status } = await raw(`${line('POST', path)}Content-Length: 100000000\r\n`)
    assert.equal(status, expected)
  }
})

for (const path of ['/%zz', '/service-api/ingestion/%zz', '/service-api/ingestion/%ff', '/tool/%', '/%']) {
  test(`${path} cannot be decoded and gets a normal error response [C5]`, async () => {
    const { status } = await ask('GET', path)
    assert.ok([400, 404, 422].includes(status), `answered ${status}`)
  })
}

test('brackets in a query do not create an object [C6]', async () => {
  for (const query of ['wait_for[]=indexed', 'wait_for[a]=b', '__proto__[x]=1', 'constructor=1', '__proto__=1']) {
    const { status } = await ask('POST', `${INGESTION}?${query}`, { body: { document: documentOf('x') } })
    assert.equal(status, 200, query)
  }
  await ok('GET', '/version?__proto__[polluted]=1&a[b][c]=d')
})

test('ten thousand parameters are ignored or rejected [C6]', async () => {
  const { status } = await ask('GET', `/version?${'a=1&'.repeat(10_000)}`)
  assert.ok([200, 414, 422, 431].includes(status), `answered ${status}`)
})

test('a query of 64 kB is ignored or rejected [C6]', async () => {
  const { status } = await sendRaw(server, `${line('GET', `/version?${'a'.repeat(65_536)}`)}\r\n`)
  assert.ok([200, 414, 422, 431].includes(status), `answered ${status}`)
})

const METHODS: [method: string, path: string, allow: string][] = [
  ['GET', '/search', 'POST'],
  ['PATCH', '/search', 'POST'],
  ['TRACE', '/search', 'POST'],
  ['OPTIONS', '/search', 'POST'],
  ['HEAD', '/search', 'POST'],
  ['PROPFIND', '/search', 'POST'],
  ['PATCH', '/service-api/ingestion', 'POST, GET, HEAD'],
  ['DELETE', '/onyx-api/ingestion', 'POST, GET, HEAD'],
  ['PUT', '/api/onyx-api/ingestion', 'POST, GET, HEAD'],
  ['PUT', '/service-api/ingestion/x', 'GET, HEAD, DELETE'],
  ['POST', '/tool/1', 'GET, HEAD'],
  ['POST', '/manage/admin/credential', 'GET, HEAD'],
  ['GET', '/api/manage/connector/1/credential/0', 'PUT'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['QUERY', '/search', 'POST'],
  ['DELETE', '/user/pats/scopes', 'GET, HEAD'],
  ['DELETE', '/api/manage/admin/credential/swap', 'PUT'],
  ['OPTIONS', '/manage/admin/connector/status', 'GET, HEAD'],
]
for (const [method, path, allow] of METHODS) {
  test(`${method} ${path} is 405 with an Allow header [C7]`, async () => {
    const { status, headers } = await ask(method, path)
    assert.deepEqual([status, headers.allow], [405, allow])
  })
}

test('an unknown method is rejected [C7]', async () => {
  for (const method of ['FOO', 'get', 'G ET', '', 'CONNECT']) {
    const { status } = await raw(`${method} /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`)
    assert.ok([0, 400, 405, 501].includes(status), `${method}: ${status}`)
  }
})

for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
  test(`${name} does not override the method [C7]`, async () => {
    const { status } = await ask('POST', `${INGESTION}/x`, { headers: { [name]: 'DELETE' }, bytes: '{}' })
    assert.equal(status, 405)
  })
}

test('HEAD is answered like GET without a body [C7]', async () => {
  const [get, head] = [await ask('GET', '/version'), await ask('HEAD', '/version')]
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal(head.headers['content-length'], get.headers['content-length'])
})

const SMUGGLED: [what: string, bytes: string][] = [
  [
    'a length and chunks',
    `POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['two lengths', `POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n012345`],
  ['two equal lengths', `POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n01234`],
  ['a negative length', `POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n01234`],
  ['a length in hexadecimal', `POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\n01234`],
  ['a bad chunk size', `POST /search HTTP/1.1\r\nHost: x\r\n${KEY}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`],
  [
    'a chunk longer than it says',
    `POST /search HTTP/1.1\r\nHost: x\r\n${KEY}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n`,
  ],
  ['another encoding than chunked', `POST /search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, identity\r\n\r\n`],
  ['line feeds alone', 'GET /version HTTP/1.1\nHost: x\n\n'],
  ['a folded header', 'GET /version HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\n\r\n'],
  ['a space before the colon', 'GET /version HTTP/1.1\r\nHost: x\r\nX-A : a\r\n\r\n'],
  ['a NUL in a header', 'GET /version HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
  ['a carriage return in a header', 'GET /version HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
  ['no host', 'GET /version HTTP/1.1\r\n\r\n'],
  ['HTTP/2 out of the blue', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
]
for (const [what, bytes] of SMUGGLED) {
  test(`a request with ${what} is 400 [C8]`, async () => {
    assert.equal((await sendRaw(server, Buffer.from(bytes, 'latin1'))).status, 400)
  })
}

test('a malformed request gets a normal error response [C8]', async () => {
  const { text } = await raw('GET /version HTTP/1.1\r\nHost: x\r\nX-A : a\r\n')
  checkShape('a space before the colon', 400, JSON.parse(text))
})

for (const [what, headers] of [
  ['a header of 100 kB', `X-A: ${'a'.repeat(100_000)}\r\n`],
  ['2,000 headers', Array.from({ length: 2_000 }, (_, at) => `X-${at}: ${at}\r\n`).join('')],
] as const) {
  test(`${what} is 431 [C9]`, async () => {
    assert.equal((await sendRaw(server, `GET /version HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)).status, 431)
  })
}

test('a header of 60,000 tabs is rejected before it is parsed', async () => {
  const { status } = await typed(`application/json;charset=utf8${'\t'.repeat(60_000)};charset=utf8`)
  assert.equal(status, 431)
})

test('a content type of 15,000 characters is 415, and the error shows its beginning', async () => {
  const { status, text } = await typed(`application/json;charset=utf8${'\t'.repeat(15_000)};charset=utf8`)
  assert.equal(status, 415)
  assert.ok(text.length < 400 && JSON.parse(text).detail.endsWith('send a media type of at most 200 characters.'), text)
})

const typed = (type: string) =>
  raw(`${line('POST', '/auth/session')}Content-Type: ${type}\r\nContent-Length: 15\r\n`, '{"api_key":"x"}')

/** Node or the total header size limits these; a long content type is 415. */
const BOUNDED_ELSEWHERE = ['content-length', 'content-type', 'cookie', 'expect', 'host']
for (const [name, max] of Object.entries(HEADER_LIMITS)) {
  if (BOUNDED_ELSEWHERE.includes(name)) continue
  test(`the header ${name} may have ${max} characters`, async () => {
    const { status, text } = await raw(`${line('GET', '/version')}${name}: ${'x'.repeat(max + 1)}\r\n`)
    assert.equal(status, 431)
    assert.match(JSON.parse(text).detail, new RegExp(`${name} may have ${max} characters`))
  })
}

test('every header that the code reads has a maximum length', () => {
  const files = readdirSync('src/api', { recursive: true, encoding: 'utf8' }).filter((it) => /(?<!test)\.ts$/.test(it))
  const names = files
    .flatMap((it) => [...readFileSync(`src/api/${it}`, 'utf8').matchAll(/\bheaders(?:\.get\('|\['|\.)([a-z-]+)\b/g)])
    .map(([, name]) => name!)
    .filter((it) => !['authorization', 'get', 'has', 'append'].includes(it))
  assert.ok(names.length > 5)
  assert.deepEqual(
    names.filter((it) => HEADER_LIMITS[it] === undefined),
    [],
  )
})

test('a 431 is a normal error response [C9]', async () => {
  const { text } = await raw(`GET /version HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n`)
  checkShape('a header of 100 kB', 431, JSON.parse(text))
})

test('the Host header is not reflected [C11]', async () => {
  for (const path of ['/nowhere', '/docs', '/openapi.json']) {
    const { head, text } = await sendRaw(
      server,
      `GET ${path} HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: evil.test\r\nConnection: close\r\n\r\n`,
    )
    assert.ok(!`${head}${text}`.includes('evil.test'), path)
  }
})

for (const accept of ['application/xml', 'text/html', '*/*', 'image/png;q=0', 'nonsense']) {
  test(`the response to Accept: ${accept} is JSON [C15]`, async () => {
    const { headers } = await ask('GET', '/version', { headers: { accept } })
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    const refused = await ask('GET', '/me', { key: null, headers: { accept } })
    assert.deepEqual([refused.status, refused.body.error_code], [401, 'UNAUTHENTICATED'])
    const error = await ask('POST', '/nowhere', { headers: { accept } })
    assert.deepEqual([error.status, error.body.error_code], [404, 'NOT_FOUND'])
    // Browser navigations to unknown paths get a page: test/api/web-pages.test.ts.
    if (accept === 'text/html') return
    const unknown = await ask('GET', '/nowhere', { headers: { accept } })
    assert.deepEqual([unknown.status, unknown.body.error_code], [404, 'NOT_FOUND'])
  })
}

for (const [method, path] of [
  ['OPTIONS', '/search'],
  ['OPTIONS', INGESTION],
  ['OPTIONS', '/nowhere'],
  ['GET', '/version'],
  ['POST', '/search'],
] as const) {
  test(`${method} ${path} from another origin gets no CORS headers [C16]`, async () => {
    const headers = {
      origin: 'https://evil.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const reply = await ask(method, path, { headers, ...(method === 'POST' && { bytes: '{"query":"x"}' }) })
    const granted = Object.keys(reply.headers).filter((it) => it.startsWith('access-control-'))
    assert.deepEqual(granted, [])
  })
}

for (const [what, headers] of [
  [
    'a WebSocket',
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
  ],
  ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'],
] as const) {
  test(`an upgrade to ${what} is ignored or rejected [C17]`, async () => {
    const { status } = await raw(`GET /version HTTP/1.1\r\nHost: x\r\n${headers}`)
    assert.ok([200, 400].includes(status), `answered ${status}`)
  })

  test(`an upgrade to ${what} does not bypass authentication [C17]`, async () => {
    const { status } = await raw(`GET /me HTTP/1.1\r\nHost: x\r\n${headers}`)
    assert.ok([400, 401].includes(status), `answered ${status}`)
  })
}

const ANSWERS: [method: string, path: string, key: string | null][] = [
  ['GET', '/version', null],
  ['GET', '/me', null],
  ['GET', '/me', server.key],
  ['GET', '/nowhere', null],
  ['GET', '/search', null],
  ['POST', '/search', server.key],
  ['GET', '/docs', null],
]
for (const [method, path, key] of ANSWERS) {
  test(`${method} ${path} ${key === null ? 'without' : 'with'} a key cannot be cached, framed or sniffed [X7]`, async () => {
    const { headers } = await ask(method, path, { key })
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
    assert.equal(headers['x-powered-by'], undefined)
    assert.equal(headers.server, undefined)
  })
}

test('request ids are unique', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/version')))
  assert.equal(new Set(replies.map((it) => it.headers['x-request-id'])).size, 20)
})

test('after all tests the service responds and its log has no error', async () => {
  await ok('GET', '/health')
  const errors = server
    .output()
    .split('\n')
    .filter((it) => it.startsWith('{') && JSON.parse(it).level >= 50)
  assert.deepEqual(errors, [])
})
