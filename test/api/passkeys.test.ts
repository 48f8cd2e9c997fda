// Passkeys over HTTP, with an authenticator in software. test/e2e/passkeys.test.ts uses the one of a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerChanges, createAuthenticator } from './authenticator.ts'
import { as, cookieOf, joinAs, PASSWORD } from './people.ts'
import { start } from './setup.ts'

const ORIGIN = 'https://search.example.com'
const RP_ID = 'search.example.com'
const api = await start({ PUBLIC_URL: ORIGIN })
const { ask, ok, makeKey, alterRecord } = api

const outcomeOf = ({ status, body }: { status: number; body: { error_code?: string } | null }) => [
  status,
  body?.error_code ?? null,
]
const REFUSED = [400, 'PASSKEY_REFUSED']

const optionsOf = async (cookie: string, body: object = {}): Promise<string> =>
  (await ok('POST', '/auth/passkeys/options', { ...as(cookie), body })).challenge
const signInOptions = async (): Promise<string> => (await ok('POST', '/auth/passkey/options', { key: null })).challenge
const login = (body: object) => ask('POST', '/auth/passkey/login', { key: null, body })
const HERE: AnswerChanges = { rpID: RP_ID }

async function withPasskey(email: string) {
  const person = await joinAs(api, email)
  const authenticator = createAuthenticator(email)
  const response = authenticator.create(await optionsOf(person.cookie), ORIGIN, HERE)
  const passkey = await ok('POST', '/auth/passkeys', { ...as(person.cookie), body: { name: 'Laptop', response } })
  return { ...person, authenticator, passkey }
}

test('a person adds a passkey, signs in with it, and deletes it', async () => {
  const { cookie, authenticator, passkey } = await withPasskey('ann@example.com')
  const reply = await login(authenticator.get(await signInOptions(), ORIGIN, { ...HERE, counter: 1 }))
  assert.deepEqual([reply.status, reply.body?.email], [200, 'ann@example.com'])
  const session = cookieOf(reply.headers)
  const [first] = await ok('GET', '/auth/sessions', as(session))
  assert.deepEqual([first.method, first.is_current], ['passkey', true])
  const [listed, ...others] = await ok('GET', '/auth/passkeys', as(cookie))
  assert.deepEqual([listed.name, listed.is_backed_up, others], ['Laptop', false, []])
  assert.notEqual(listed.last_used_at, null)
  await ok('DELETE', `/auth/passkeys/${passkey.id}`, as(cookie))
  assert.deepEqual(outcomeOf(await login(authenticator.get(await signInOptions(), ORIGIN, HERE))), REFUSED)
})

test('an answer counts once, for the challenge, origin, name and purpose that it was made for', async () => {
  const { id, authenticator } = await withPasskey('bob@example.com')
  const challenge = await signInOptions()
  const wrong: AnswerChanges[] = [
    { origin: 'https://evil.example' },
    { origin: `${ORIGIN}.evil.example` },
    { rpID: 'evil.example' },
    { type: 'webauthn.create' },
    { flags: 0x01 },
    { flags: 0x04 },
    { userHandle: 'somebody else' },
  ]
  for (const changes of wrong) {
    const reply = await login(authenticator.get(challenge, ORIGIN, { ...HERE, ...changes }))
    assert.deepEqual([changes, ...outcomeOf(reply)], [changes, ...REFUSED])
  }
  const invented = authenticator.get(Buffer.alloc(32, 7).toString('base64url'), ORIGIN, HERE)
  assert.deepEqual(outcomeOf(await login(invented)), REFUSED)
  const answer = authenticator.get(challenge, ORIGIN, { ...HERE, userHandle: id })
  const replies = await Promise.all([login(answer), login(answer), login(answer)])
  assert.deepEqual(replies.map((it) => it.status).sort(), [200, 400, 400])
  assert.deepEqual(outcomeOf(await login(answer)), REFUSED)
})

test('another key, an altered signature and an expired challenge are refused', async () => {
  const { authenticator } = await withPasskey('cat@example.com')
  const impostor = createAuthenticator('cat@example.com')
  assert.deepEqual(outcomeOf(await login(impostor.get(await signInOptions(), ORIGIN, HERE))), REFUSED)
  const answer = authenticator.get(await signInOptions(), ORIGIN, HERE)
  const signature = `${answer.response.signature.slice(0, -4)}AAAA`
  assert.deepEqual(outcomeOf(await login({ ...answer, response: { ...answer.response, signature } })), REFUSED)
  const late = authenticator.get(await signInOptions(), ORIGIN, HERE)
  await alterRecord('update passkey_challenge set expires_at = 1')
  assert.deepEqual(outcomeOf(await login(late)), REFUSED)
  assert.equal((await login(authenticator.get(await signInOptions(), ORIGIN, { ...HERE, counter: 5 }))).status, 200)
  // A counter that goes back may be a copy of the authenticator.
  const copied = authenticator.get(await signInOptions(), ORIGIN, { ...HERE, counter: 4 })
  assert.deepEqual(outcomeOf(await login(copied)), REFUSED)
})

test('a suspended person is refused as a stranger is', async () => {
  const { authenticator } = await withPasskey('sam@example.com')
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'sam@example.com' } })
  const known = await login(authenticator.get(await signInOptions(), ORIGIN, HERE))
  const stranger = await login(createAuthenticator('x').get(await signInOptions(), ORIGIN, HERE))
  assert.deepEqual(outcomeOf(known), REFUSED)
  assert.deepEqual(known.body?.detail, stranger.body?.detail)
})

test('a passkey is added by the person who asked, with a fresh sign-in or the password', async () => {
  const dan = await joinAs(api, 'dan@example.com')
  const eve = await joinAs(api, 'eve@example.com')
  const response = createAuthenticator('dan').create(await optionsOf(dan.cookie), ORIGIN, HERE)
  const add = (cookie: string, name = 'Phone') =>
    ask('POST', '/auth/passkeys', { ...as(cookie), body: { name, response } })
  assert.deepEqual(outcomeOf(await add(eve.cookie)), REFUSED)
  assert.equal((await add(dan.cookie)).status, 200)
  assert.deepEqual(outcomeOf(await add(dan.cookie)), REFUSED)
  const [passkey] = await ok('GET', '/auth/passkeys', as(dan.cookie))
  const theirs = await ask('DELETE', `/auth/passkeys/${passkey.id}`, as(eve.cookie))
  assert.deepEqual(outcomeOf(theirs), [404, 'PASSKEY_NOT_FOUND'])
  await alterRecord(`update session set created_at = created_at - 1000000 where owner_kid = 'person:${dan.id}'`)
  const ask4 = (body: object) => ask('POST', '/auth/passkeys/options', { ...as(dan.cookie), body })
  assert.deepEqual(outcomeOf(await ask4({})), [403, 'SIGN_IN_AGAIN'])
  assert.deepEqual(outcomeOf(await ask4({ password: 'wrong' })), [400, 'LOGIN_BAD_CREDENTIALS'])
  assert.equal((await ask4({ password: PASSWORD })).status, 200)
  const key = await makeKey({ user_email: 'dan@example.com' })
  assert.deepEqual(outcomeOf(await ask('POST', '/auth/passkeys/options', { key, body: {} })), [409, 'SIGN_IN_NEEDED'])
})

test('an administrator removes the passkeys of a person', async () => {
  const { id, authenticator } = await withPasskey('liz@example.com')
  const removed = await ok('DELETE', `/manage/admin/users/${id}/second-factors`)
  assert.deepEqual(removed, { second_factor_removed: false, passkeys_removed: 1 })
  assert.deepEqual(outcomeOf(await login(authenticator.get(await signInOptions(), ORIGIN, HERE))), REFUSED)
  assert.equal((await ask('DELETE', '/admin/person/liz@example.com')).status, 200)
})

test('a page of another site cannot sign a browser in', async () => {
  const { authenticator } = await withPasskey('kim@example.com')
  const body = authenticator.get(await signInOptions(), ORIGIN, HERE)
  const headers = { origin: 'https://evil.example', 'x-requested-with': 'test' }
  assert.equal((await ask('POST', '/auth/passkey/login', { key: null, headers, body })).status, 403)
})
