// Settings and chat history in PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { startServer } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

await onPostgres((server) => {
  test('settings are saved once for a version, and their retention is counted', async () => {
    const ask = createRequester(await startServer({ env: { DATABASE_URL: await server.createDatabase() } }))
    const { ok, makeKey } = createSetup(ask)
    const { settings_version: expected_version, program } = await ok('GET', '/admin/configuration')
    assert.equal(program.database, 'postgresql')
    const saved = await Promise.all(
      ['Ada', 'Bob', 'Cyd'].map((company_name) =>
        ask('PATCH', '/admin/settings', { body: { company_name, query_history_type: 'normal', expected_version } }),
      ),
    )
    assert.deepEqual(saved.map((it) => it.status).sort(), [200, 409, 409])

    const key = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
    const { chat_session_id } = await ok('POST', '/chat/send-chat-message', {
      key,
      body: { message: 'Where does the okapi live?', stream: false },
    })
    const rows = await ok('GET', '/admin/settings/retention?chat_retention_days=0.00000001')
    const chats = rows.find((it: { kind: string }) => it.kind === 'chats')
    assert.deepEqual([chats.kept, chats.would_go], [1, 1])
    const { items } = await ok('GET', '/admin/chat-session-history?user_email=Ann@example.com')
    assert.deepEqual(
      items.map((it: { id: string }) => it.id),
      [chat_session_id],
    )
  })
})
