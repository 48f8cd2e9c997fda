import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { connectorOf, documentOf, start } from './setup.ts'

const { server, ask, ok, push, listed, makeConnector, makePair } = await start()
const CONNECTOR = '/manage/admin/connector'
const LISTING = '/manage/admin/connector/indexing-status'

let firstId: number
let firstPair: number
before(async () => {
  firstId = await makeConnector('The first')
  firstPair = (await ok('PUT', `${CONNECTOR}/${firstId}/credential/0`)).data
})

test('the first connector has id 1, because 0 is the ingestion API', () => assert.equal(firstId, 1))

test('the first pair has id 2, because 1 is the default pair', () => assert.equal(firstPair, 2))

test('creating a connector returns its id', async () => {
  const answer = await ok('POST', CONNECTOR, { body: connectorOf('Answered') })
  assert.deepEqual(Object.keys(answer), ['id', 'credential', 'warnings'])
  assert.ok(Number.isInteger(answer.id) && answer.id > 1)
  assert.equal(answer.credential, null)
})

test('a ticket tracker accepts the configuration of the specification', async () => {
  const connector_specific_config = {
    tracker_base_url: 'https://tracker.example.com',
    project_key: null,
    comment_email_blacklist: null,
  }
  const connector = { source: 'ticket_tracker', connector_specific_config }
  const cc_pair_id = await makePair('Tracker', {}, connector)
  assert.equal((await listed()).find((it) => it.cc_pair_id === cc_pair_id).source, 'ticket_tracker')
})

test('a tracker with the source name of a product keeps that name', async () => {
  const connector_specific_config = { jira_base_url: 'https://tracker.example.com' }
  const cc_pair_id = await makePair('Branded', {}, { source: 'jira', connector_specific_config })
  assert.equal((await listed()).find((it) => it.cc_pair_id === cc_pair_id).source, 'jira')
})

test('a file connector without files is valid', async () => {
  await makePair('No files', {}, { source: 'file', connector_specific_config: { file_locations: [] } })
})

for (const access_type of ['PUBLIC', 'public', 'Private', 'SYNC']) {
  test(`access_type ${access_type} is accepted`, async () => {
    await ok('POST', CONNECTOR, { body: connectorOf(`Access ${access_type}`, { access_type }) })
  })
}

for (const input_type of ['poll', 'POLL', 'load_state', 'event', 'slim_retrieval']) {
  test(`input_type ${input_type} is accepted`, async () => {
    await ok('POST', CONNECTOR, { body: connectorOf(`Input ${input_type}`, { input_type }) })
  })
}

test('refresh_freq, prune_freq and indexing_start may be null or absent', async () => {
  const nulls = { refresh_freq: null, prune_freq: null, indexing_start: null, groups: null }
  await ok('POST', CONNECTOR, { body: connectorOf('Nulls', nulls) })
  const { refresh_freq: _, prune_freq: __, ...rest } = connectorOf('Absent')
  await ok('POST', CONNECTOR, { body: rest })
})

test('integers may be strings [B16]', async () => {
  await ok('POST', CONNECTOR, { body: connectorOf('Lax', { refresh_freq: '3600', prune_freq: '86400.0' }) })
})

for (const field of ['name', 'source', 'input_type', 'connector_specific_config', 'access_type']) {
  test(`a connector without ${field} is rejected`, async () => {
    const { [field]: _, ...body } = connectorOf(`Without ${field}`)
    const reply = await ask('POST', CONNECTOR, { body })
    assert.deepEqual(
      [reply.status, reply.body],
      [
        422,
        {
          detail: [{ loc: ['body', field], msg: 'Field required', type: 'missing' }],
          message: `body.${field}: Field required`,
        },
      ],
    )
  })
}

const INVALID: [json: string, loc: string, msg: string, type: string][] = [
  ['"name":5', 'name', 'Input should be a valid string', 'string_type'],
  ['"name":null', 'name', 'Input should be a valid string', 'string_type'],
  ['"input_type":"push"', 'input_type', "Input should be 'load_state', 'poll', 'event' or 'slim_retrieval'", 'enum'],
  ['"access_type":"secret"', 'access_type', "Input should be 'public', 'private' or 'sync'", 'enum'],
  ['"access_type":1', 'access_type', "Input should be 'public', 'private' or 'sync'", 'enum'],
  ['"connector_specific_config":[]', 'connector_specific_config', 'Input should be a valid dictionary', 'dict_type'],
  [
    '"refresh_freq":"soon"',
    'refresh_freq',
    'Input should be a valid integer, unable to parse string as an integer',
    'int_parsing',
  ],
  [
    '"refresh_freq":1.5',
    'refresh_freq',
    'Input should be a valid integer, got a number with a fractional part',
    'int_from_float',
  ],
  ['"refresh_freq":-1', 'refresh_freq', 'Input should be greater than or equal to 0', 'greater_than_equal'],
  [
    '"prune_freq":9007199254740993',
    'prune_freq',
    'Unable to parse input string as an integer, exceeded maximum size',
    'int_parsing_size',
  ],
  ['"prune_freq":1e400', 'prune_freq', 'Input should be a finite number', 'finite_number'],
]
for (const [json, field, msg, type] of INVALID) {
  test(`a connector with ${json} is rejected [B14 B16]`, async () => {
    const bytes = `{${JSON.stringify(connectorOf('Invalid')).slice(1, -1)},${json}}`
    const { status, body } = await ask('POST', CONNECTOR, { bytes })
    assert.deepEqual([status, body.detail], [422, [{ loc: ['body', field], msg, type }]])
  })
}

test('one response lists all invalid fields', async () => {
  const { status, body } = await ask('POST', CONNECTOR, { body: { name: 5, source: 'web' } })
  assert.equal(status, 422)
  assert.deepEqual(
    body.detail.map((it: { loc: string[] }) => it.loc[1]),
    ['name', 'input_type', 'connector_specific_config', 'access_type'],
  )
})

test('names are unique within a source', async () => {
  await makeConnector('Taken')
  const { status, body } = await ask('POST', CONNECTOR, { body: connectorOf('Taken') })
  assert.deepEqual(
    [status, body],
    [
      400,
      {
        error_code: 'CONNECTOR_NAME_TAKEN',
        detail: 'Connector by this name already exists, duplicate naming not allowed.',
      },
    ],
  )
})

test('connectors of different sources may have the same name', async () => {
  await makeConnector('Common')
  await makeConnector('Common', { source: 'file' })
})

test('fields that the server owns are ignored [B17]', async () => {
  const { id } = await ok('POST', CONNECTOR, { body: connectorOf('Owned', { id: 0, time_created: 5, user_id: 'x' }) })
  assert.ok(id > 1)
})

test('__proto__ in a configuration is data [B9]', async () => {
  const bytes = JSON.stringify(connectorOf('Proto')).replace('{}', '{"__proto__":{"access_type":"private"}}')
  await ok('POST', CONNECTOR, { bytes })
})

test('a connector without a credential is not listed', async () => {
  const before = await listed()
  await makeConnector('Incomplete')
  assert.deepEqual(await listed(), before)
})

test('a connector with a credential is listed', async () => {
  const id = await makeConnector('Complete')
  const { data } = await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  assert.deepEqual(
    (await listed()).filter((it) => it.name === 'Complete').map((it) => it.cc_pair_id),
    [data],
  )
})

test('the association returns the cc_pair_id', async () => {
  const id = await makeConnector('Associated')
  const { data, ...rest } = await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  assert.deepEqual(rest, {
    success: true,
    message: `Creating new association between Connector ${id} and Credential 0. No connector reads "intranet". This connector only accepts documents that are pushed with its cc_pair_id.`,
  })
  assert.ok(Number.isInteger(data) && data > 2)
})

test('repeating an association returns the existing cc_pair_id', async () => {
  const id = await makeConnector('Repeated')
  const { data } = await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  assert.deepEqual(await ok('PUT', `${CONNECTOR}/${id}/credential/0`), {
    success: false,
    message: `Connector ${id} already has Credential 0`,
    data,
  })
})

test('concurrent associations create one pair', async () => {
  const id = await makeConnector('Raced')
  const answers = await Promise.all([1, 2, 3].map(() => ok('PUT', `${CONNECTOR}/${id}/credential/0`)))
  assert.equal(new Set(answers.map((it) => it.data)).size, 1)
  assert.equal(answers.filter((it) => it.success).length, 1)
})

test('an association without a body is public and named after the connector', async () => {
  const id = await makeConnector('Unnamed')
  await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  const pair = (await listed()).find((it) => it.name === 'Unnamed')
  assert.equal(pair.access_type, 'public')
})

const BODILESS: [what: string, headers: Record<string, string>, bytes?: string][] = [
  ['no body and no content type', {}],
  ['no body and an empty length', { 'content-length': '0' }],
  ['an empty body of JSON', { 'content-type': 'application/json' }],
  ['an empty body of JSON with its length', { 'content-type': 'application/json', 'content-length': '0' }],
  ['the body null, as axios sends it', { 'content-type': 'application/json' }, 'null'],
  ['an empty object', { 'content-type': 'application/json' }, '{}'],
  ['an empty object without a content type', {}, '{}'],
]
for (const [what, headers, bytes] of BODILESS) {
  test(`an association may have ${what}`, async () => {
    const id = await makeConnector(`Bodiless ${what}`)
    const path = `${CONNECTOR}/${id}/credential/0`
    const { success } = await ok('PUT', path, bytes === undefined ? { headers } : { bytes, headers })
    assert.equal(success, true)
  })
}

const PATHS = ['/manage/admin/connector', '/manage/connector', '/api/manage/admin/connector', '/api/manage/connector']
for (const path of PATHS) {
  test(`${path} associates, with a body too`, async () => {
    const id = await makeConnector(`By ${path}`)
    const body = { name: `Named by ${path}`, access_type: 'private', groups: [1, 'two'] }
    const { success, data } = await ok('PUT', `${path}/${id}/credential/0`, { body })
    const { name, access_type } = (await listed()).find((it) => it.cc_pair_id === data)
    assert.deepEqual([success, name, access_type], [true, `Named by ${path}`, 'private'])
  })
}

for (const [body, loc] of [
  [{ access_type: 'secret' }, ['body', 'access_type']],
  [{ name: 5 }, ['body', 'name']],
  [{ groups: 'all' }, ['body', 'groups']],
  [[], ['body']],
] as const) {
  test(`an association of ${JSON.stringify(body)} is rejected`, async () => {
    const id = await makeConnector(`Refused ${JSON.stringify(body)}`)
    const reply = await ask('PUT', `${CONNECTOR}/${id}/credential/0`, { body })
    assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, loc])
  })
}

test('an unknown connector is 404', async () => {
  const { status, body } = await ask('PUT', `${CONNECTOR}/999999/credential/0`)
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'CONNECTOR_NOT_FOUND', detail: 'Connector 999999 does not exist.' }],
  )
})

test('an unknown credential is 404', async () => {
  const { status, body } = await ask('PUT', `${CONNECTOR}/${firstId}/credential/999999`)
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'CREDENTIAL_NOT_FOUND', detail: 'Credential 999999 does not exist.' }],
  )
})

test('an item of the listing has every field', async () => {
  const cc_pair_id = await makePair('Shape', {}, { source: 'shape_source' })
  const sources = await ok('POST', LISTING, { body: { source: 'shape_source' } })
  const [{ status_reason, ...item }] = sources[0].indexing_statuses
  assert.deepEqual(item, {
    cc_pair_id,
    credential_id: 0,
    name: 'Shape',
    source: 'shape_source',
    access_type: 'public',
    cc_pair_status: 'ACTIVE',
    in_progress: false,
    in_repeated_error_state: false,
    last_finished_status: null,
    last_status: null,
    last_success: null,
    is_editable: true,
    permissions: { edit: true, delete: true, publish: true },
    docs_indexed: 0,
    docs_waiting: 0,
    docs_failed: 0,
    latest_index_attempt_docs_indexed: null,
    sync_state: 'pushed',
    last_error: null,
    docs_held: 0,
    source_documents: null,
    progress: null,
    next_run_at: null,
    source_wait: null,
  })
  assert.equal(typeof status_reason, 'string')
})

test('a source of the listing has a summary and pages', async () => {
  await makePair('Summed', { access_type: 'private' }, { source: 'summary_source' })
  const [{ indexing_statuses, ...rest }] = await ok('POST', LISTING, { body: { source: 'summary_source' } })
  assert.deepEqual(rest, {
    source: 'summary_source',
    summary: { total_connectors: 1, active_connectors: 1, public_connectors: 0, total_docs_indexed: 0 },
    current_page: 1,
    total_pages: 1,
  })
  assert.equal(indexing_statuses.length, 1)
})

test('a connector of an unknown source accepts pushed documents, and its status says so', async () => {
  const cc_pair_id = await makePair('Homegrown', {}, { source: 'home_grown_crm' })
  await push(documentOf('x', { id: 'homegrown' }), { cc_pair_id })
  const { source, docs_indexed, status_reason } = (await listed()).find((it) => it.cc_pair_id === cc_pair_id)
  assert.deepEqual([source, docs_indexed], ['home_grown_crm', 1])
  assert.match(status_reason, /nothing here pulls from "home_grown_crm".*pushed/i)
})

test('the default pair is not listed', async () => {
  const pairs = await listed()
  assert.ok(pairs.every((it) => it.cc_pair_id !== 1 && it.name !== 'DefaultCCPair'))
})

test('the default pair is listed on request once it has documents', async () => {
  const own = await start()
  const body = { with_pushed: true }
  assert.deepEqual(await own.ok('POST', LISTING, { body }), [])
  await own.push(documentOf('x', { id: 'loose' }))
  const [{ source, summary, indexing_statuses }] = await own.ok('POST', LISTING, { body })
  const [{ cc_pair_id, name, is_editable, docs_indexed, status_reason }] = indexing_statuses
  assert.deepEqual([source, summary.total_docs_indexed], ['ingestion_api', 1])
  assert.deepEqual([cc_pair_id, name, is_editable, docs_indexed], [1, 'DefaultCCPair', false, 1])
  assert.equal(status_reason, 'Documents pushed without a `cc_pair_id`; all are indexed.')
  assert.deepEqual(await own.ok('POST', LISTING), [])
})

test('indexed documents are counted', async () => {
  const cc_pair_id = await makePair('Counting')
  for (const id of ['count-1', 'count-2', 'count-2']) await push(documentOf('x', { id }), { cc_pair_id })
  const item = (await listed()).find((it) => it.cc_pair_id === cc_pair_id)
  assert.deepEqual([item.docs_indexed, item.last_status, item.last_finished_status], [2, 'success', 'success'])
  assert.ok(Math.abs(Date.parse(item.last_success) - Date.now()) < 60_000)
})

test('the listing works without a body', async () => {
  assert.deepEqual(await ok('POST', LISTING), await ok('POST', LISTING, { body: {} }))
})

test('the sources of the listing are in alphabetical order', async () => {
  const sources = (await ok('POST', LISTING)).map((it: { source: string }) => it.source)
  assert.deepEqual(sources, sources.toSorted())
})

const names = async (body: object): Promise<string[]> => {
  const sources = await ok('POST', LISTING, { body: { get_all_connectors: true, ...body } })
  return sources.flatMap((it: { indexing_statuses: { name: string }[] }) =>
    it.indexing_statuses.map(({ name }) => name),
  )
}

test('the listing filters', async (t) => {
  const source = 'filter_source'
  const full = await makePair('Full ALPHA', { access_type: 'private' }, { source })
  await makePair('Empty beta', { access_type: 'public' }, { source })
  await push(documentOf('x', { id: 'filtered' }), { cc_pair_id: full })
  const cases: [filter: object, expected: string[]][] = [
    [{}, ['Full ALPHA', 'Empty beta']],
    [{ name_filter: 'alpha' }, ['Full ALPHA']],
    [{ access_type_filters: ['PUBLIC'] }, ['Empty beta']],
    [{ access_type_filters: [] }, ['Full ALPHA', 'Empty beta']],
    [{ last_status_filters: ['success'] }, ['Full ALPHA']],
    [{ docs_count_operator: '>', docs_count_value: 0 }, ['Full ALPHA']],
    [{ docs_count_operator: '<', docs_count_value: 1 }, ['Empty beta']],
    [{ docs_count_operator: '=', docs_count_value: '1' }, ['Full ALPHA']],
  ]
  for (const [filter, expected] of cases) {
    await t.test(`by ${JSON.stringify(filter)}`, async () => {
      assert.deepEqual(await names({ source, ...filter }), expected)
    })
  }
})

test('a page of the listing has ten pairs per source', async () => {
  const source = 'paged_source'
  for (let at = 1; at <= 11; at++) await makePair(`Paged ${at}`, {}, { source })
  const page = async (number: number) => {
    const [it] = await ok('POST', LISTING, { body: { source, source_to_page: { [source]: number } } })
    return [it.current_page, it.total_pages, it.indexing_statuses.length]
  }
  assert.deepEqual(
    [await page(1), await page(2)],
    [
      [1, 2, 10],
      [2, 2, 1],
    ],
  )
})

test('the listing omits sources with an empty page', async () => {
  const source = 'one_page_source'
  await makePair('Lonely', {}, { source })
  assert.deepEqual(await ok('POST', LISTING, { body: { source, source_to_page: { [source]: 2 } } }), [])
})

for (const body of [
  { docs_count_operator: '~' },
  { source_to_page: { web: 0 } },
  { access_type_filters: ['secret'] },
]) {
  test(`the listing rejects ${JSON.stringify(body)}`, async () => {
    assert.equal((await ask('POST', LISTING, { body })).status, 422)
  })
}

const NO_IDS = ['1e3', '0x1', '+1', '%201', '1%00', '01', '1.0', '-1', '9223372036854775808', '%EF%BC%91', 'NaN', 'one']
for (const id of NO_IDS) {
  test(`${id} is not a valid connector id [C4]`, async () => {
    const { status, body } = await ask('PUT', `${CONNECTOR}/${id}/credential/0`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'connector_id']])
  })

  test(`${id} is not a valid credential id [C4]`, async () => {
    const { status, body } = await ask('PUT', `${CONNECTOR}/${firstId}/credential/${id}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['path', 'credential_id']])
  })
}

test('9007199254740991 is a valid id that does not exist [C4]', async () => {
  assert.equal((await ask('PUT', `${CONNECTOR}/9007199254740991/credential/0`)).status, 404)
})

test('the error names both invalid ids of a path', async () => {
  const { body } = await ask('PUT', `${CONNECTOR}/a/credential/b`)
  assert.deepEqual(
    body.detail.map((it: { loc: string[] }) => it.loc),
    [
      ['path', 'connector_id'],
      ['path', 'credential_id'],
    ],
  )
})

test('the log contains no connector configuration', async () => {
  await makeConnector('Discreet', { connector_specific_config: { password: 'canary-5f1c' } })
  assert.ok(!server.output().includes('canary-5f1c'))
})
