import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkpoint, openRunFixture, page } from '../../../test/connectors/run-fixture.ts'
import { type Connector, type ConnectorContext, type ConnectorItem, SourceError } from '../../connectors/connector.ts'
import { claimPair, findSchedule, type PairLease } from '../../store/sources/schedules.ts'
import { runAttempt } from './run-attempt.ts'
import { CANCELED, type RunSlot } from './run-slot.ts'

const { db, needs, clock, play, makePair } = await openRunFixture()

async function take(pair: number): Promise<PairLease> {
  const schedule = await findSchedule(db, pair)
  const lease = await claimPair(db, schedule!, { holder: 'me', now: clock.time, until: clock.time + 60_000 })
  assert.ok(lease)
  return lease
}

async function run(
  pair: number,
  {
    signal = new AbortController().signal,
    shouldYield = () => false,
  }: Partial<Pick<RunSlot, 'signal' | 'shouldYield'>> = {},
) {
  clock.time += 1_000
  await runAttempt(needs, { lease: await take(pair), signal, shouldYield })
  return (await findSchedule(db, pair))!
}

const load = (items: (pull: ConnectorContext) => AsyncGenerator<ConnectorItem, void>): Partial<Connector> => ({
  load: items,
})

async function ids(pair: number): Promise<string[]> {
  const rows = await db
    .selectFrom('document_cc_pair')
    .select('document_id')
    .where('cc_pair_id', '=', pair)
    .orderBy('document_id')
    .execute()
  return rows.map((it) => it.document_id)
}

const accessOf = async (id: string) => {
  const { external_access } = await db
    .selectFrom('document')
    .select('external_access')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return external_access === null ? null : JSON.parse(external_access)
}

test('the run after an aborted one starts at its checkpoint, with the same time range', async () => {
  const pair = await makePair()
  const seen: ConnectorContext[] = []
  play(
    load(async function* (pull) {
      seen.push(pull)
      if (pull.checkpoint === null) {
        yield page('a1')
        yield checkpoint({ after: 'a1' })
        yield page('a2')
        throw new Error('lost')
      }
      yield page('a3')
    }),
  )
  const broken = await run(pair)
  assert.deepEqual([broken.last?.status, broken.failures], ['failed', 1])
  assert.match(broken.last?.error_msg ?? '', /The connector failed: lost/)
  assert.deepEqual(await ids(pair), ['a1'], 'what came after the checkpoint will come again')
  const whole = await run(pair)
  assert.deepEqual([whole.last?.status, whole.failures, whole.status], ['success', 0, 'ACTIVE'])
  assert.deepEqual(await ids(pair), ['a1', 'a3'])
  assert.deepEqual([seen[1]!.checkpoint, seen[1]!.until], [{ after: 'a1' }, seen[0]!.until])
  assert.equal(whole.polled_until, seen[0]!.until)
})

test('an idle source fails the attempt, and documents read before stay', async () => {
  const pair = await makePair()
  const hanging = Promise.withResolvers<void>()
  play(
    load(async function* () {
      yield page('silent')
      yield checkpoint('silent')
      hanging.resolve()
      await new Promise(() => {})
    }),
  )
  const { sleep } = needs
  needs.sleep = async (ms) => {
    await hanging.promise
    clock.time += ms
  }
  const broken = await run(pair)
  needs.sleep = sleep
  assert.deepEqual([broken.last?.status, broken.failures], ['failed', 1])
  const sentence = 'The source sent nothing for 15 minutes.'
  assert.equal(broken.last?.error_msg, sentence)
  assert.deepEqual(await ids(pair), ['silent'])
})

test('after five failures at one checkpoint a run starts over, because the checkpoint may be the cause', async () => {
  const pair = await makePair()
  const checkpoints: unknown[] = []
  play(
    load(async function* (pull) {
      checkpoints.push(pull.checkpoint)
      if (pull.checkpoint !== null) throw new Error('poisoned')
      yield checkpoint('place')
      throw new Error('first')
    }),
  )
  for (let at = 0; at < 7; at++) await run(pair)
  assert.deepEqual(checkpoints, [null, 'place', 'place', 'place', 'place', null, null])
})

test('the next run reads changes since the start of the last one, with an overlap', async () => {
  const pair = await makePair()
  const windows: (number | null)[] = []
  play(
    load(async function* (pull) {
      windows.push(pull.since)
      yield page('b1')
    }),
  )
  const first = await run(pair)
  await run(pair)
  assert.deepEqual(windows, [null, first.polled_until! - 300_000])
})

test('a holder that lost its lease writes nothing', async () => {
  const pair = await makePair()
  play(
    load(async function* () {
      yield page('c1')
      yield checkpoint(1)
      clock.time += 120_000
      await take(pair)
      const failure = { document_id: 'c3', link: null, stage: 'fetch', message: 'Gone.' } as const
      yield { type: 'failure', ...failure }
      yield { ...page('c2'), note: { key: 'c2', value: 'etag' } } as ConnectorItem
      yield checkpoint(2)
    }),
  )
  const { open } = await run(pair)
  assert.deepEqual([open?.status, open?.checkpoint, await ids(pair)], ['in_progress', '1', ['c1']])
  for (const table of ['index_attempt_error', 'source_note'] as const) {
    assert.deepEqual(await db.selectFrom(table).selectAll().where('cc_pair_id', '=', pair).execute(), [])
  }
})

test('a cancellation ends an attempt, and a shutdown or a yielded slot leaves it open', async () => {
  const pair = await makePair()
  const abort = new AbortController()
  play(
    load(async function* (pull) {
      yield checkpoint(1)
      if (pull.checkpoint === null) abort.abort(CANCELED)
      yield page('d1')
    }),
  )
  assert.equal((await run(pair, { signal: abort.signal })).last?.status, 'canceled')
  const waiting = await run(pair, { shouldYield: () => true })
  assert.deepEqual([waiting.open?.status, waiting.lease_until, await ids(pair)], ['in_progress', null, []])
  assert.equal((await run(pair)).last?.status, 'success')
})

test('a configuration or credential error makes the pair INVALID, an unreachable source does not', async () => {
  for (const [fault, status] of [
    ['credential', 'INVALID'],
    ['config', 'INVALID'],
    ['unavailable', 'INITIAL_INDEXING'],
  ] as const) {
    const pair = await makePair()
    play(
      load(async function* () {
        yield page(`e-${fault}`)
        yield checkpoint(1)
        throw new SourceError(fault, 'It says no.', { field: 'credential_json.token' })
      }),
    )
    const schedule = await run(pair)
    assert.deepEqual(
      [schedule.status, schedule.failure_kind, schedule.last?.error_msg, await ids(pair)],
      [status, fault, 'credential_json.token: It says no.', [`e-${fault}`]],
    )
  }
})

test('a rejected document is an error of its own, which is resolved once it is accepted', async () => {
  const pair = await makePair()
  let isGood = false
  play(
    load(async function* () {
      yield page('f1', isGood ? 'short' : 'x'.repeat(30_000_000))
      yield page('f2')
      yield { type: 'skipped', id: 'f3', link: null, reason: 'Not wanted.' }
      yield { type: 'failure', document_id: null, link: 'https://x.example/f4', stage: 'fetch', message: 'No answer.' }
    }),
  )
  const errors = async () => {
    const rows = await db
      .selectFrom('index_attempt_error')
      .select(['document_id', 'document_link', 'stage'])
      .where('cc_pair_id', '=', pair)
      .where('is_resolved', '=', 0)
      .orderBy('stage')
      .execute()
    return rows.map((it) => ({ ...it }))
  }
  const { last } = await run(pair)
  assert.deepEqual(
    [last?.status, last?.total_docs, last?.new_docs, last?.skipped_docs, last?.error_count],
    ['completed_with_errors', 2, 1, 1, 2],
  )
  const unread = { document_id: null, document_link: 'https://x.example/f4', stage: 'fetch' }
  assert.deepEqual(await errors(), [{ document_id: 'f1', document_link: null, stage: 'accept' }, unread])
  isGood = true
  await run(pair)
  assert.deepEqual(await errors(), [unread], 'what fails at every run is listed once')
})

test('a pair with access type sync shows a document only to the readers that the source names', async () => {
  const pair = await makePair({ access_type: 'sync' })
  const access = { is_public: false, external_user_emails: ['ann@x.example'], external_user_group_ids: ['staff'] }
  play(
    load(async function* () {
      yield { type: 'document', document: { ...documentOf('g1'), external_access: access } }
      yield { type: 'document', document: documentOf('g2') }
    }),
  )
  const { connector_id } = await run(pair)
  assert.deepEqual(await accessOf('g1'), {
    ...access,
    external_user_group_ids: [`fake:${connector_id}:staff`],
  })
  assert.deepEqual(await accessOf('g2'), {
    is_public: false,
    external_user_emails: [],
    external_user_group_ids: [],
  })
})

const documentOf = (id: string) => ({ id, semantic_identifier: id, sections: [{ text: id }] })

test('the credential of a pair is decrypted only for its own run', async () => {
  const opened: number[] = []
  const pair = await makePair()
  play({})
  const openCredential = async (id: number) => {
    opened.push(id)
    return { credential_json: {}, allowed_origins: [] }
  }
  const turn = { lease: await take(pair), signal: new AbortController().signal, shouldYield: () => false }
  await runAttempt({ ...needs, openCredential }, turn)
  assert.deepEqual(opened, [0])
})

test('a connector that a curator configured changes no document of other groups', async () => {
  const own = await makePair({ access_type: 'private', groups: ['a'] })
  const same = await makePair({ access_type: 'private', groups: ['a'] })
  const others = [
    await makePair({ access_type: 'private', groups: ['b'] }),
    await makePair({ access_type: 'private', groups: ['a', 'b'] }),
    await makePair({ access_type: 'public' }),
  ]
  for (const [at, pair] of [same, ...others].entries()) {
    play(
      load(async function* () {
        yield page(`held-${at}`)
      }),
    )
    await run(pair)
  }
  const curate = (is_curated: 0 | 1) =>
    db
      .updateTable('connector')
      .set({ is_curated })
      .where('id', 'in', db.selectFrom('cc_pair').select('connector_id').where('id', '=', own))
      .execute()
  play(
    load(async function* () {
      for (const at of [0, 1, 2, 3]) yield page(`held-${at}`)
      yield page('held-new')
    }),
  )
  await curate(1)
  const { last } = await run(own)
  assert.deepEqual([last?.status, last?.error_count], ['completed_with_errors', 3])
  assert.deepEqual(await ids(own), ['held-0', 'held-new'])
  const { failure_message } = await db
    .selectFrom('index_attempt_error')
    .select('failure_message')
    .where('document_id', '=', 'held-1')
    .executeTakeFirstOrThrow()
  assert.match(failure_message, /belongs to a connector of other groups/)
  await curate(0)
  assert.equal((await run(own)).last?.status, 'success')
  assert.deepEqual(await ids(own), ['held-0', 'held-1', 'held-2', 'held-3', 'held-new'])
})
