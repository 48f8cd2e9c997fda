import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, search, makeKey, makePair } = await start()
const SETS = '/manage/admin/document-set'
const setOf = (name: string, cc_pair_ids: number[], more = {}) => ({
  name,
  description: 'What belongs together',
  cc_pair_ids,
  is_public: true,
  ...more,
})
const make = (name: string, cc_pair_ids: number[], more = {}): Promise<number> =>
  ok('POST', SETS, { body: setOf(name, cc_pair_ids, more) })

let open: number
let closed: number
let basic: string
let member: string
before(async () => {
  open = await makePair('Open', { access_type: 'public' })
  closed = await makePair('Closed', { access_type: 'private', groups: [7] })
  await push(documentOf('walnut', { id: 'in open' }), { cc_pair_id: open })
  await push(documentOf('walnut', { id: 'in closed' }), { cc_pair_id: closed })
  await push(documentOf('walnut', { id: 'in neither' }))
  basic = await makeKey({ role: 'basic' })
  member = await makeKey({ role: 'basic', user_group_ids: ['7'] })
})

const foundIn = async (names: string[], key?: string): Promise<string[]> => {
  const { results } = await search('walnut', { document_sets: names }, key === undefined ? {} : { key })
  return results.map((it: { document_id: string }) => it.document_id).sort()
}

test('creating a set returns its id, and the set is listed', async () => {
  const id = await make('Shapes', [open, open], { users: ['u'], groups: [3, 'x'] })
  assert.ok(Number.isInteger(id))
  const { version, ...listed } = (await ok('GET', '/manage/document-set')).find((it: { id: number }) => it.id === id)
  assert.match(version, /^\d+$/)
  assert.deepEqual(listed, {
    id,
    name: 'Shapes',
    description: 'What belongs together',
    cc_pair_summaries: [{ id: open, name: 'Open', source: 'intranet', access_type: 'public' }],
    is_up_to_date: true,
    is_public: true,
    users: ['u'],
    groups: [3, 'x'],
    permissions: { edit: true, delete: true, publish: true },
    federated_connector_summaries: [],
  })
})

test('a search in a set finds only its documents', async () => {
  await make('Only open', [open])
  assert.deepEqual(await foundIn(['Only open']), ['in open'])
})

test('a search in two sets finds the documents of both', async () => {
  await make('Left', [open])
  await make('Right', [closed])
  assert.deepEqual(await foundIn(['Left', 'Right'], member), ['in closed', 'in open'])
})

test('a search in an unknown set finds nothing', async () => {
  assert.deepEqual(await foundIn(['nobody made it']), [])
})

test('a set does not give access to a private pair', async () => {
  await make('Mixed', [open, closed])
  assert.deepEqual(
    [await foundIn(['Mixed'], basic), await foundIn(['Mixed'], member)],
    [['in open'], ['in closed', 'in open']],
  )
})

test('a public set does not list pairs that the reader cannot access', async () => {
  const id = await make('Discreet', [open, closed], { groups: [7] })
  const listed = (await ok('GET', '/manage/document-set', { key: basic })).find((it: { id: number }) => it.id === id)
  assert.deepEqual(
    [listed.cc_pair_summaries.map((it: { id: number }) => it.id), listed.groups, listed.permissions],
    [[open], [], { edit: false, delete: false, publish: false }],
  )
})

test('a private set is visible only to its groups', async () => {
  await make('Private', [open], { is_public: false, groups: [7] })
  const names = async (key: string): Promise<string[]> =>
    (await ok('GET', '/manage/document-set', { key })).map((it: { name: string }) => it.name)
  assert.deepEqual([(await names(basic)).includes('Private'), (await names(member)).includes('Private')], [false, true])
  assert.deepEqual([await foundIn(['Private'], basic), await foundIn(['Private'], member)], [[], ['in open']])
})

test('get_editable lists nothing for users who cannot change sets', async () => {
  assert.deepEqual(await ok('GET', '/manage/document-set?get_editable=true', { key: basic }), [])
})

test('the list is paged by limit and after', async () => {
  const all: { id: number }[] = await ok('GET', '/manage/document-set')
  const ids = async (query: string): Promise<number[]> =>
    (await ok('GET', `/manage/document-set?${query}`)).map((it: { id: number }) => it.id)
  assert.deepEqual(await ids('limit=1'), [all[0]!.id])
  assert.deepEqual(
    await ids(`after=${all[0]!.id}`),
    all.slice(1).map((it) => it.id),
  )
})

test('a change applies to the next search', async () => {
  const id = await make('Changing', [open])
  const body = { id, description: '', cc_pair_ids: [1], is_public: true, users: [], groups: [] }
  assert.equal(await ok('PATCH', SETS, { body }), null)
  assert.deepEqual(await foundIn(['Changing']), ['in neither'])
  await ok('PATCH', SETS, { body: { ...body, name: 'Changed' } })
  assert.deepEqual([await foundIn(['Changing']), await foundIn(['Changed'])], [[], ['in neither']])
})

test('deleting a set keeps its documents', async () => {
  const id = await make('Short-lived', [open])
  assert.equal(await ok('DELETE', `${SETS}/${id}`), null)
  assert.deepEqual(await foundIn(['Short-lived']), [])
  assert.ok((await found('walnut')).includes('in open'))
  const { status, body } = await ask('DELETE', `${SETS}/${id}`)
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'DOCUMENT_SET_NOT_FOUND', detail: `Document set ${id} does not exist.` }],
  )
})

test('names of sets are unique', async () => {
  const id = await make('Taken', [open])
  const other = await make('Other', [open])
  const taken = {
    error_code: 'DUPLICATE_RESOURCE',
    detail: 'A document set named "Taken" already exists. Choose another name, or change the existing one.',
  }
  const change = { ...setOf('Taken', [open]), users: [], groups: [] }
  const refused = await ask('POST', SETS, { body: setOf('Taken', [open]) })
  assert.deepEqual([refused.status, refused.body], [409, taken])
  const renamed = await ask('PATCH', SETS, { body: { ...change, id: other } })
  assert.deepEqual([renamed.status, renamed.body], [409, taken])
  await ok('PATCH', SETS, { body: { ...change, id } })
})

const REFUSED: [body: object, status: number, code: string][] = [
  [setOf('No pairs', []), 400, 'VALIDATION_ERROR'],
  [setOf('Unknown pair', [424_242]), 404, 'CC_PAIR_NOT_FOUND'],
]
for (const [body, status, code] of REFUSED) {
  test(`a set is rejected with ${code} and not stored`, async () => {
    for (let turn = 0; turn < 2; turn++) {
      const reply = await ask('POST', SETS, { body })
      assert.deepEqual([reply.status, reply.body.error_code], [status, code])
    }
  })
}

for (const field of ['name', 'description', 'cc_pair_ids', 'is_public']) {
  test(`a set without ${field} is rejected`, async () => {
    const { [field]: _, ...body } = setOf('Incomplete', [1]) as Record<string, unknown>
    const reply = await ask('POST', SETS, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', field]])
  })
}

test('a change of an unknown set is 404', async () => {
  const body = { ...setOf('x', [1]), id: 424_242, users: [], groups: [] }
  assert.equal((await ask('PATCH', SETS, { body })).body.error_code, 'DOCUMENT_SET_NOT_FOUND')
})

test('an update with an old version is refused, and changes nothing', async () => {
  const id = await make('Versions', [open])
  const read = async () => (await ok('GET', '/manage/document-set')).find((it: { id: number }) => it.id === id)
  const { version } = await read()
  const update = (name: string, expected_version: string) =>
    ask('PATCH', SETS, { body: { ...setOf(name, [open]), id, users: [], groups: [], expected_version } })
  assert.equal((await update('Second versions', version)).status, 200)
  const late = await update('Third versions', version)
  assert.deepEqual([late.status, late.body.error_code], [409, 'DOCUMENT_SET_CHANGED'])
  assert.equal((await read()).name, 'Second versions')
})
