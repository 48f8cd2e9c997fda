// Two programs on one database: approvals and withdrawals through one apply to the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequester } from '../api/request.ts'
import { startServer, waitFor } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

const CHECK = '/admin/egress/check'
const APPROVAL = '/admin/egress/approval'

await onPostgres((server) => {
  test('both programs see an approval, its withdrawal and a refusal at once', async () => {
    const env = { DATABASE_URL: await server.createDatabase(), SECRET_KEY: 'a secret key that both programs have' }
    const [one, other] = (await Promise.all([startServer({ env }), startServer({ env })])).map(createRequester)
    const body = { url: 'http://10.0.0.1/' }
    const isAllowed = async () => (await other!('POST', CHECK, { body })).body.is_allowed
    for (let time = 0; time < 20; time++) {
      const approval = { host: '10.0.0.1', reason: 'x' }
      const { id } = (await one!('POST', APPROVAL, { body: approval })).body
      assert.equal(await isAllowed(), true)
      assert.equal((await one!('DELETE', `${APPROVAL}/${id}`)).status, 200)
      assert.equal(await isAllowed(), false)
    }
    const tool = { name: 'x', passthrough_auth: false, definition: { servers: [{ url: 'http://10.0.0.2' }] } }
    assert.equal((await one!('POST', '/admin/tool/custom', { body: tool })).status, 422)
    const refusals = async () => (await other!('GET', '/admin/egress/refusal')).body
    const [refusal] = await waitFor(async () => {
      const listed = await refusals()
      return listed.length > 0 && listed
    }, 'the other program to list the refusal')
    assert.equal(refusal.host, '10.0.0.2')
  })

  test('the database server is never called, in any form of its address [S6]', async () => {
    const url = await server.createDatabase()
    const { port, pathname } = new URL(url)
    for (const DATABASE_URL of [url, `postgres://postgres@localhost${pathname}?port=${port}`]) {
      const ask = createRequester(
        await startServer({ env: { DATABASE_URL, EGRESS_ALLOW: '127.0.0.1, [::1], localhost' } }),
      )
      for (const host of ['127.0.0.1', 'localhost', '2130706433']) {
        const { body } = await ask('POST', CHECK, { body: { url: `http://${host}:${port}/` } })
        assert.equal(body.reason, 'own', `${host} with ${DATABASE_URL}`)
      }
    }
  })
})
