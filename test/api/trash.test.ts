// Deleted documents can be listed, restored and permanently deleted by their owners.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, receipt, makePair, makeKey, alterRecord } = await start()
const INGESTION = '/service-api/ingestion'
const TRASH = '/service-api/trash'
const DAY_MS = 86_400_000

type Item = Record<string, unknown> & { document_id: string }
const listed = async (query = '', key?: string): Promise<Item[]> =>
  (await ok('GET', `${TRASH}${query}`, key === undefined ? {} : { key })).items
const idsIn = async (query = '', key?: string) => (await listed(query, key)).map((it) => it.document_id)
const remove = (id: string, key?: string) =>
  ok('DELETE', `${INGESTION}/${encodeURIComponent(id)}`, key === undefined ? {} : { key })
const restore = async (ids: string[], more: Record<string, unknown> = {}, key?: string) => {
  const question = { body: { document_ids: ids, ...more }, ...(key !== undefined && { key }) }
  return (await ok('POST', `${TRASH}/restore`, question)).results
}
const settled = (id: string) => waitFor(async () => (await receipt(id)).status === 'indexed', `${id} to be indexed`)

let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', scopes: ['ingest', 'search'], user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'bob@example.com' })
})

test('a deleted document is listed with who deleted it, when, and until when it can be restored', async () => {
  await push(documentOf('text', { id: 'told', semantic_identifier: 'Told title', source: 'wiki' }))
  const admin = await makeKey({ role: 'admin', user_email: 'Boss@example.com' })
  await remove('told', admin)
  const [{ deleted_at, expires_at, request_id, ...item }] = (await listed('?limit=1')) as [Item]
  assert.deepEqual(item, {
    document_id: 'told',
    semantic_identifier: 'Told title',
    link: null,
    source: 'wiki',
    from_ingestion_api: true,
    cc_pairs: [{ id: 1, name: 'DefaultCCPair' }],
    deleted_by: 'boss@example.com',
    deletion_cause: 'request',
  })
  assert.equal(Date.parse(String(expires_at)) - Date.parse(String(deleted_at)), 30 * DAY_MS)
  assert.match(String(request_id), /\S/)
})

test('a restored document is found again, in all its pairs, and is no longer in the trash', async () => {
  const cc_pair_id = await makePair('Second pair')
  await push(documentOf('quokka', { id: 'restored' }))
  await push(documentOf('quokka', { id: 'restored' }), { cc_pair_id })
  await remove('restored')
  assert.ok(await waitFor(async () => (await found('quokka')).length === 0, 'it to be gone'))
  assert.deepEqual(await restore(['restored']), [
    { document_id: 'restored', status: 'restored', held_from_prune: false },
  ])
  await settled('restored')
  assert.deepEqual(await found('quokka'), ['restored'])
  const pairs = (await receipt('restored')).cc_pairs.map((it: { id: number }) => it.id)
  assert.deepEqual(pairs, [1, cc_pair_id])
  assert.equal((await idsIn()).includes('restored'), false)
})

test('several documents are restored independently, with an error for each one not in the trash', async () => {
  for (const id of ['several a', 'several b']) {
    await push(documentOf('x', { id }))
    await remove(id)
  }
  await push(documentOf('x', { id: 'living' }))
  const results = await restore(['several a', 'nobody', 'several b', 'living', 'several a'])
  assert.deepEqual(
    results.map((it: Item) => [it.document_id, it.status, it.error_code]),
    [
      ['several a', 'restored', undefined],
      ['nobody', 'failed', 'NOT_IN_TRASH'],
      ['several b', 'restored', undefined],
      ['living', 'failed', 'NOT_IN_TRASH'],
    ],
  )
})

test('a document whose pair was deleted is not made public: a pair must be specified', async () => {
  const { id: connector_id } = await ok('POST', '/manage/admin/connector', {
    body: {
      name: 'Gone',
      source: 'intranet',
      input_type: 'poll',
      access_type: 'private',
      connector_specific_config: {},
    },
  })
  const body = { access_type: 'private', groups: ['board'] }
  const { data } = await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`, { body })
  await push(documentOf('wombat', { id: 'of a gone pair' }), { cc_pair_id: data })
  await ok('POST', '/manage/admin/deletion-attempt', { body: { connector_id, credential_id: 0 } })
  assert.ok(await waitFor(async () => (await idsIn()).includes('of a gone pair'), 'it to be deleted'))
  const [item] = await listed('?limit=1')
  assert.equal(item?.deletion_cause, 'pair')
  assert.ok(await waitFor(async () => (await listed('?limit=1'))[0]?.cc_pairs, 'the pair to be gone'))
  const [refused] = await restore(['of a gone pair'])
  assert.deepEqual([refused.status, refused.error_code], ['failed', 'RESTORE_NEEDS_PAIR'])
  assert.equal((await ask('POST', `${TRASH}/restore`, { body: { document_ids: ['x'], cc_pair_id: 4711 } })).status, 404)
  const [named] = await restore(['of a gone pair'], { cc_pair_id: 1 })
  assert.equal(named.status, 'restored')
  await settled('of a gone pair')
  assert.deepEqual(await found('wombat'), ['of a gone pair'])
})

test('a document deleted before the upgrade requires a pair', async () => {
  await push(documentOf('x', { id: 'deleted early' }))
  await remove('deleted early')
  await alterRecord(
    `update document set trashed_pairs = null, deleted_by = null, deletion_cause = null where id = 'deleted early'`,
  )
  assert.deepEqual((await listed('?limit=1'))[0]?.cc_pairs, [])
  assert.equal((await restore(['deleted early']))[0].error_code, 'RESTORE_NEEDS_PAIR')
  assert.equal((await restore(['deleted early'], { cc_pair_id: 1 }))[0].status, 'restored')
})

test('permanently deleted documents are gone immediately and leave the database', async () => {
  await push(documentOf('x', { id: 'for good' }))
  await remove('for good')
  const body = { document_ids: ['for good', 'nobody'] }
  assert.deepEqual(await ok('POST', `${TRASH}/empty`, { body }), { deleted: 1 })
  assert.equal((await idsIn()).includes('for good'), false)
  assert.equal((await restore(['for good']))[0].error_code, 'NOT_IN_TRASH')
  assert.deepEqual(await ok('POST', `${TRASH}/empty`, { body }), { deleted: 0 })
})

test('emptying the trash does not delete live documents', async () => {
  await push(documentOf('numbat', { id: 'stays' }))
  assert.deepEqual(await ok('POST', `${TRASH}/empty`, { body: { document_ids: ['stays'] } }), { deleted: 0 })
  assert.deepEqual(await found('numbat'), ['stays'])
})

test('pages and filters: source, title, who deleted it, and when', async () => {
  await ok('POST', `${TRASH}/empty`, { body: { all: true } })
  for (const [id, title, source] of [
    ['f1', 'Annual 100% LEAVE', 'wiki'],
    ['f2', 'Sick leave', 'wiki'],
    ['f3', 'Travel_costs', 'mail'],
  ] as const) {
    await push(documentOf('x', { id, semantic_identifier: title, source }), {}, { key: ann })
    await remove(id, id === 'f3' ? ann : undefined)
  }
  assert.deepEqual(await idsIn(), ['f3', 'f2', 'f1'])
  const first = await ok('GET', `${TRASH}?limit=2`)
  const second = await ok('GET', `${TRASH}?limit=2&after=${first.next_after}`)
  assert.deepEqual(
    [first.items, second.items].map((it: Item[]) => it.map(({ document_id }) => document_id)),
    [['f3', 'f2'], ['f1']],
  )
  assert.equal(second.next_after, null)
  assert.deepEqual(await idsIn('?source=mail'), ['f3'])
  assert.deepEqual(await idsIn('?title=leave'), ['f2', 'f1'])
  assert.deepEqual(await idsIn('?title=0%25%20l'), ['f1'])
  assert.deepEqual(await idsIn('?title=l_costs'), ['f3'])
  assert.deepEqual(await idsIn('?title=%25'), ['f1'])
  assert.deepEqual(await idsIn('?deleted_by=ann@example.com'), ['f3'])
  const { deleted_at } = first.items[1]
  assert.deepEqual(await idsIn(`?until=${deleted_at}`), ['f1'])
  assert.ok((await idsIn(`?from=${deleted_at}`)).includes('f2'))
  for (const query of ['limit=0', 'limit=201', 'after=x', 'from=yesterday']) {
    assert.equal((await ask('GET', `${TRASH}?${query}`)).status, 422, query)
  }
})

test('a key that does not manage connectors sees and restores what its person pushed or deleted', async () => {
  await push(documentOf('x', { id: 'of ann' }), {}, { key: ann })
  await push(documentOf('x', { id: 'of the administrator' }))
  await push(documentOf('x', { id: 'deleted by bob' }))
  await remove('of ann')
  await remove('of the administrator')
  await remove('deleted by bob', bob)
  const [anns, bobs] = [await listed('', ann), await listed('', bob)]
  assert.deepEqual([anns[0]?.document_id, anns[0]?.deleted_by], ['of ann', null])
  assert.deepEqual(
    bobs.map((it) => [it.document_id, it.deleted_by]),
    [['deleted by bob', 'bob@example.com']],
  )
  assert.equal((await restore(['of ann'], {}, bob))[0].error_code, 'NOT_IN_TRASH')
  assert.equal((await restore(['deleted by bob'], {}, bob))[0].status, 'restored')
  assert.equal((await restore(['of ann'], {}, ann))[0].status, 'restored')
})

test('a key that does not manage connectors permanently deletes only what its user pushed', async () => {
  await push(documentOf('x', { id: 'anns own' }), {}, { key: ann })
  await push(documentOf('x', { id: 'of somebody else' }))
  await remove('anns own', bob)
  await remove('of somebody else', bob)
  const body = { document_ids: ['anns own', 'of somebody else'] }
  assert.deepEqual(await ok('POST', `${TRASH}/empty`, { key: bob, body }), { deleted: 0 })
  assert.ok((await ok('POST', `${TRASH}/empty`, { key: ann, body: { all: true } })).deleted >= 1)
  const left = await idsIn()
  assert.deepEqual([left.includes('anns own'), left.includes('of somebody else')], [false, true])
})

test('nothing is restored into a pair that the key may not read', async () => {
  const cc_pair_id = await makePair('Pair of the board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('x', { id: 'not into that' }), {}, { key: ann })
  await remove('not into that', ann)
  const body = { document_ids: ['not into that'], cc_pair_id }
  assert.equal((await ask('POST', `${TRASH}/restore`, { key: ann, body })).status, 404)
})

test('a document that a connector had read is held from pruning, and can be deleted', async () => {
  await push(documentOf('bilby', { id: 'of a source' }))
  await remove('of a source')
  await alterRecord(`update document set from_ingestion_api = 0, deletion_cause = 'prune' where id = 'of a source'`)
  const [{ held_from_prune }] = await restore(['of a source'])
  assert.equal(held_from_prune, true)
  await settled('of a source')
  await remove('of a source')
  assert.ok((await idsIn()).includes('of a source'))
})

test('restoring and permanent deletion are audited', async () => {
  await push(documentOf('x', { id: 'audited' }))
  await remove('audited')
  await restore(['audited'])
  await remove('audited')
  await ok('POST', `${TRASH}/empty`, { body: { document_ids: ['audited'] } })
  const entries = (await ask('GET', '/admin/audit?object_type=document&object_id=audited')).body
  const actions = (entries.items ?? entries).map((it: { action: string }) => it.action)
  assert.ok(actions.includes('document.restore') && actions.includes('document.purge'), JSON.stringify(actions))
})
