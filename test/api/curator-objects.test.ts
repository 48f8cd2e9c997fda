// Objects of groups that a curator does not curate are missing for them; those of their own groups they manage.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import { createGroupSetup, type GroupPerson } from './people-of-groups.ts'
import { connectorOf, documentOf, start } from './setup.ts'

const setup = await start()
const { ask, ok, push, found, alterRecord } = setup
const { makePerson, setCurator, addTo, groupId } = createGroupSetup(setup)

/** Every name of an object that Ann may not see contains this word. */
const CANARY = 'zebra'
const PRIVATE = 'private'

interface World {
  connector: number
  credential: number
  pair: number
  set: number
  persona: number
  group: number
  alert: number
}
const MISSING: World = {
  ...{ connector: 999_999, credential: 999_999, pair: 999_999, set: 999_999, persona: 999_999, group: 999_999 },
  alert: 999_999,
}

let made = 0
const pulled = (name: string) =>
  connectorOf(`${name} ${++made}`, {
    source: 'file',
    access_type: PRIVATE,
    connector_specific_config: { file_locations: [] },
  })

/** Objects of the groups. The administrator makes them, and `owner` the credential and the persona. */
async function makeWorld(name: string, groups: string[], owner: GroupPerson): Promise<World> {
  const { key } = owner
  const body = {
    credential_json: { token: 'secret' },
    admin_public: true,
    source: 'zendesk',
    name: `${name} ${++made}`,
  }
  const connector = (await ok('POST', '/manage/admin/connector', { body: pulled(name) })).id
  const path = `/manage/admin/connector/${connector}/credential/0`
  const pair = (await ok('PUT', path, { body: { name, access_type: PRIVATE, groups } })).data
  const set = {
    name: `${name} set ${++made}`,
    description: name,
    cc_pair_ids: [pair],
    is_public: false,
    users: [],
    groups,
  }
  const persona = { ...personaBody(`${name} persona`), groups, is_public: false }
  const alert = 7_000 + pair
  await alterRecord(
    `insert into alert (id, kind, object_id, cc_pair_id, name, since, opened_at, seen_at)
     values (${alert}, 'source_failing', '${pair}', ${pair}, '${name}', 1, 1, 1)`,
  )
  return {
    connector,
    pair,
    alert,
    credential: (await ok('POST', '/manage/credential', { key, body })).id,
    set: await ok('POST', '/manage/admin/document-set', { body: set }),
    persona: (await ok('POST', '/persona', { key, body: persona })).id,
    group: await groupId(groups[0]!),
  }
}

const personaBody = (name: string) => ({
  ...{ name, description: name, document_set_ids: [], tool_ids: [], system_prompt: '', task_prompt: '' },
  datetime_aware: true,
})

let ann: GroupPerson
let bob: GroupPerson
let both: GroupPerson
let a: World
let b: World
before(async () => {
  ann = await makePerson('ann', { groups: ['open to ann'], curated: ['a'] })
  bob = await makePerson('bob', { curated: [CANARY] })
  both = await makePerson('both', { curated: ['a', CANARY] })
  a = await makeWorld('Of A', ['a'], ann)
  b = await makeWorld(`Of ${CANARY}`, [CANARY], bob)
})

interface Operation {
  method: string
  path: (it: World) => string
  body?: (it: World) => unknown
  /** The status for an object that is missing or of another group; 404 by default. */
  status?: number
}
const onPair = (method: string, rest = '', body?: () => unknown): Operation => ({
  method,
  path: (it) => `/manage/admin/cc-pair/${it.pair}${rest}`,
  ...(body !== undefined && { body }),
})
const onConnector = (method: string, path: string, body?: () => unknown): Operation => ({
  method,
  path: (it) => path.replace('{connector_id}', `${it.connector}`),
  ...(body !== undefined && { body }),
})
const onCredential = (method: string, path: string, body?: () => unknown): Operation => ({
  method,
  path: (it) => path.replace('{credential_id}', `${it.credential}`),
  ...(body !== undefined && { body }),
})
const credentialBody = () => ({ credential_json: {}, admin_public: false, source: 'zendesk', name: 'x' })
const setBody = (groups: string[], cc_pair_ids: number[], more: object = {}) => ({
  ...{ name: `Set ${++made}`, description: '', cc_pair_ids, is_public: false, users: [], groups, ...more },
})

/** Each operation that a curator may call and that takes an id, with the ids that decide about it. */
const OPERATIONS: Record<string, Operation> = {
  'GET /manage/admin/cc-pair/{cc_pair_id}': onPair('GET'),
  'PUT /manage/admin/cc-pair/{cc_pair_id}/status': onPair('PUT', '/status', () => ({ status: 'PAUSED' })),
  'PUT /manage/admin/cc-pair/{cc_pair_id}/name': onPair('PUT', '/name?new_name=x'),
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property': onPair('PUT', '/property', () => ({
    ...{ name: 'refresh_frequency', value: '3600' },
  })),
  'GET /manage/admin/cc-pair/{cc_pair_id}/last_pruned': onPair('GET', '/last_pruned'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts': onPair('GET', '/index-attempts'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/errors': onPair('GET', '/errors'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/skipped-documents': onPair('GET', '/skipped-documents'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/missing-documents': onPair('GET', '/missing-documents'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log': onPair(
    'GET',
    '/index-attempts/1/log',
  ),
  'GET /manage/admin/cc-pair/{cc_pair_id}/deletion': onPair('GET', '/deletion'),
  'PUT /manage/admin/cc-pair/{cc_pair_id}/access': onPair('PUT', '/access', () => ({
    ...{ access_type: PRIVATE, groups: ['a'] },
  })),
  'POST /manage/admin/cc-pair/{cc_pair_id}/cancel': onPair('POST', '/cancel'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/prune': onPair('GET', '/prune'),
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune': onPair('POST', '/prune'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': onPair('GET', '/sync-permissions'),
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': onPair('POST', '/sync-permissions'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-groups': onPair('GET', '/sync-groups'),
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-groups': onPair('POST', '/sync-groups'),
  'GET /manage/admin/cc-pair/{cc_pair_id}/get-docs-sync-status': onPair('GET', '/get-docs-sync-status'),
  'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}': onConnector(
    'PUT',
    '/manage/admin/connector/{connector_id}/credential/0',
    () => ({ access_type: PRIVATE, groups: ['a'] }),
  ),
  'PUT /manage/connector/{connector_id}/credential/{credential_id}': onConnector(
    'PUT',
    '/manage/connector/{connector_id}/credential/0',
    () => ({ access_type: PRIVATE, groups: ['a'] }),
  ),
  'GET /manage/connector/{connector_id}': onConnector('GET', '/manage/connector/{connector_id}'),
  'PATCH /manage/admin/connector/{connector_id}': onConnector('PATCH', '/manage/admin/connector/{connector_id}', () =>
    pulled('Of A'),
  ),
  'DELETE /manage/admin/connector/{connector_id}': onConnector('DELETE', '/manage/admin/connector/{connector_id}'),
  'GET /manage/admin/connector/{connector_id}/files': onConnector(
    'GET',
    '/manage/admin/connector/{connector_id}/files',
  ),
  'POST /manage/admin/connector/{connector_id}/files/update': onConnector(
    'POST',
    '/manage/admin/connector/{connector_id}/files/update',
  ),
  'POST /manage/admin/connector/run-once': {
    method: 'POST',
    path: () => '/manage/admin/connector/run-once',
    body: (it) => ({ connector_id: it.connector }),
  },
  'POST /manage/admin/indexing/targeted-reindex': {
    method: 'POST',
    path: () => '/manage/admin/indexing/targeted-reindex',
    body: (it) => ({ targets: [{ cc_pair_id: it.pair, document_id: 'x' }] }),
    status: 200,
  },
  'POST /manage/admin/deletion-attempt': {
    method: 'POST',
    path: () => '/manage/admin/deletion-attempt',
    body: (it) => ({ connector_id: it.connector, credential_id: 0 }),
  },
  'PUT /manage/admin/credential/swap': {
    method: 'PUT',
    path: () => '/manage/admin/credential/swap',
    body: (it) => ({ connector_id: it.connector, new_credential_id: 0 }),
  },
  'POST /manage/admin/connector/preview': {
    method: 'POST',
    path: () => '/manage/admin/connector/preview',
    body: (it) => ({ source: 'file', connector_specific_config: { file_locations: [] }, credential_id: it.credential }),
  },
  'POST /manage/admin/connector/test': {
    method: 'POST',
    path: () => '/manage/admin/connector/test',
    body: (it) => ({ source: 'file', connector_specific_config: { file_locations: [] }, credential_id: it.credential }),
  },
  'GET /manage/credential/{credential_id}': onCredential('GET', '/manage/credential/{credential_id}'),
  'PATCH /manage/credential/{credential_id}': onCredential(
    'PATCH',
    '/manage/credential/{credential_id}',
    credentialBody,
  ),
  'PUT /manage/admin/credential/{credential_id}': onCredential(
    'PUT',
    '/manage/admin/credential/{credential_id}',
    credentialBody,
  ),
  'PUT /manage/credential/{credential_id}/allowed-origins': onCredential(
    'PUT',
    '/manage/credential/{credential_id}/allowed-origins',
    () => ({ allowed_origins: [] }),
  ),
  'DELETE /manage/credential/{credential_id}': onCredential('DELETE', '/manage/credential/{credential_id}'),
  'DELETE /manage/admin/credential/{credential_id}': onCredential('DELETE', '/manage/admin/credential/{credential_id}'),
  'DELETE /manage/credential/force/{credential_id}': onCredential('DELETE', '/manage/credential/force/{credential_id}'),
  'POST /manage/admin/document-set': {
    method: 'POST',
    path: () => '/manage/admin/document-set',
    body: (it) => setBody(['a'], [it.pair]),
  },
  'PATCH /manage/admin/document-set': {
    method: 'PATCH',
    path: () => '/manage/admin/document-set',
    body: (it) => ({ ...setBody(['a'], [a.pair]), id: it.set }),
  },
  'DELETE /manage/admin/document-set/{document_set_id}': {
    method: 'DELETE',
    path: (it) => `/manage/admin/document-set/${it.set}`,
  },
  'PATCH /manage/admin/user-group/{user_group_id}': {
    method: 'PATCH',
    path: (it) => `/manage/admin/user-group/${it.group}`,
    body: () => ({ user_ids: [ann.id, both.id], cc_pair_ids: [a.pair] }),
  },
  'POST /manage/admin/user-group/{user_group_id}/add-users': {
    method: 'POST',
    path: (it) => `/manage/admin/user-group/${it.group}/add-users`,
    body: () => ({ user_ids: [ann.id] }),
  },
  'POST /manage/admin/user-group/{user_group_id}/remove-users': {
    method: 'POST',
    path: (it) => `/manage/admin/user-group/${it.group}/remove-users`,
    body: () => ({ user_ids: [ann.id] }),
  },
  'PUT /admin/alerts/{alert_id}/dismissal': {
    method: 'PUT',
    path: (it) => `/admin/alerts/${it.alert}/dismissal`,
    body: () => ({}),
  },
  'DELETE /admin/alerts/{alert_id}/dismissal': {
    method: 'DELETE',
    path: (it) => `/admin/alerts/${it.alert}/dismissal`,
  },
  'GET /manage/admin/user-group/{user_group_id}': {
    method: 'GET',
    path: (it) => `/manage/admin/user-group/${it.group}`,
  },
}
/** Further ids of these operations, and operations on personas, which everybody who chats may call. */
const MORE_OPERATIONS: Record<string, Operation> = {
  'an association of a foreign credential': {
    method: 'PUT',
    path: (it) => `/manage/admin/connector/${a.connector}/credential/${it.credential}`,
    body: () => ({ access_type: PRIVATE, groups: ['a'] }),
  },
  'a swap to a foreign credential': {
    method: 'PUT',
    path: () => '/manage/admin/credential/swap',
    body: (it) => ({ connector_id: a.connector, new_credential_id: it.credential }),
  },
  'a document set that gets a foreign pair': {
    method: 'PATCH',
    path: () => '/manage/admin/document-set',
    body: (it) => ({ ...setBody(['a'], [it.pair]), id: a.set }),
  },
  'a group that gets a foreign pair': {
    method: 'PATCH',
    path: () => `/manage/admin/user-group/${a.group}`,
    body: (it) => ({ user_ids: [ann.id, both.id], cc_pair_ids: [it.pair] }),
  },
  'a persona that is changed': {
    method: 'PATCH',
    path: (it) => `/persona/${it.persona}`,
    body: () => personaBody('x'),
  },
  'a persona that is shared': { method: 'PATCH', path: (it) => `/persona/${it.persona}/share`, body: () => ({}) },
  'a persona that is deleted': { method: 'DELETE', path: (it) => `/persona/${it.persona}` },
  'a persona that gets a foreign document set': {
    method: 'PATCH',
    path: () => `/persona/${a.persona}`,
    body: (it) => ({ ...personaBody('x'), document_set_ids: [it.set] }),
  },
}

test('the table has every operation that curators may call and that takes an id', () => {
  const withId = routes
    .filter(({ access }) => [access].flat().some((it) => it === 'curate'))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((it) => !WITHOUT_ID.includes(it))
  assert.deepEqual(withId.sort(), Object.keys(OPERATIONS).sort())
})
const WITHOUT_ID = [
  'GET /admin/alerts',
  'GET /admin/stale-documents',
  'POST /manage/admin/connector',
  'POST /manage/admin/connector/indexing-status',
  'GET /manage/admin/connector/indexing-status/csv',
  'POST /manage/admin/connector/file/upload',
  'GET /manage/connector',
  'GET /manage/admin/connector',
  'GET /manage/admin/connector/status',
  'GET /manage/admin/connector/sources',
  'GET /manage/admin/credential',
  'GET /manage/credential',
  'GET /manage/admin/similar-credentials/{source}',
  'POST /manage/credential',
  'GET /manage/admin/user-group',
]

async function call({ method, path, body }: Operation, world: World, key: string) {
  const isUpload = path(world).endsWith('/files/update')
  const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=x' }, bytes: '--x--\r\n' }
  const question = isUpload ? multipart : body === undefined ? {} : { body: body(world) }
  return ask(method, path(world), { key, ...question })
}

/** Replaces the ids, because an error names the id that was asked for. Names of new objects differ. */
const withoutIds = ({ status, text }: { status: number; text: string }, world: World) =>
  [
    status,
    Object.values(world).reduce((rest, id) => rest.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '#'), text),
  ] as const

for (const [name, operation] of Object.entries({ ...OPERATIONS, ...MORE_OPERATIONS })) {
  test(`${name}: an object of another group is answered as one that does not exist`, async () => {
    const foreign = await call(operation, b, ann.key)
    assert.equal(foreign.status, operation.status ?? 404, foreign.text)
    assert.deepEqual(withoutIds(foreign, b), withoutIds(await call(operation, MISSING, ann.key), MISSING))
  })
}

/** These objects are read by members of A, so that their names are no secret, and changed by nobody but administrators. */
test('a curator of A does not change what belongs to A and to another group', async () => {
  const shared = await makeWorld('Of two', ['a', CANARY], both)
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    if (name.includes('user-group') || name === 'POST /manage/admin/document-set') continue
    const { status } = await call(operation, shared, ann.key)
    assert.deepEqual([name, status], [name, operation.status ?? 404])
  }
  const persona = await call(MORE_OPERATIONS['a persona that is changed']!, shared, ann.key)
  assert.deepEqual([persona.status, persona.body.error_code], [403, 'NOT_PERSONA_OWNER'])
  await ok('PUT', `/manage/admin/cc-pair/${shared.pair}/name?new_name=Renamed`, { key: both.key })
})

test('no list, count or suggestion of a curator names an object of another group', async () => {
  await push(documentOf(`${CANARY} text`, { id: `${CANARY} document` }), { cc_pair_id: b.pair })
  const key = ann.key
  const reads = routes.filter(({ method, path, access }) => {
    const isForCurators = [access].flat().some((it) => it === 'curate' || it === 'search' || it === 'chat')
    return method === 'GET' && isForCurators && !path.includes('{')
  })
  assert.ok(reads.length > 10)
  for (const { path } of reads) {
    const { status, text } = await ask('GET', `${path}?include_default=true`, { key })
    assert.ok(status < 500, `${path} answered ${status}`)
    assert.ok(!text.includes(CANARY), `${path} answered ${text}`)
  }
  const posts: [string, object][] = [
    ['/manage/admin/connector/indexing-status', { get_all_connectors: true, with_pushed: true }],
    ['/manage/admin/connector/indexing-status', { name_filter: CANARY }],
    ['/search', { query: 'text', num_hits: 100 }],
    ['/search/suggest', { query: CANARY.slice(0, 3) }],
  ]
  for (const [path, body] of posts) {
    const { results, suggestions, ...rest } = await ok('POST', path, { key, body })
    const { query: _, ...others } = rest
    assert.ok(!JSON.stringify([results, suggestions, others]).includes(CANARY), path)
  }
  const sources = await ok('POST', '/manage/admin/connector/indexing-status', {
    key,
    body: { get_all_connectors: true },
  })
  assert.deepEqual(
    sources.map((it: { summary: { total_connectors: number } }) => it.summary.total_connectors),
    [1],
  )
})

test('a curator creates a connector for groups that they all curate, and no other', async () => {
  const { key } = ann
  const { id } = await ok('POST', '/manage/admin/connector', { key, body: pulled('New of Ann') })
  const path = `/manage/admin/connector/${id}/credential/0`
  const refused = [
    undefined,
    {},
    { access_type: PRIVATE },
    { access_type: PRIVATE, groups: [] },
    { access_type: 'public' },
    { access_type: 'public', groups: ['a'] },
    { access_type: 'sync', groups: ['a'] },
    { access_type: PRIVATE, groups: [CANARY] },
    { access_type: PRIVATE, groups: ['a', CANARY] },
    { access_type: PRIVATE, groups: ['a', 'nobody has it'] },
    { access_type: PRIVATE, groups: ['open to ann'] },
    { access_type: PRIVATE, groups: ['A'] },
  ]
  for (const body of refused) {
    const { status, body: error } = await ask('PUT', path, { key, ...(body === undefined ? {} : { body }) })
    assert.ok(status === 403 || (body?.access_type === 'sync' && status === 400), `${JSON.stringify(body)}: ${status}`)
    assert.ok(['NOT_CURATED', 'INVALID_INPUT'].includes(error.error_code))
  }
  assert.equal((await ask('GET', `/manage/connector/${id}`, { key: bob.key })).status, 404)
  const { data } = await ok('PUT', path, { key, body: { access_type: PRIVATE, groups: ['a'] } })
  await ok('PUT', `/manage/admin/cc-pair/${data}/status`, { key, body: { status: 'PAUSED' } })
  await ok('PUT', `/manage/admin/cc-pair/${data}/status`, { key, body: { status: 'ACTIVE' } })
  await ok('PATCH', `/manage/admin/connector/${id}`, { key, body: pulled('Changed by Ann') })
  await ok('GET', `/manage/admin/connector/${id}/files`, { key: both.key })
  await ok('POST', '/manage/admin/deletion-attempt', { key, body: { connector_id: id, credential_id: 0 } })
})

test('a connector with a pair of another group is shown without that pair, and changed by no curator of one', async () => {
  const { id } = await ok('POST', '/manage/admin/connector', {
    body: connectorOf(`Mixed ${++made}`, { source: 'zendesk' }),
  })
  const zendesk = async () => (await ok('POST', '/manage/credential', { body: credentialBody() })).id
  const [mine, other] = [await zendesk(), await zendesk()]
  await ok('PUT', `/manage/connector/${id}/credential/${mine}`, { body: { access_type: PRIVATE, groups: ['a'] } })
  await ok('PUT', `/manage/connector/${id}/credential/${other}`, { body: { access_type: PRIVATE, groups: [CANARY] } })
  assert.deepEqual((await ok('GET', `/manage/connector/${id}`, { key: ann.key })).credential_ids, [mine])
  const body = connectorOf('x', { source: 'zendesk' })
  const { status, body: error } = await ask('PATCH', `/manage/admin/connector/${id}`, { key: ann.key, body })
  assert.deepEqual([status, error.error_code], [403, 'NOT_CURATED'])
})

test('a curator uses own credentials and those for curators; the secrets of others stay theirs', async () => {
  const body = { ...credentialBody(), credential_json: { token: 'a very secret value' }, name: 'For curators' }
  const open = (await ok('POST', '/manage/credential', { body: { ...body, curator_public: true } })).id
  const closed = (await ok('POST', '/manage/credential', { body: { ...body, name: CANARY, admin_public: true } })).id
  const listed = (await ok('GET', '/manage/credential', { key: ann.key })).map((it: { id: number }) => it.id)
  assert.deepEqual([listed.includes(open), listed.includes(closed), listed.includes(a.credential)], [true, false, true])
  for (const [method, path] of [
    ['DELETE', `/manage/credential/${open}`],
    ['DELETE', `/manage/credential/force/${open}`],
  ] as const)
    assert.equal((await ask(method, path, { key: ann.key })).status, 403)
  const { id } = await ok('POST', '/manage/admin/connector', {
    body: connectorOf(`Z ${++made}`, { source: 'zendesk' }),
  })
  const path = `/manage/connector/${id}/credential/${closed}`
  const { data } = await ok('PUT', path, { body: { access_type: PRIVATE, groups: ['a'] } })
  const { credential } = await ok('GET', `/manage/admin/cc-pair/${data}`, { key: ann.key })
  assert.deepEqual(
    [credential.id, credential.name, credential.credential_json, credential.user_id, credential.user_email],
    [closed, null, {}, null, null],
  )
})

test('an own credential is not deleted with the connectors of other groups that use it', async () => {
  const { id: credential } = await ok('POST', '/manage/credential', { key: ann.key, body: credentialBody() })
  const { id } = await ok('POST', '/manage/admin/connector', {
    body: connectorOf(`Z ${++made}`, { source: 'zendesk' }),
  })
  const { data } = await ok('PUT', `/manage/connector/${id}/credential/${credential}`, {
    body: { access_type: PRIVATE, groups: [CANARY] },
  })
  const { status, body } = await ask('DELETE', `/manage/credential/force/${credential}`, { key: ann.key })
  assert.deepEqual([status, body.error_code], [403, 'NOT_CURATED'])
  assert.notEqual((await ok('GET', `/manage/admin/cc-pair/${data}`)).status, 'DELETING')
})

test('a document set of a curator is private and for curated groups; pairs that they cannot see stay in it', async () => {
  const { key } = ann
  const path = '/manage/admin/document-set'
  for (const [groups, more] of [
    [[], {}],
    [['a'], { is_public: true }],
    [['a', CANARY], {}],
    [[CANARY], {}],
  ] as const) {
    const { status, body } = await ask('POST', path, { key, body: setBody([...groups], [a.pair], more) })
    assert.deepEqual([status, body.error_code], [403, 'NOT_CURATED'])
  }
  const id = await ok('POST', path, { body: setBody(['a'], [a.pair, b.pair]) })
  await ok('PATCH', path, { key, body: { ...setBody(['a'], [a.pair]), id } })
  const pairsOf = async (reader?: string) => {
    const sets = await ok('GET', '/manage/document-set?get_editable=true', reader === undefined ? {} : { key: reader })
    const { cc_pair_summaries } = sets.find((it: { id: number }) => it.id === id)
    return cc_pair_summaries.map((it: { id: number }) => it.id)
  }
  assert.deepEqual([await pairsOf(), await pairsOf(key)], [[a.pair, b.pair], [a.pair]])
  const { status, body } = await ask('PATCH', path, {
    key,
    body: { ...setBody(['a'], [a.pair], { is_public: true }), id },
  })
  assert.deepEqual([status, body.error_code], [403, 'NOT_CURATED'])
  await ok('DELETE', `${path}/${id}`, { key })
})

test('a curator edits the private personas of their groups, and does not open them to others', async () => {
  const { id } = await ok('POST', '/persona', { body: { ...personaBody('Of the group'), groups: ['a'] } })
  const { key } = ann
  const changed = await ok('PATCH', `/persona/${id}`, { key, body: personaBody('Changed') })
  assert.deepEqual([changed.name, changed.permissions.edit], ['Changed', true])
  for (const body of [{ group_ids: ['a', CANARY] }, { group_ids: [] }, { is_public: true }]) {
    const { status, body: error } = await ask('PATCH', `/persona/${id}/share`, { key, body })
    assert.deepEqual([status, error.error_code], [403, 'NOT_CURATED'])
  }
  await ok('DELETE', `/persona/${id}`, { key })
})

test('a curator changes the members of the group, but not its curators, its name and its existence', async () => {
  const { key } = ann
  const cleo = await makePerson('cleo', {})
  const path = `/manage/admin/user-group/${a.group}`
  const added = await ok('POST', `${path}/add-users`, { key, body: { user_ids: [cleo.id] } })
  assert.deepEqual([added.api_keys, added.curator_ids.sort()], [[], [ann.id, both.id].sort()])
  const cc_pair_ids = added.cc_pairs.map((it: { id: number }) => it.id)
  const user_ids = [ann.id, both.id]
  const left = await ok('POST', `${path}/remove-users`, { key, body: { user_ids: [cleo.id] } })
  assert.deepEqual(left.users.map((it: { id: string }) => it.id).sort(), user_ids.toSorted())
  await ok('POST', `${path}/add-users`, { key, body: { user_ids: [cleo.id] } })
  const removed = await ok('PATCH', path, { key, body: { user_ids, cc_pair_ids } })
  assert.deepEqual(removed.users.map((it: { id: string }) => it.id).sort(), user_ids.sort())
  const refused: [string, string, object | undefined][] = [
    ['PATCH', path, { user_ids: [ann.id], cc_pair_ids }],
    ['POST', `${path}/remove-users`, { user_ids: [both.id] }],
    ['PATCH', '/manage/admin/user-group/rename', { id: a.group, name: 'mine' }],
    ['DELETE', path, undefined],
    ['POST', `${path}/set-curator`, { user_id: ann.id, is_curator: false }],
    ['POST', '/manage/admin/user-group', { name: 'new', user_ids: [] }],
    ['PATCH', path, { user_ids, cc_pair_ids: [] }],
  ]
  for (const [method, target, body] of refused) {
    const { status } = await ask(method, target, { key, ...(body !== undefined && { body }) })
    assert.deepEqual([method, target, status], [method, target, 403])
  }
  const groups = await ok('GET', '/manage/admin/user-group?include_default=true', { key })
  assert.deepEqual(
    groups.map((it: { name: string }) => it.name),
    ['a'],
  )
})

test('a curator does not change the members of a group that follows another place', async () => {
  const dora = await makePerson('dora', { curated: ['from a directory'] })
  const id = await groupId('from a directory')
  await alterRecord(`update user_group set origin = 'directory' where id = ${id}`)
  const body = { user_ids: [ann.id] }
  const { status, body: error } = await ask('POST', `/manage/admin/user-group/${id}/add-users`, { key: dora.key, body })
  assert.deepEqual([status, error.error_code], [409, 'GROUP_MANAGED_ELSEWHERE'])
})

test('a curator reads what a member reads, and no more', async () => {
  const nobody = { is_public: false, external_user_emails: ['nobody@example.com'], external_user_group_ids: [] }
  const { pair } = await makeWorld('Read', ['a'], ann)
  await push(documentOf('quagga open', { id: 'quagga open' }), { cc_pair_id: pair })
  await push(documentOf('quagga closed', { id: 'quagga closed', external_access: nobody }), { cc_pair_id: pair })
  assert.deepEqual(await found('quagga', ann.key), ['quagga open'])
  const shown = async (key: string) => {
    const states = await ok('GET', `/manage/admin/cc-pair/${pair}/get-docs-sync-status`, { key })
    return states.map((it: { doc_id: string }) => it.doc_id)
  }
  assert.deepEqual(await shown(ann.key), ['quagga open'])
  assert.deepEqual(await shown(await setup.makeKey({ role: 'admin' })), ['quagga closed', 'quagga open'])
})

test('changes of curators, groups and access take effect at the next request', async () => {
  const eli = await makePerson('eli', { curated: ['moving'] })
  const world = await makeWorld('Moving', ['moving'], eli)
  const status = async () => (await ask('GET', `/manage/admin/cc-pair/${world.pair}`, { key: eli.key })).status
  assert.equal(await status(), 200)
  await setCurator(eli.id, 'moving', false)
  assert.equal(await status(), 403)
  await setCurator(eli.id, 'moving', true)
  assert.equal(await status(), 200)
  const other = await groupId('elsewhere')
  await ok('PATCH', `/manage/admin/user-group/${other}`, { body: { user_ids: [], cc_pair_ids: [world.pair] } })
  assert.equal(await status(), 404)
  await addTo(eli.id, 'elsewhere')
  assert.equal(await status(), 404)
  await setCurator(eli.id, 'elsewhere', true)
  assert.equal(await status(), 200)
  await alterRecord(`update cc_pair set access_type = 'public' where id = ${world.pair}`)
  assert.equal(await status(), 404)
  await alterRecord(`update cc_pair set access_type = 'private' where id = ${world.pair}`)
  assert.equal(await status(), 200)
  await ok('PATCH', `/manage/admin/user-group/${other}`, { body: { user_ids: [], cc_pair_ids: [world.pair] } })
  assert.equal(await status(), 404)
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: eli.email } })
  assert.equal(await status(), 401)
})

test('a global curator changes the members of every group, and no administrator is asked', async () => {
  const glen = await makePerson('glen', {})
  await ok('PATCH', '/manage/set-user-role', { body: { user_email: glen.email, new_role: 'global_curator' } })
  const body = { user_ids: [glen.id] }
  const group = await ok('POST', `/manage/admin/user-group/${await groupId('elsewhere')}/add-users`, {
    key: glen.key,
    body,
  })
  assert.ok(group.users.some((it: { id: string }) => it.id === glen.id))
})

test('changes of a curator are in the audit', async () => {
  await ok('POST', `/manage/admin/user-group/${a.group}/add-users`, { key: ann.key, body: { user_ids: [ann.id] } })
  const entries = await ok('GET', '/admin/audit?limit=1000')
  const actions = entries
    .filter((it: { actor_id: string }) => it.actor_id === ann.id)
    .map((it: { action: string }) => it.action)
  for (const it of ['user_group.update', 'cc_pair.create', 'document_set.update', 'persona.update', 'connector.update'])
    assert.ok(actions.includes(it), it)
})
