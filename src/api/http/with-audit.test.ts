import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../domain/errors.ts'
import { withAudit } from './with-audit.ts'

const route = { audit: { action: 'document.delete' } } as unknown as Parameters<typeof withAudit>[0]

const call = {
  subject: { user_id: 'someone', api_key_id: null, email: null },
  sentFields: () => [],
  requestId: 'request',
} as unknown as Parameters<typeof withAudit>[2]

/** An audit log whose entries can be written or fail. */
const auditLogWith = (record: () => Promise<void>) => ({ audit: { record, recordRefusal: record } })

for (const code of ['STORE_READ_ONLY', 'STORE_FULL'] as const) {
  test(`${code} while a completed action is audited is not reported as "nothing was stored"`, async () => {
    let isDone = false
    const auditLog = auditLogWith(async () => {
      throw new AppError(code)
    })
    const act = () => {
      isDone = true
    }
    await assert.rejects(async () => withAudit(route, auditLog, call, act), { code: 'STORE_UNAVAILABLE' })
    assert.ok(isDone)
  })
}

test('an error of the action itself is passed on', async () => {
  const auditLog = auditLogWith(async () => {})
  const act = () => {
    throw new AppError('STORE_READ_ONLY')
  }
  await assert.rejects(async () => withAudit(route, auditLog, call, act), { code: 'STORE_READ_ONLY' })
})
