// Accounts at a real OpenID provider, through the whole program: code, PKCE, renewal, and ownership of tokens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { onOidcProvider } from './start-oidc.ts'

const PUBLIC_URL = 'http://pharos.example:8080'

await onOidcProvider(`${PUBLIC_URL}/oauth-config/callback`, async ({ url, signIn }) => {
  const { ask, ok, makeKey, alterRecord } = await start({ EGRESS_ALLOW: '127.0.0.1', PUBLIC_URL })
  const definition = {
    openapi: '3.0.0',
    info: { title: 'Provider', description: 'Says who somebody is' },
    servers: [{ url }],
    paths: { '/me': { get: { operationId: 'me', summary: 'Who is it?' } } },
  }
  const configured = async (client_id: string) => {
    const config = await ok('POST', '/admin/oauth-config/create', {
      body: {
        name: client_id,
        authorization_url: `${url}/auth`,
        token_url: `${url}/token`,
        client_id,
        client_secret: `secret of & ${client_id}`,
        scopes: ['openid', 'email', 'offline_access'],
        additional_params: { prompt: 'consent' },
      },
    })
    const body = { name: 'who', definition, passthrough_auth: false, oauth_config_id: config.id }
    return { id: config.id as number, tool: (await ok('POST', '/admin/tool/custom', { body })).id as number }
  }
  /** Goes through the whole flow like a person. */
  const connect = async (key: string, id: number, login: string): Promise<void> => {
    const body = { oauth_config_id: id, return_path: '/chat?x=1' }
    const { authorization_url } = await ok('POST', '/oauth-config/initiate', { key, body })
    const back = await signIn(authorization_url, login)
    const answer = await ok('POST', `/oauth-config/callback${back.search}`, { key })
    assert.deepEqual(answer, { redirect_url: '/chat?x=1', error: null })
  }
  const who = async (tool: number, key?: string) => {
    const reply = await ask('POST', `/admin/tool/${tool}/try`, {
      body: { operation: 'me', run: true },
      ...(key !== undefined && { key }),
    })
    return reply.status === 200 ? reply.body.answer.text : reply.body.error_code
  }
  const sub = (text: string) => JSON.parse(text).sub

  for (const client of ['by-header', 'by-body']) {
    test(`a tool acts as the person who agreed, with client authentication ${client}`, async () => {
      const { id, tool } = await configured(client)
      const [ann, bob] = [await makeKey({ role: 'admin' }), await makeKey({ role: 'admin' })]
      await connect(ann, id, 'ann')
      assert.equal(sub(await who(tool, ann)), 'ann')
      assert.equal(await who(tool, bob), 'TOOL_NEEDS_CONSENT')
      await connect(bob, id, 'bob')
      assert.deepEqual([sub(await who(tool, ann)), sub(await who(tool, bob))], ['ann', 'bob'])
    })
  }

  test('concurrent calls renew a token once, and refresh tokens keep working', async () => {
    const { id, tool } = await configured('by-header')
    const ann = await makeKey({ role: 'admin' })
    await connect(ann, id, 'ann')
    const expiry = async () => (await ok('GET', '/user-oauth-token/status', { key: ann }))[0].expires_at
    for (let round = 0; round < 3; round++) {
      await alterRecord(`update oauth_token set expires_at = 1 where oauth_config_id = ${id}`)
      const answers = await Promise.all(Array.from({ length: 6 }, () => who(tool, ann)))
      assert.deepEqual(answers.map(sub), Array(6).fill('ann'))
      assert.ok((await expiry()) > Date.now() / 1_000)
    }
  })

  test('a reused stolen refresh token ends the consent, and the person is asked again', async () => {
    const { id, tool } = await configured('by-header')
    const ann = await makeKey({ role: 'admin' })
    await connect(ann, id, 'ann')
    await alterRecord(`create table stolen as select * from oauth_token where oauth_config_id = ${id}`)
    await alterRecord(`update oauth_token set expires_at = 1 where oauth_config_id = ${id}`)
    assert.equal(sub(await who(tool, ann)), 'ann')
    const old = `select token from stolen`
    await alterRecord(`update oauth_token set expires_at = 1, token = (${old}) where oauth_config_id = ${id}`)
    assert.equal(await who(tool, ann), 'TOOL_NEEDS_CONSENT')
    assert.deepEqual(await ok('GET', '/user-oauth-token/status', { key: ann }), [])
    await connect(ann, id, 'ann')
    assert.equal(sub(await who(tool, ann)), 'ann')
    await alterRecord('drop table stolen')
  })

  test('a code works once, and only with the verifier of its request', async () => {
    const { id } = await configured('by-header')
    const [ann, eve] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'basic' })]
    const begin = async (key: string) => ok('POST', '/oauth-config/initiate', { key, body: { oauth_config_id: id } })
    const back = await signIn((await begin(ann)).authorization_url, 'ann')
    const foreign = (await begin(eve)).state
    const code = back.searchParams.get('code')
    const injected = await ok('POST', `/oauth-config/callback?code=${code}&state=${foreign}`, { key: eve })
    assert.match(injected.error, /The provider refused/)
    assert.deepEqual(await ok('GET', '/user-oauth-token/status', { key: eve }), [])
  })

  test('a person who declines at the provider returns with that result', async () => {
    const { id } = await configured('by-header')
    const ann = await makeKey({ role: 'basic' })
    const { authorization_url } = await ok('POST', '/oauth-config/initiate', {
      key: ann,
      body: { oauth_config_id: id },
    })
    const wrong = new URL(authorization_url)
    wrong.searchParams.set('code_challenge', '')
    const back = await signIn(wrong.href, 'ann')
    const { error } = await ok('POST', `/oauth-config/callback${back.search}`, { key: ann })
    assert.match(error, /^The provider refused the request: /)
  })
})
