import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRunFixture, page } from '../../../test/connectors/run-fixture.ts'
import { type Connector, SourceError } from '../../connectors/connector.ts'
import type { ExternalAccess } from '../../domain/access.ts'
import { claimPair, findSchedule } from '../../store/sources/schedules.ts'
import { listSourceGroups } from '../../store/sources/source-access.ts'
import { runAccessSync } from './run-access-sync.ts'
import { runAttempt } from './run-attempt.ts'

const { db, needs, clock, play, makePair } = await openRunFixture()

async function run(pair: number, runner: typeof runAttempt) {
  clock.time += 1_000
  const schedule = await findSchedule(db, pair)
  const lease = await claimPair(db, schedule!, { holder: 'me', now: clock.time, until: clock.time + 60_000 })
  await runner(needs, { lease: lease!, signal: new AbortController().signal, shouldYield: () => false })
  return (await findSchedule(db, pair))!
}

const anne = access(['anne@x.example'])
const NOBODY = access([])

function access(external_user_emails: string[], external_user_group_ids: string[] = []): ExternalAccess {
  return { is_public: false, external_user_emails, external_user_group_ids }
}

const accessOf = async (id: string): Promise<ExternalAccess> => {
  const row = await db.selectFrom('document').select('external_access').where('id', '=', id).executeTakeFirstOrThrow()
  return JSON.parse(row.external_access!)
}

/** A pair of the connector after one sync, with two documents that Anne may read. */
async function read(name: string, connector: Partial<Connector>) {
  const pair = await makePair({ access_type: 'sync' })
  const load: Connector['load'] = async function* () {
    for (const id of [`${name}1`, `${name}2`]) {
      const item = page(id)
      if (item.type === 'document') yield { ...item, document: { ...item.document, external_access: anne } }
    }
  }
  play({ load, ...connector })
  const { connector_id } = await run(pair, runAttempt)
  return { pair, prefix: `fake:${connector_id}:`, load }
}

test('a permission change in the source takes effect without reading the document again', async () => {
  const { pair, prefix } = await read('a', {
    async *access() {
      yield { id: 'a1', external_access: access(['bob@x.example', 'anne@x.example'], ['staff']) }
      yield { id: 'unknown', external_access: anne }
    },
  })
  const schedule = await run(pair, runAccessSync)
  assert.deepEqual([schedule.access_synced, schedule.access_error, schedule.lease_until], [clock.time, null, null])
  assert.deepEqual(await accessOf('a1'), access(['anne@x.example', 'bob@x.example'], [`${prefix}staff`]))
  assert.deepEqual(await accessOf('a2'), NOBODY, 'documents that the source does not list are hidden')
})

test('unchanged permissions are not written again', async () => {
  const { pair } = await read('b', {
    async *access() {
      for (const id of ['b1', 'b2']) yield { id, external_access: anne }
    },
  })
  const versions = () => db.selectFrom('document').select('version').where('id', 'in', ['b1', 'b2']).execute()
  const before = await versions()
  await run(pair, runAccessSync)
  assert.deepEqual(await versions(), before)
})

test('group members are matched case-insensitively, until the source removes them', async () => {
  let emails = ['Carla@X.example', 'dan@x.example']
  const { pair, prefix } = await read('c', {
    async *groups() {
      yield { id: 'staff', emails }
      yield { id: 'board', emails: emails.slice(0, 1) }
    },
  })
  await run(pair, runAccessSync)
  assert.deepEqual(await listSourceGroups(db, 'carla@x.EXAMPLE'), [`${prefix}board`, `${prefix}staff`])
  emails = ['dan@x.example']
  await run(pair, runAccessSync)
  assert.deepEqual(await listSourceGroups(db, 'carla@x.example'), [])
})

test('three consecutive failed permission syncs hide every document, and a successful one shows them again', async () => {
  let isIll = true
  const { pair } = await read('d', {
    async *groups() {
      yield { id: 'staff', emails: ['eve@x.example'] }
    },
    async *access() {
      yield { id: 'd1', external_access: anne }
      if (isIll) throw new SourceError('unavailable', 'x.example answers 500.')
      yield { id: 'd2', external_access: anne }
    },
  })
  for (const closed of [0, 0, 1]) {
    const schedule = await run(pair, runAccessSync)
    assert.deepEqual([schedule.access_closed, schedule.access_error], [closed, 'x.example answers 500.'])
    assert.ok(schedule.access_not_before! > clock.time)
    assert.deepEqual(await accessOf('d2'), closed === 1 ? NOBODY : anne)
  }
  assert.deepEqual([await accessOf('d1'), await listSourceGroups(db, 'eve@x.example')], [NOBODY, []])
  isIll = false
  const { access_closed, access_error } = await run(pair, runAccessSync)
  assert.deepEqual([access_closed, access_error, await accessOf('d1'), await accessOf('d2')], [0, null, anne, anne])
})

test('a rejected credential hides documents at once', async () => {
  const { pair } = await read('e', {
    // biome-ignore lint/correctness/useYield: it throws before the first item.
    async *access() {
      throw new SourceError('credential', 'It answers 401.')
    },
  })
  assert.equal((await run(pair, runAccessSync)).access_closed, 1)
  assert.deepEqual([await accessOf('e1'), await accessOf('e2')], [NOBODY, NOBODY])
})

test('without a permission listing, hidden documents become visible after a full sync', async () => {
  let isIll = true
  const { pair } = await read('f', {
    async *groups() {
      if (isIll) throw new SourceError('credential', 'It answers 401.')
      yield { id: 'staff', emails: [] }
    },
  })
  await run(pair, runAccessSync)
  assert.deepEqual(await accessOf('f1'), NOBODY)
  isIll = false
  assert.equal((await run(pair, runAccessSync)).open?.from_beginning, 1)
  await run(pair, runAttempt)
  assert.deepEqual(await accessOf('f1'), anne)
})
