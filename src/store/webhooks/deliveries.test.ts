import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import { insertStateDeliveries, listPendingDeliveries } from './deliveries.ts'
import { insertWebhook, pauseWebhook } from './webhooks.ts'

const { db } = await temporaryDatabase()
const secrets = { seal: () => 'sealed', open: () => 'opened' }

test('a paused webhook keeps the newest hundred run messages', async () => {
  const wanted = { url: 'https://one.example/', events: ['run.failed' as const], cc_pair_ids: null }
  const { id } = await insertWebhook({ db, secrets }, wanted, 'secret', 1)
  await pauseWebhook(db, id, 'It is paused.', 1)
  for (let at = 0; at < 103; at++) {
    await insertStateDeliveries(db, { cc_pair_id: 1, event: 'run.failed' }, () => ({
      message_id: `msg_${at}`,
      event: 'run.failed',
      payload: '{}',
      documents: 0,
      created_at: at,
      give_up_at: at,
    }))
  }
  const waiting = await listPendingDeliveries(db, id)
  assert.deepEqual([waiting.length, waiting[0]?.message_id, waiting.at(-1)?.message_id], [100, 'msg_3', 'msg_102'])
})
