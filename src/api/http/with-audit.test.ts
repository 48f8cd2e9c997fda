import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../domain/errors.ts'
import { withAudit } from './with-audit.ts'

const route = { audit: { action: 'document.delete' } } as unknown as Parameters<typeof withAudit>[0]

/** A call whose audit entry can be written or fails. */
const callWith = (record: () => Promise<void>) =>
  ({
    services: { audit: { record } },
    subject: { user_id: 'someone', api_key_id: null, email: null },
    sentFields: () => [],
    requestId: 'request',
  }) as unknown as Parameters<typeof withAudit>[1]

for (const code of ['STORE_READ_ONLY', 'STORE_FULL'] as const) {
  test(`${code} while a completed action is audited is not reported as "nothing was stored"`, async () => {
    let isDone = false
    const call = callWith(async () => {
      throw new AppError(code)
    })
    const act = () => {
      isDone = true
    }
    await assert.rejects(async () => withAudit(route, call, act), { code: 'STORE_UNAVAILABLE' })
    assert.ok(isDone)
  })
}

test('an error of the action itself is passed on', async () => {
  const call = callWith(async () => {})
  const act = () => {
    throw new AppError('STORE_READ_ONLY')
  }
  await assert.rejects(async () => withAudit(route, call, act), { code: 'STORE_READ_ONLY' })
})
