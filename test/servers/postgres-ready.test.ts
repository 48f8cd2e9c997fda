// The readiness of the service while PostgreSQL is unavailable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../http.ts'
import { type Server, startServer, waitFor } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

const document = (id: string) => ({
  document: { id, semantic_identifier: id, sections: [{ text: 'heliotrope' }], metadata: {} },
})
const ready = ({ api }: Server) => api('GET', '/health/ready')
const push = ({ api }: Server, id: string) => api('POST', '/service-api/ingestion', document(id))
const search = ({ api }: Server) => api('POST', '/search', { query: 'heliotrope' })
const remove = ({ api }: Server, id: string) => api('DELETE', `/service-api/ingestion/${id}`)

function assertRefused({ status, headers, body }: Answer, reason: RegExp): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(String(headers['retry-after']), /^\d+$/)
  assert.match((body as { detail: string }).detail, reason)
}

async function becomesReady(server: Server): Promise<void> {
  await waitFor(async () => (await ready(server)).status === 200, 'a service that is ready', 60_000)
}

await onPostgres((postgres) => {
  test('without PostgreSQL the service is not ready, and every request is 503 with Retry-After', async () => {
    const server = await startServer({ env: { DATABASE_URL: await postgres.createDatabase() } })
    await becomesReady(server)
    assert.equal((await push(server, 'a')).status, 200)
    await postgres.kill()
    try {
      await waitFor(async () => (await ready(server)).status === 503, 'a service that is not ready')
      const answer = await ready(server)
      assertRefused(answer, /^The database does not respond/)
      const { success, message, data } = answer.body as { success: boolean; message: string; data: { pending: number } }
      assert.deepEqual([success, typeof message, typeof data.pending], [false, 'string', 'number'])
      assert.equal((await server.api('GET', '/health')).status, 200)
      for (const it of [await push(server, 'b'), await search(server), await remove(server, 'a')])
        assertRefused(it, /./)
    } finally {
      await postgres.start()
    }
    await becomesReady(server)
    assert.equal((await push(server, 'b')).status, 200)
  })

  test('with a read-only PostgreSQL the service is not ready, and every write is 503 with Retry-After', async () => {
    const url = await postgres.createDatabase()
    const server = await startServer({ env: { DATABASE_URL: url } })
    assert.equal((await push(server, 'a')).status, 200)
    await becomesReady(server)
    const name = new URL(url).pathname.slice(1)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
    await postgres.query(`alter database ${name} set default_transaction_read_only = on`)
    // Like a failover: each connection is new and finds a standby.
    await postgres.query(end)
    await waitFor(async () => (await ready(server)).status === 503, 'a service that is not ready')
    assertRefused(await ready(server), /read-only/)
    for (const it of [await push(server, 'b'), await remove(server, 'a'), await search(server)]) {
      assertRefused(it, /read-only|does not respond/)
      assert.notEqual((it.body as { error_code: string }).error_code, 'STORE_UNFIT')
    }
    await postgres.query(`alter database ${name} reset all`)
    await postgres.query(end)
    await becomesReady(server)
    assert.equal((await push(server, 'b')).status, 200)
  })

  test('open connections to a PostgreSQL that becomes read-only answer 503 too', async () => {
    const url = await postgres.createDatabase()
    const server = await startServer({ env: { DATABASE_URL: url } })
    await becomesReady(server)
    await postgres.query('alter system set default_transaction_read_only = on')
    await postgres.query('select pg_reload_conf()')
    try {
      await waitFor(async () => (await push(server, 'a')).status === 503, 'a refused write')
      assertRefused(await push(server, 'b'), /read-only/)
      await waitFor(async () => (await ready(server)).status === 503, 'a service that is not ready')
    } finally {
      await postgres.query('alter system reset all')
      await postgres.query('select pg_reload_conf()')
    }
    await becomesReady(server)
    await waitFor(async () => (await push(server, 'a')).status === 200, 'a write that is taken')
  })
})
