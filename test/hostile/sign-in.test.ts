// Published attacks on the sign-in with a password.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { start } from '../api/setup.ts'

const { server, ask, ok, alterRecord } = await start()
const PASSWORD = 'correct horse battery staple'
const OWN = { 'x-requested-with': 'test' }
type Headers = Record<string, string>

const cookieOf = (headers: Record<string, unknown>) => String([headers['set-cookie']].flat()[0]).split(';', 1)[0]!
const login = (username: string, password: string, headers: Headers = OWN) =>
  ask('POST', '/auth/login', { key: null, headers, body: { username, password } })

async function register(email: string): Promise<void> {
  const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: [email] } })
  const link: string = invitations[0].link
  const token = link.slice(link.indexOf('#') + 1)
  const body = { token, password: PASSWORD }
  assert.equal((await ask('POST', '/auth/register', { key: null, headers: OWN, body })).status, 201)
}

before(async () => {
  for (const name of ['ann', 'gone', 'bare']) await register(`${name}@example.com`)
  await alterRecord("update person set is_active = 0 where email_key = 'gone@example.com'")
  await alterRecord("update person set password_hash = null where email_key = 'bare@example.com'")
})

test('the answer does not tell unknown, suspended and known people apart', async () => {
  const answers = []
  for (const [name, password] of [
    ['ann', 'a wrong password'],
    ['nobody', PASSWORD],
    ['gone', PASSWORD],
    ['bare', PASSWORD],
  ] as const) {
    const { status, body, headers } = await login(`${name}@example.com`, password)
    answers.push({ status, body, names: Object.keys(headers).sort() })
  }
  assert.equal(answers[0]!.status, 400)
  for (const it of answers) assert.deepEqual(it, answers[0])
})

test('a sign-in ignores the session that the browser had, and opens another one', async () => {
  const planted = cookieOf((await login('ann@example.com', PASSWORD)).headers)
  const { status, headers } = await login('ann@example.com', PASSWORD, { ...OWN, cookie: planted })
  const fresh = cookieOf(headers)
  assert.equal(status, 204)
  assert.notEqual(fresh, planted)
  const invented = 'pharos_session=chosen-by-the-attacker'
  const chosen = cookieOf((await login('ann@example.com', PASSWORD, { ...OWN, cookie: invented })).headers)
  assert.notEqual(chosen, invented)
  assert.equal((await ask('GET', '/me', { key: null, headers: { cookie: invented } })).status, 401)
})

test('a page of another site cannot sign a browser in', async () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', ...OWN },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { referer: 'https://evil.example/form' },
    { origin: 'null' },
  ] satisfies Headers[]) {
    const { status, body, headers: answered } = await login('ann@example.com', PASSWORD, headers)
    assert.deepEqual([status, body.error_code, answered['set-cookie']], [403, 'CSRF_FAILURE', undefined])
  }
})

test('a host that the client names is not in links', async () => {
  const poisoned: Headers[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { forwarded: 'host=evil.example' },
    { 'x-original-host': 'evil.example' },
  ]
  for (const [at, headers] of poisoned.entries()) {
    const body = { emails: [`poison-${at}@example.com`] }
    const reply = await ask('PUT', '/manage/admin/users', { headers, body })
    assert.equal(reply.text.includes('evil.example'), false, JSON.stringify(headers))
    if (reply.status === 200) assert.ok(URL.canParse(reply.body.invitations[0].link, server.url))
  }
})
