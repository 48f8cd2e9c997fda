// CORS: no origin by default, configured origins with a key, and never with the cookie.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../server.ts'
import { createRequester } from './request.ts'
import { createSetup, start } from './setup.ts'

const WIDGET = 'https://www.example.com'
const STRANGER = 'https://elsewhere.example'
const { server, ask, ok } = await start({ CORS_ORIGINS: `${WIDGET}, chrome-extension://abcdefgh` })

const corsOf = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((it) => it.startsWith('access-control'))
const preflight = (path: string, origin: string, to = ask) =>
  to('OPTIONS', path, {
    key: null,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
const listOf = (value: unknown) =>
  String(value)
    .split(', ')
    .map((it) => it.toLowerCase())

test('a preflight of a configured origin is answered 204 without a key', async () => {
  for (const path of ['/chat/create-chat-session', '/api/chat/send-chat-message', '/persona/0']) {
    const { status, headers, text } = await preflight(path, WIDGET)
    assert.deepEqual([status, text, headers['access-control-allow-origin']], [204, '', WIDGET])
    assert.equal(headers['access-control-allow-credentials'], undefined)
    assert.equal(headers.vary, 'Origin')
    const methods = listOf(headers['access-control-allow-methods'])
    assert.deepEqual(
      ['get', 'post', 'put', 'patch', 'delete'].filter((it) => !methods.includes(it)),
      [],
    )
    const names = listOf(headers['access-control-allow-headers'])
    const wanted = ['authorization', 'x-onyx-authorization', 'content-type', 'last-event-id']
    assert.deepEqual(
      wanted.filter((it) => !names.includes(it)),
      [],
    )
    // The CSRF check relies on this header.
    assert.ok(!names.includes('x-requested-with'))
  }
})

test('a configured origin may read responses, errors and streams', async () => {
  const from = { headers: { origin: WIDGET } }
  const { chat_session_id } = await ok('POST', '/chat/create-chat-session', { ...from, body: {} })
  const body = { chat_session_id, message: 'Hello' }
  const answers = [
    await ask('GET', '/persona', from),
    await ask('GET', '/persona/999', from),
    await ask('GET', '/persona', { ...from, key: null }),
    await ask('GET', '/nothing', from),
    await server.api('POST', '/chat/send-chat-message', body, from.headers),
  ]
  assert.deepEqual(
    answers.map((it) => it.status),
    [200, 404, 401, 404, 200],
  )
  for (const { headers } of answers) {
    assert.equal(headers['access-control-allow-origin'], WIDGET)
    assert.equal(headers['access-control-allow-credentials'], undefined)
    assert.equal(headers.vary, 'Origin')
    const exposed = listOf(headers['access-control-expose-headers'])
    const wanted = ['x-request-id', 'retry-after', 'pharos-warnings']
    assert.deepEqual(
      wanted.filter((it) => !exposed.includes(it)),
      [],
    )
  }
  assert.match(String(answers[4]!.headers['content-type']), /^text\/event-stream/)
})

test('responses to other origins are unchanged', async () => {
  const others = [STRANGER, 'null', 'https://www.example.com.evil.example', 'http://www.example.com', `${WIDGET}:8443`]
  for (const origin of others) {
    const { status, headers } = await preflight('/chat/create-chat-session', origin)
    assert.deepEqual([status, corsOf(headers), headers.vary], [405, [], 'Origin'])
    assert.deepEqual(corsOf((await ask('GET', '/persona', { headers: { origin } })).headers), [])
  }
})

test('OPTIONS without Access-Control-Request-Method is not a preflight', async () => {
  const { status, body } = await ask('OPTIONS', '/persona', { headers: { origin: WIDGET } })
  assert.deepEqual([status, body.error_code], [405, 'METHOD_NOT_ALLOWED'])
})

const cookieOf = async () => {
  const headers = { 'x-requested-with': 'test' }
  const reply = await ask('POST', '/auth/session', { key: null, headers, body: { api_key: server.key } })
  return String(reply.headers['set-cookie']).split(';', 1)[0]!
}

test('the session cookie is ignored in cross-origin requests', async () => {
  const cookie = await cookieOf()
  const get = async (headers: Record<string, string>) =>
    (await ask('GET', '/persona', { key: null, headers: { cookie, ...headers } })).status
  assert.equal(await get({}), 200)
  assert.equal(await get({ origin: server.url }), 200)
  assert.equal(await get({ origin: WIDGET, 'sec-fetch-site': 'same-origin' }), 200)
  assert.equal(await get({ origin: WIDGET }), 401)
  assert.equal(await get({ origin: WIDGET, 'sec-fetch-site': 'same-site' }), 401)
  assert.equal(await get({ origin: STRANGER, 'sec-fetch-site': 'cross-site' }), 401)
  assert.equal((await ask('GET', '/persona', { headers: { cookie, origin: WIDGET } })).status, 200)
})

test('another origin cannot sign the user out', async () => {
  const cookie = await cookieOf()
  const headers = { cookie, origin: WIDGET, 'x-requested-with': 'test' }
  await ask('DELETE', '/auth/session', { headers })
  assert.equal((await ask('GET', '/persona', { key: null, headers: { cookie } })).status, 200)
})

test('no origin is allowed by default', async () => {
  const plain = await startServer({ env: { LOG_LEVEL: 'warn' } })
  const to = createRequester(plain)
  const { status, headers } = await preflight('/chat/create-chat-session', WIDGET, to)
  assert.deepEqual([status, corsOf(headers), headers.vary], [405, [], undefined])
  assert.deepEqual(corsOf((await to('GET', '/persona', { headers: { origin: WIDGET } })).headers), [])
})

test('with * every origin is allowed, still without the cookie', async () => {
  const open = await startServer({
    env: { LOG_LEVEL: 'warn', CORS_ORIGINS: '*', PUBLIC_URL: 'https://pharos.example.com' },
  })
  const to = createRequester(open)
  const { status, headers } = await preflight('/persona', STRANGER, to)
  assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*'])
  assert.equal(headers['access-control-allow-credentials'], undefined)
  const asked = { key: null, headers: { 'x-requested-with': 'test' }, body: { api_key: open.key } }
  const cookie = String((await to('POST', '/auth/session', asked)).headers['set-cookie']).split(';', 1)[0]!
  const get = async (origin: string) => (await to('GET', '/persona', { key: null, headers: { cookie, origin } })).status
  assert.deepEqual([await get(STRANGER), await get('https://pharos.example.com')], [401, 200])
  await createSetup(to).ok('GET', '/persona', { headers: { origin: 'null' } })
})
