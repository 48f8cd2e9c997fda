import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer, waitFor } from '../server.ts'
import { createRequester, type Requester } from './request.ts'
import { connectorOf, documentOf, start } from './setup.ts'

const { ask, ok, push, found, receipt, alterRecord, listed, makeConnector, makeKey, makePair } = await start()
const PAIR = '/manage/admin/cc-pair'
const DELETION = '/manage/admin/deletion-attempt'

const connectorIdOf = async (pair: number): Promise<number> => (await ok('GET', `${PAIR}/${pair}`)).connector.id

const isGone = (asked: Requester, pair: number): Promise<boolean> =>
  waitFor(async () => (await asked('GET', `${PAIR}/${pair}`)).status === 404, `the end of pair ${pair}`)

test('the detail of a pair has every field', async () => {
  const id = await makePair('Shown', { name: 'The pair', access_type: 'private', groups: [1] })
  await push(documentOf('x', { id: 'shown' }), { cc_pair_id: id })
  const { connector, credential, creator, last_indexed, overall_indexing_speed, ...pair } = await ok(
    'GET',
    `${PAIR}/${id}`,
  )
  assert.deepEqual(pair, {
    id,
    name: 'The pair',
    status: 'ACTIVE',
    in_repeated_error_state: false,
    num_docs_indexed: 1,
    number_of_index_attempts: 0,
    last_index_attempt_status: null,
    latest_deletion_attempt: null,
    access_type: 'private',
    groups: [1],
    is_editable_for_current_user: true,
    permissions: { edit: true, delete: true, publish: true },
    deletion_failure_message: null,
    indexing: false,
    creator_email: null,
    last_pruned: null,
    last_full_permission_sync: null,
    latest_checkpoint_description: null,
    last_permission_sync_attempt_status: null,
    permission_syncing: false,
    last_permission_sync_attempt_finished: null,
    last_permission_sync_attempt_error_message: null,
    supports_targeted_reindex: false,
    pull: {
      state: 'pushed',
      reason: 'No connector reads "intranet". Documents must be pushed to this pair.',
      until: null,
      next: null,
      completeness: { source_documents: null, counted_at: null, indexed_documents: 1 },
    },
  })
  assert.deepEqual(connector, await ok('GET', `/manage/connector/${connector.id}`))
  assert.deepEqual(credential, await ok('GET', '/manage/credential/0'))
  assert.deepEqual([typeof creator, overall_indexing_speed > 0], ['string', true])
  assert.ok(Math.abs(Date.parse(last_indexed) - Date.now()) < 60_000)
})

test('the default pair is shown and cannot be changed', async () => {
  const { name, is_editable_for_current_user } = await ok('GET', `${PAIR}/1`)
  assert.deepEqual([name, is_editable_for_current_user], ['DefaultCCPair', false])
  const { connector, credential } = await ok('GET', `${PAIR}/1`)
  const ids = { connector_id: connector.id, credential_id: credential.id }
  for (const [method, path, body] of [
    ['PUT', `${PAIR}/1/status`, { status: 'PAUSED' }],
    ['PUT', `${PAIR}/1/name?new_name=x`, undefined],
    ['PUT', `${PAIR}/1/property`, { name: 'refresh_frequency', value: '60' }],
    ['POST', DELETION, ids],
  ] as const) {
    const reply = await ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'CONNECTOR_BUILT_IN'], `${method} ${path}`)
  }
})

for (const [method, path, body] of [
  ['GET', `${PAIR}/424242`, undefined],
  ['PUT', `${PAIR}/424242/status`, { status: 'ACTIVE' }],
  ['PUT', `${PAIR}/424242/name?new_name=x`, undefined],
  ['PUT', `${PAIR}/424242/property`, { name: 'refresh_frequency', value: '60' }],
  ['GET', `${PAIR}/424242/last_pruned`, undefined],
  ['GET', `${PAIR}/424242/index-attempts`, undefined],
  ['GET', `${PAIR}/424242/errors`, undefined],
  ['GET', '/service-api/connector-docs/424242', undefined],
] as const) {
  test(`${method} ${path} is 404`, async () => {
    const reply = await ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [404, 'CC_PAIR_NOT_FOUND'])
  })
}

test('a pair can be paused and resumed, and accepts documents in both states', async () => {
  const id = await makePair('Paused')
  assert.deepEqual(await ok('PUT', `${PAIR}/${id}/status`, { body: { status: 'PAUSED' } }), { message: '200' })
  assert.equal((await ok('GET', `${PAIR}/${id}`)).status, 'PAUSED')
  assert.equal((await listed()).find((it) => it.cc_pair_id === id).cc_pair_status, 'PAUSED')
  await push(documentOf('persimmon', { id: 'paused' }), { cc_pair_id: id })
  assert.deepEqual(await found('persimmon'), ['paused'])
  await ok('PUT', `${PAIR}/${id}/status`, { body: { status: 'active' } })
  assert.equal((await ok('GET', `${PAIR}/${id}`)).status, 'ACTIVE')
})

for (const [status, code] of [
  ['DELETING', 400],
  ['INVALID', 400],
  ['SCHEDULED', 400],
  ['BUSY', 422],
] as const) {
  test(`the status cannot be set to ${status}`, async () => {
    const id = await makePair(`Not ${status}`)
    const reply = await ask('PUT', `${PAIR}/${id}/status`, { body: { status } })
    assert.equal(reply.status, code)
    if (code === 422) return
    assert.deepEqual(reply.body, {
      error_code: 'INVALID_INPUT',
      detail: 'Connector status can only be set to ACTIVE or PAUSED.',
    })
  })
}

test('renaming a pair does not rename its connector', async () => {
  const id = await makePair('Old name')
  assert.deepEqual(await ok('PUT', `${PAIR}/${id}/name?new_name=New%20name`), {
    success: true,
    message: 'Name updated successfully',
    data: id,
  })
  const { name, connector } = await ok('GET', `${PAIR}/${id}`)
  assert.deepEqual([name, connector.name], ['New name', 'Old name'])
  for (const query of ['', '?new_name=']) {
    assert.equal((await ask('PUT', `${PAIR}/${id}/name${query}`)).status, 422)
  }
})

test('refresh and prune frequency can be set', async () => {
  const id = await makePair('Often')
  const set = (name: string, value: string) => ok('PUT', `${PAIR}/${id}/property`, { body: { name, value } })
  assert.deepEqual(await set('refresh_frequency', '60'), {
    success: true,
    message: 'Property updated successfully',
    data: id,
  })
  await set('pruning_frequency', '300')
  const { refresh_freq, prune_freq } = (await ok('GET', `${PAIR}/${id}`)).connector
  assert.deepEqual([refresh_freq, prune_freq], [60, 300])
})

for (const [name, value, detail] of [
  ['refresh_frequency', '59', '`refresh_freq` must be greater than or equal to 1 minute.'],
  ['pruning_frequency', '299', '`prune_freq` must be greater than or equal to 5 minutes.'],
  ['refresh_frequency', 'often', '`refresh_freq` is a number of seconds.'],
  ['name', '60', 'Property is refresh_frequency or pruning_frequency.'],
] as const) {
  test(`${name} cannot be "${value}"`, async () => {
    const reply = await ask('PUT', `${PAIR}/1/property`, { body: { name, value } })
    assert.deepEqual([reply.status, reply.body], [400, { error_code: 'INVALID_INPUT', detail }])
  })
}

test('a pushed pair has no prune time and no index attempts', async () => {
  const id = await makePair('Pushed to')
  assert.equal(await ok('GET', `${PAIR}/${id}/last_pruned`), null)
  assert.deepEqual(await ok('GET', `${PAIR}/${id}/index-attempts?page_num=0&page_size=10`), {
    items: [],
    total_items: 0,
  })
})

test('failed documents are the errors of their pair, page by page', async () => {
  const id = await makePair('Failing')
  for (const name of ['first', 'second', 'good']) {
    await push(documentOf('x', { id: `failing ${name}`, sections: [{ text: 'x', link: `https://a/${name}` }] }), {
      cc_pair_id: id,
    })
  }
  await alterRecord(
    "update receipt set error = 'no way', indexed_at = null where document_id in ('failing first', 'failing second')",
  )
  const { items, total_items } = await ok('GET', `${PAIR}/${id}/errors`)
  assert.equal(total_items, 2)
  const [{ id: errorId, time_created, request_id, ...error }] = items
  assert.deepEqual(error, {
    connector_credential_pair_id: id,
    document_id: 'failing second',
    document_link: 'https://a/second',
    entity_id: null,
    failed_time_range_start: null,
    failed_time_range_end: null,
    failure_message: 'no way',
    is_resolved: false,
    index_attempt_id: null,
    error_type: null,
  })
  assert.deepEqual([Number.isInteger(errorId), Number.isNaN(Date.parse(time_created))], [true, false])
  assert.match(request_id, /^[0-9a-f-]{36}$/)
  const page = await ok('GET', `${PAIR}/${id}/errors?page_num=1&page_size=1&include_resolved=true`)
  assert.deepEqual([page.items[0].document_id, page.items.length, page.total_items], ['failing first', 1, 2])
})

for (const query of ['errors?page_size=101', 'errors?page_num=-1', 'index-attempts?page_size=1001']) {
  test(`${query} is rejected`, async () => assert.equal((await ask('GET', `${PAIR}/1/${query}`)).status, 422))
}

test('deleting a pair deletes its documents, except those of other pairs too', async () => {
  const id = await makePair('Doomed')
  const kept = await makePair('Kept')
  const connector_id = await connectorIdOf(id)
  await ok('POST', '/manage/admin/document-set', {
    body: { name: 'With the doomed', description: '', cc_pair_ids: [id, kept], is_public: true },
  })
  await push(documentOf('quince', { id: 'only in doomed' }), { cc_pair_id: id })
  await push(documentOf('quince', { id: 'in both' }), { cc_pair_id: id })
  await push(documentOf('quince', { id: 'in both' }), { cc_pair_id: kept })
  const body = { connector_id, credential_id: 0 }
  assert.equal(await ok('POST', DELETION, { body }), null)
  assert.deepEqual(await found('quince'), ['in both'])
  assert.ok(await isGone(ask, id))

  assert.deepEqual(await found('quince'), ['in both'])
  assert.equal((await ask('GET', '/service-api/ingestion/only%20in%20doomed')).status, 404)
  assert.deepEqual((await receipt('in both')).cc_pairs, [{ id: kept, name: 'Kept' }])
  const sets: { name: string; cc_pair_summaries: { id: number }[] }[] = await ok('GET', '/manage/document-set')
  const set = sets.find((it) => it.name === 'With the doomed')
  assert.deepEqual(
    set?.cc_pair_summaries.map((it) => it.id),
    [kept],
  )
  assert.equal((await ask('GET', `/manage/connector/${connector_id}`)).status, 404, 'the connector goes with its pair')
  const again = await ask('POST', DELETION, { body })
  assert.deepEqual(
    [again.status, again.body],
    [
      404,
      {
        error_code: 'CONNECTOR_NOT_FOUND',
        detail: `Connector with ID ${connector_id} and credential ID 0 does not exist.`,
      },
    ],
  )
})

test('a document in the trash of a deleted pair can be pushed again', async () => {
  const id = await makePair('Trashed')
  await push(documentOf('medlar', { id: 'again' }), { cc_pair_id: id })
  await ok('POST', DELETION, { body: { connector_id: await connectorIdOf(id), credential_id: 0 } })
  assert.ok(await isGone(ask, id))
  await push(documentOf('medlar', { id: 'again' }))
  assert.deepEqual(await found('medlar'), ['again'])
})

test('a connector remains while it has another pair', async () => {
  const connector_id = await makeConnector('Of two', { source: 'zendesk' })
  const body = { credential_json: { t: 'x' }, admin_public: true, source: 'zendesk' }
  const { id: credential_id } = await ok('POST', '/manage/credential', { body })
  const { data: first } = await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  await ok('PUT', `/manage/admin/connector/${connector_id}/credential/${credential_id}`)
  await ok('POST', DELETION, { body: { connector_id, credential_id: 0 } })
  assert.ok(await isGone(ask, first))
  assert.deepEqual((await ok('GET', `/manage/connector/${connector_id}`)).credential_ids, [credential_id])
})

test('a pair in deletion shows nothing, accepts nothing and cannot be changed', async () => {
  const id = await makePair('Closing')
  const connector_id = await connectorIdOf(id)
  await push(documentOf('bergamot', { id: 'closing' }), { cc_pair_id: id })
  // Written directly to the database, so that the program does not start the deletion yet.
  await alterRecord(`update cc_pair set status = 'DELETING' where id = ${id}`)
  assert.deepEqual(await found('bergamot'), [])
  const pair = await ok('GET', `${PAIR}/${id}`)
  assert.deepEqual(pair.latest_deletion_attempt, { connector_id, credential_id: 0, status: 'STARTED' })
  assert.deepEqual(pair.permissions, { edit: false, delete: false, publish: false })
  const item = (await listed()).find((it) => it.cc_pair_id === id)
  assert.deepEqual(
    [item.cc_pair_status, item.is_editable, item.status_reason],
    ['DELETING', false, 'This pair is being deleted: 1 of its documents are left.'],
  )
  const document = documentOf('bergamot', { id: 'late' })
  const set = { name: 'Too late', description: '', cc_pair_ids: [id], is_public: true }
  for (const [method, path, status, code, body] of [
    ['POST', '/service-api/ingestion', 404, 'CC_PAIR_NOT_FOUND', { document, cc_pair_id: id }],
    ['POST', '/manage/admin/document-set', 404, 'CC_PAIR_NOT_FOUND', set],
    ['PUT', `${PAIR}/${id}/status`, 409, 'CC_PAIR_DELETING', { status: 'ACTIVE' }],
    ['PUT', `${PAIR}/${id}/name?new_name=x`, 409, 'CC_PAIR_DELETING', undefined],
    ['PUT', `/manage/admin/connector/${connector_id}/credential/0`, 409, 'CC_PAIR_DELETING', undefined],
  ] as const) {
    const reply = await ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [status, code], `${method} ${path}`)
  }
  await ok('POST', DELETION, { body: { connector_id, credential_id: 0 } })
  assert.ok(await isGone(ask, id))
})

async function inFolder(dataDir: string) {
  const server = await startServer({ dataDir, keep: true, env: { LOG_LEVEL: 'warn' } })
  return { server, ask: createRequester(server) }
}

test('a deletion that a crash interrupted is finished after the next start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-deletion-'))
  const before = await inFolder(dataDir)
  const { body: connector } = await before.ask('POST', '/manage/admin/connector', { body: connectorOf('Large') })
  const { body: pair } = await before.ask('PUT', `/manage/admin/connector/${connector.id}/credential/0`)
  const pushed = Array.from({ length: 1_000 }, (_, at) =>
    before.ask('POST', '/service-api/ingestion', {
      body: { document: documentOf('damson', { id: `large ${at}` }), cc_pair_id: pair.data },
    }),
  )
  for (const { status } of await Promise.all(pushed)) assert.equal(status, 200)
  const body = { connector_id: connector.id, credential_id: 0 }
  assert.equal((await before.ask('POST', DELETION, { body })).status, 200)
  await before.server.kill()

  const after = await inFolder(dataDir)
  const refused = await after.ask('POST', '/service-api/ingestion', {
    body: { document: documentOf('damson'), cc_pair_id: pair.data },
  })
  assert.deepEqual([refused.status, refused.body.error_code], [404, 'CC_PAIR_NOT_FOUND'])
  assert.ok(await isGone(after.ask, pair.data))
  assert.deepEqual((await after.ask('GET', '/service-api/ingestion')).body, [])
  const { body: answer } = await after.ask('POST', '/search', { body: { query: 'damson' } })
  assert.deepEqual(answer.results, [])
  await after.server.stop()
})

test('the documents of a pair are listed in order, in short form', async () => {
  const id = await makePair('Listed')
  for (const name of ['b', 'a']) {
    const sections = [{ text: 'x', link: `https://a/${name}` }]
    await push(documentOf('x', { id: `listed ${name}`, semantic_identifier: `The ${name}`, sections }), {
      cc_pair_id: id,
    })
  }
  const [first, second] = [
    { document_id: 'listed a', semantic_id: 'The a', link: 'https://a/a' },
    { document_id: 'listed b', semantic_id: 'The b', link: 'https://a/b' },
  ]
  const path = `/service-api/connector-docs/${id}`
  assert.deepEqual(await ok('GET', path), [first, second])
  assert.deepEqual(await ok('GET', `/onyx-api/connector-docs/${id}?limit=1`), [first])
  assert.deepEqual(await ok('GET', `${path}?after=listed%20a`), [second])
})

test('an ingestion key lists only documents of pairs that it may read', async () => {
  const open = await makePair('Open to pushers', { access_type: 'public' })
  const closed = await makePair('Closed to pushers', { access_type: 'private' })
  await push(documentOf('x', { id: 'pushed open' }), { cc_pair_id: open })
  await push(documentOf('x', { id: 'pushed closed' }), { cc_pair_id: closed })
  const key = await makeKey({ role: 'limited', scopes: ['ingest'] })
  const ids = async (question = {}): Promise<string[]> =>
    (await ok('GET', '/service-api/ingestion', question)).map((it: { document_id: string }) => it.document_id)
  const [all, own] = [await ids(), await ids({ key })]
  assert.deepEqual(all, all.toSorted())
  assert.deepEqual([all.includes('pushed open'), all.includes('pushed closed')], [true, true])
  assert.deepEqual([own.includes('pushed open'), own.includes('pushed closed')], [true, false])
  assert.equal((await ask('GET', `/service-api/connector-docs/${closed}`, { key })).status, 404)
  await ok('DELETE', '/service-api/ingestion/pushed%20open')
  assert.ok(!(await ids()).includes('pushed open'))
})
