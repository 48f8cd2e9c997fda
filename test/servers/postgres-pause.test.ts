// A pair is paused or deleted in the moment in which its run begins, by another process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OPERATOR } from '../../src/identity/keys/key-subject.ts'
import type { Database } from '../../src/store/database/database.ts'
import { insertCcPair } from '../../src/store/sources/cc-pairs.ts'
import { insertConnector } from '../../src/store/sources/connectors.ts'
import { beginAttempt } from '../../src/store/sources/index-attempts.ts'
import { claimPair } from '../../src/store/sources/schedules.ts'
import { waitFor } from '../server.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const NOW = 1_700_000_000_000

await onPostgres(async (server) => {
  let [db, other]: Database[] = []
  before(async () => {
    const url = await server.createDatabase()
    db = await open(url)
    other = await open(url)
  })
  after(async () => {
    await db?.close()
    await other?.close()
  })
  let made = 0
  const isWaiting = async () => {
    const rows = await server.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
    return rows.length > 0
  }

  async function makePair(status: string): Promise<number> {
    const name = `Pair ${++made}`
    const body = { name, source: 'file', input_type: 'poll' as const, access_type: 'public' as const }
    const times = { refresh_freq: null, prune_freq: null, indexing_start: null, groups: null }
    const connector_id = await insertConnector(db!, OPERATOR, { ...body, ...times, connector_specific_config: {} }, NOW)
    const pair = { connector_id, credential_id: 0, name, access_type: body.access_type, groups: [], status }
    return (await insertCcPair(db!, OPERATOR, { ...pair, isPulled: true }, NOW)).id
  }

  for (const [before, change] of [
    ['SCHEDULED', 'PAUSED'],
    ['SCHEDULED', 'DELETING'],
    ['ACTIVE', 'PAUSED'],
  ] as const) {
    test(`a run that begins while its pair changes from ${before} to ${change} does not begin`, async () => {
      const cc_pair_id = await makePair(before)
      const lease = await claimPair(db!, { cc_pair_id, fence: 0 }, { holder: 'here', now: NOW, until: NOW + 60_000 })
      assert.ok(lease !== undefined)
      let begun: ReturnType<typeof beginAttempt> | undefined
      await other!.transaction().execute(async (trx) => {
        await trx.updateTable('cc_pair').set({ status: change }).where('id', '=', cc_pair_id).execute()
        begun = beginAttempt(db!, lease, NOW)
        await waitFor(isWaiting, 'a run that waits')
      })
      assert.equal(await begun, undefined)
      const pair = db!.selectFrom('cc_pair').select('status').where('id', '=', cc_pair_id)
      assert.equal((await pair.executeTakeFirstOrThrow()).status, change)
      const attempts = db!.selectFrom('index_attempt').select('status').where('cc_pair_id', '=', cc_pair_id)
      assert.deepEqual(await attempts.where('status', '=', 'in_progress').execute(), [])
    })
  }
})
