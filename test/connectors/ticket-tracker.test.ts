// The Jira connector against a fake Cloud and Server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import {
  type Asked,
  adf,
  comment,
  EMAIL,
  openTracker,
  person,
  refusal,
  type TrackerServer,
  UNAUTHORIZED,
} from './tracker-server.ts'

const { ok, ask, pull, ended, documents, runAgain, prune, found, detail, until, makeKey, learntAgain } =
  await startWithConnectors()
// biome-ignore lint/suspicious/noExplicitAny: each test checks the response.
type Json = any

const CLOUD = { jira_user_email: EMAIL, jira_api_token: 'token' }
const SERVER = { jira_api_token: 'token' }

async function credentialOf(credential_json: Json, source = 'ticket_tracker'): Promise<number> {
  const body = { credential_json, admin_public: true, source, name: 'tracker' }
  return (await ok('POST', '/manage/credential', { body })).id
}

const cloudCredential = await credentialOf(CLOUD)
const serverCredential = await credentialOf(SERVER)

const connectorFor = (tracker: Pick<TrackerServer, 'url'>, more: Json = {}) => ({
  source: 'ticket_tracker',
  connector_specific_config: { tracker_base_url: tracker.url, ...more },
  refresh_freq: null,
  prune_freq: null,
})
let names = 0
const nextName = (kind: string) => {
  names += 1
  return `${kind} ${names}`
}
const pullCloud = (tracker: TrackerServer, more: Json = {}, association: Json = {}) =>
  pull(nextName('Cloud'), connectorFor(tracker, more), { credential: cloudCredential, association })
const pullServer = (tracker: TrackerServer, more: Json = {}, association: Json = {}) =>
  pull(nextName('Server'), connectorFor(tracker, more), { credential: serverCredential, association })

const keys = async (pair: number) => (await documents(pair)).map((it) => it.split('/').at(-1)!).sort()
const searches = (tracker: TrackerServer) =>
  tracker.asked.filter((it) => it.path.includes('/search')).map((it) => it.query.get('jql') ?? '')
const errorsOf = async (pair: number): Promise<Json[]> =>
  (await ok('GET', `/manage/admin/cc-pair/${pair}/errors`)).items
const preview = (tracker: TrackerServer, credential_id: number, more: Json = {}, access_type = 'public') =>
  ok('POST', '/manage/admin/connector/preview', {
    body: { ...connectorFor(tracker, more), credential_id, access_type },
  })
const many = (tracker: TrackerServer, count: number, project = 'AB') => {
  for (let at = 1; at <= count; at += 1) tracker.put(`${project}-${at}`)
}

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/: the vendor's example issue. */
const FULL = {
  summary: 'Main order flow broken',
  description: adf(['Main', 'order flow'], ['broken']),
  comment: {
    startAt: 0,
    maxResults: 100,
    total: 4,
    comments: [
      comment(adf(['Lorem ipsum', 'dolor sit amet.'])),
      comment(adf()),
      comment(adf(['Out of office']), person('Robot', 'robot@example.com')),
      comment(adf(['I can see it too.']), person('Hidden address')),
    ],
  },
  reporter: person('Mia Krystof', EMAIL),
  assignee: person('Emma Richards', 'emma@example.com'),
  priority: { id: '2', name: 'High' },
  status: { id: '10000', name: 'In Progress' },
  resolution: { id: '1', name: 'Done' },
  labels: ['orders', 'urgent'],
  created: '2021-01-17T12:34:00.000+0000',
  updated: '2021-01-18T23:45:00.000+0200',
  duedate: '2021-02-01',
  issuetype: { id: '10002', name: 'Bug', subtask: false },
  resolutiondate: '2021-01-18T22:00:00.000+0000',
  parent: { id: '10003', key: 'EX-1', fields: { summary: 'An epic', issuetype: { name: 'Epic' } } },
  project: { id: '10000', key: 'EX', name: 'Example' },
}

const FULL_METADATA = {
  key: 'EX-2',
  reporter: 'Mia Krystof',
  reporter_email: 'mia@example.com',
  assignee: 'Emma Richards',
  assignee_email: 'emma@example.com',
  priority: 'High',
  status: 'In Progress',
  resolution: 'Done',
  labels: ['orders', 'urgent'],
  created: '2021-01-17T12:34:00.000+0000',
  updated: '2021-01-18T23:45:00.000+0200',
  duedate: '2021-02-01',
  issuetype: 'Bug',
  resolution_date: '2021-01-18T22:00:00.000+0000',
  parent: 'EX-1',
  project: 'EX',
  project_name: 'Example',
}

test('an issue with minimal fields becomes a document', async () => {
  const tracker = await openTracker('server')
  tracker.issues.set('AB-1', { id: '10000', key: 'AB-1', fields: { updated: '2021-01-18T23:45:00.000+0000' } })
  const [shown] = (await preview(tracker, serverCredential)).documents
  assert.deepEqual(
    [shown.semantic_identifier, shown.beginning, shown.metadata],
    ['AB-1: ', '\n', { key: 'AB-1', updated: '2021-01-18T23:45:00.000+0000' }],
  )
})

test('a Jira Cloud issue becomes a document with id, titles, text, metadata, owners and time', async () => {
  const tracker = await openTracker('cloud')
  tracker.put('EX-2', FULL)
  const config = { comment_email_blacklist: [' robot@example.com '] }
  const [shown] = (await preview(tracker, cloudCredential, config)).documents
  assert.deepEqual(shown, {
    document_id: `${tracker.url}/browse/EX-2`,
    semantic_identifier: 'EX-2: Main order flow broken',
    link: `${tracker.url}/browse/EX-2`,
    characters: 86,
    beginning: 'Main order flow broken\nComment: Lorem ipsum dolor sit amet.\nComment: I can see it too.',
    metadata: FULL_METADATA,
    external_access: null,
  } satisfies Json)
  const pair = await pullCloud(tracker, config)
  assert.equal((await ended(pair)).status, 'success')
  const [hit] = await until(async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'ipsum EX-2 flow' } })
    return results.length > 0 && results
  }, 'the issue')
  assert.deepEqual(
    [hit.document_id, hit.semantic_identifier, hit.title, hit.link, hit.updated_at, hit.source_type],
    [
      `${tracker.url}/browse/EX-2`,
      'EX-2: Main order flow broken',
      'EX-2 Main order flow broken',
      `${tracker.url}/browse/EX-2`,
      '2021-01-18T21:45:00.000Z',
      'ticket_tracker',
    ],
  )
  const { documents: all } = await ok('POST', '/admin/search', { body: { query: 'EX-2', filters: {} } })
  const { primary_owners, secondary_owners } = all.find((it: Json) => it.document_id === hit.document_id)
  assert.deepEqual([primary_owners, secondary_owners], [['Mia Krystof', 'Emma Richards'], []])
})

test('missing fields are omitted, and a reporter who is also the assignee is one owner', async () => {
  const tracker = await openTracker('server')
  const bare = { priority: null, resolution: null, assignee: null, reporter: null, labels: [], duedate: null }
  tracker.put('EX-3', { ...bare, description: null, project: { key: 'EX', name: 'Example' } })
  const own = person('Ann Okapi', 'ann@example.com')
  tracker.put('EX-4', { description: 'A text of a server', reporter: own, assignee: own })
  const { documents: shown } = await preview(tracker, serverCredential)
  assert.deepEqual(
    shown.map((it: Json) => [it.metadata.key, it.beginning]),
    [
      ['EX-4', 'A text of a server\n'],
      ['EX-3', '\n'],
    ],
  )
  assert.deepEqual(shown[1].metadata, {
    key: 'EX-3',
    status: 'In Progress',
    created: '2021-01-17T12:34:00.000+0000',
    updated: '2021-01-18T23:45:00.000+0000',
    issuetype: 'Task',
    project: 'EX',
    project_name: 'Example',
  })
  const pair = await pullServer(tracker)
  await ended(pair)
  await until(async () => (await found('"text of a server"')).length > 0, 'the issue')
  const { documents: all } = await ok('POST', '/admin/search', { body: { query: '"text of a server"', filters: {} } })
  assert.deepEqual(all[0].primary_owners, ['Ann Okapi'])
})

test('Jira Cloud requests: login check, ids of the window, then the issues in bulk', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 130)
  tracker.idPage = 60
  const pair = await pullCloud(tracker, { project_key: 'AB' })
  const { status, total_docs_indexed, poll_range_end } = await ended(pair)
  assert.deepEqual([status, total_docs_indexed, (await keys(pair)).length], ['success', 130, 130])
  const end = Date.parse(poll_range_end)
  const lists = tracker.asked.filter((it) => it.path === '/rest/api/3/search/jql')
  assert.deepEqual(
    lists.map((it) => [it.method, Object.fromEntries(it.query)]),
    [undefined, '10070', '10010'].map((nextPageToken) => [
      'GET',
      {
        jql: `project = "AB" AND updated >= 0 AND updated <= ${end}`,
        maxResults: '5000',
        fields: 'id',
        ...(nextPageToken && { nextPageToken }),
      },
    ]),
  )
  const fetches = tracker.asked.filter((it) => it.path === '/rest/api/3/issue/bulkfetch')
  assert.deepEqual(
    fetches.map((it) => [it.method, it.body.issueIdsOrKeys.length, it.body.fields]),
    [10, 50, 10, 50, 10].map((count) => ['POST', count, ['*all']]),
  )
  assert.equal((await detail(pair)).pull.completeness.source_documents, 130)
})

test('Jira Server requests: pages of 50 issues', async () => {
  const tracker = await openTracker('server')
  many(tracker, 120)
  const pair = await pullServer(tracker)
  const { total_docs_indexed, poll_range_end } = await ended(pair)
  assert.equal(total_docs_indexed, 120)
  const pages = tracker.asked.filter((it) => it.query.get('fields') === '*all')
  assert.deepEqual(
    pages.map((it) => [it.path, Object.fromEntries(it.query)]),
    ['0', '50', '100'].map((startAt) => [
      '/rest/api/2/search',
      {
        jql: `updated >= 0 AND updated <= ${Date.parse(poll_range_end)}`,
        startAt,
        validateQuery: 'True',
        fields: '*all',
        maxResults: '50',
      },
    ]),
  )
})

test('the JQL query overrides the project and is wrapped in parentheses without ORDER BY', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 3, 'AB')
  many(tracker, 2, 'CD')
  const jql_query = 'project = CD or labels = "order by x" ORDER BY created DESC'
  const pair = await pullCloud(tracker, { project_key: 'AB', jql_query })
  assert.equal((await ended(pair)).status, 'success')
  const asked = searches(tracker).filter((it) => it.includes('updated'))
  assert.ok(asked.length > 0)
  for (const it of asked)
    assert.match(it, /^\(project = CD or labels = "order by x"\) AND updated >= 0 AND updated <= \d+$/)
  assert.deepEqual(await keys(pair), ['CD-1', 'CD-2'])
})

test('the next run reads only what has changed since', async () => {
  for (const kind of ['cloud', 'server'] as const) {
    const tracker = await openTracker(kind)
    many(tracker, 60)
    const pair = await (kind === 'cloud' ? pullCloud : pullServer)(tracker)
    const first = await ended(pair)
    tracker.read.length = 0
    const updated = new Date(Date.now() - 1_000).toISOString().replace('Z', '+0000')
    tracker.put('AB-7', { updated, summary: `a quagga of a ${kind}` })
    const second = await runAgain(pair)
    assert.deepEqual([second.total_docs_indexed, second.new_docs_indexed, tracker.read], [1, 0, ['AB-7']])
    // Windows overlap by five minutes because of clock skew.
    const start = Date.parse(first.poll_range_end) - 300_000
    const last = searches(tracker).findLast((it) => it.includes('updated <='))
    assert.equal(last, `updated >= ${start} AND updated <= ${Date.parse(second.poll_range_end)}`)
    await until(async () => (await found(`quagga ${kind}`)).length > 0, 'the new summary')
  }
})

test('a window with an invalid DST date is retried from one hour earlier', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 2)
  const pair = await pullCloud(tracker)
  const { poll_range_end } = await ended(pair)
  const start = Date.parse(poll_range_end) - 300_000
  tracker.intercept = ({ query }) =>
    query.get('jql')?.includes(`updated >= ${start}`)
      ? refusal(400, "The value for the field 'updated' is invalid: field 'updated' is invalid.")
      : undefined
  const { status } = await runAgain(pair)
  assert.equal(status, 'success')
  assert.ok(searches(tracker).some((it) => it.startsWith(`updated >= ${start - 3_600_000} AND`)))
})

test('issues with too much text or an excluded label are skipped with a reason', async () => {
  const tracker = await openTracker('server')
  tracker.put('AB-1', { description: `${'é'.repeat(51_199)}x` })
  tracker.put('AB-2', { description: 'é'.repeat(51_200) })
  tracker.put('AB-3', { labels: ['fine', 'secret'] })
  const { documents: shown, skipped } = await preview(tracker, serverCredential, { labels_to_skip: ['secret'] })
  assert.deepEqual(
    shown.map((it: Json) => it.metadata.key),
    ['AB-1'],
  )
  assert.deepEqual(
    skipped.map((it: Json) => [it.link, it.reason]),
    [
      [`${tracker.url}/browse/AB-3`, 'The issue has the label secret.'],
      [`${tracker.url}/browse/AB-2`, 'The text has 102401 bytes. The limit is 102400.'],
    ],
  )
  const pair = await pullServer(tracker, { labels_to_skip: ['secret'] })
  const { status, total_docs_indexed } = await ended(pair)
  assert.deepEqual([status, total_docs_indexed, await keys(pair)], ['success', 1, ['AB-1']])
})

test('comments that the issue does not embed are fetched', async () => {
  const tracker = await openTracker('cloud')
  const all = Array.from({ length: 250 }, (_, at) => comment(adf([`remark${at}`])))
  tracker.put('AB-1', {
    allComments: all,
    comment: { comments: all.slice(0, 20), total: 250, maxResults: 20, startAt: 0 },
  })
  const pair = await pullCloud(tracker)
  assert.equal((await ended(pair)).status, 'success')
  await until(async () => (await found('remark249')).length > 0, 'the last comment')
  const pages = tracker.asked.filter((it) => it.path.endsWith('/comment')).map((it) => it.query.get('startAt'))
  assert.deepEqual(pages, ['0', '100', '200'])
})

test('a malformed issue is a failure of its own that a retry resolves', async () => {
  for (const kind of ['cloud', 'server'] as const) {
    const tracker = await openTracker(kind)
    many(tracker, 5)
    tracker.put('AB-2', { updated: 'yesterday' })
    tracker.put('AB-3', { labels: 'not a list' })
    const pair = await (kind === 'cloud' ? pullCloud : pullServer)(tracker)
    assert.equal((await ended(pair)).status, 'completed_with_errors')
    assert.deepEqual(await keys(pair), ['AB-1', 'AB-4', 'AB-5'])
    const errors = await errorsOf(pair)
    const named = errors.map((it) => [it.document_id, it.document_link, it.failure_message]).sort()
    assert.deepEqual(named, [
      [
        'AB-2',
        `${tracker.url}/browse/AB-2`,
        'Failed to process Jira issue: fields.updated: "yesterday" is not a valid time',
      ],
      [
        'AB-3',
        `${tracker.url}/browse/AB-3`,
        'Failed to process Jira issue: fields.labels: Invalid input: expected array, received string',
      ],
    ])
    tracker.put('AB-2')
    tracker.put('AB-3')
    await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: errors.map((it) => it.id) } })
    assert.equal((await ended(pair, 2)).total_docs_indexed, 2)
    assert.deepEqual([await errorsOf(pair), (await keys(pair)).length], [[], 5])
  }
})

test('an issue that breaks the response is isolated, and the rest of the batch is read', async () => {
  const broken = (text: string) => ({ status: 200, body: text.slice(0, -20) })
  const cloud = await openTracker('cloud')
  many(cloud, 60)
  const poison = cloud.issues.get('AB-30')!.id
  cloud.intercept = ({ path, body }) =>
    path.endsWith('/bulkfetch') && body.issueIdsOrKeys.includes(poison) ? broken('{"issues": [{"id": 1}]}') : undefined
  const pair = await pullCloud(cloud)
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  assert.equal((await keys(pair)).length, 59)
  const [error] = await errorsOf(pair)
  assert.deepEqual([error.entity_id, error.error_type], [poison, 'fetch'])
  assert.match(error.failure_message, /^Failed to process Jira issue: .* returned invalid JSON\.$/)

  const server = await openTracker('server')
  many(server, 60)
  // Newest first: the 30th issue is AB-31.
  server.intercept = ({ query }) => {
    const [at, count] = [Number(query.get('startAt')), Number(query.get('maxResults'))]
    return query.get('fields') === '*all' && at <= 29 && at + count > 29 ? broken('{"issues": [{"id": 1}]}') : undefined
  }
  const other = await pullServer(server)
  assert.equal((await ended(other)).status, 'completed_with_errors')
  assert.equal((await keys(other)).length, 59)
  assert.equal((await errorsOf(other))[0].document_id, 'AB-31')
})

test('issues with a bulk error are failures, and unlisted issues are deleted', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 4)
  const [one, two] = [tracker.issues.get('AB-1')!, tracker.issues.get('AB-2')!]
  tracker.intercept = ({ path }) => {
    const issueErrors = [{ id: two.id, errorMessage: 'The payload is too large.' }]
    return path.endsWith('/bulkfetch') ? { body: JSON.stringify({ issues: [one], issueErrors }) } : undefined
  }
  const pair = await pullCloud(tracker)
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  assert.deepEqual(
    (await errorsOf(pair)).map((it) => [it.entity_id, it.failure_message]),
    [[two.id, 'Failed to process Jira issue: The payload is too large.']],
  )
  assert.deepEqual(await keys(pair), ['AB-1'])
})

test('a malformed response fails the run with a reason and deletes nothing', async () => {
  const cases: [kind: 'cloud' | 'server', path: string, body: string, reason: RegExp][] = [
    ['cloud', '/rest/api/3/search/jql', '{"issues": [{"key": 7}]}', /issues\.0\.(id|key): Invalid input/],
    ['cloud', '/rest/api/3/search/jql', '{"total": 0}', /issues: Invalid input/],
    ['cloud', '/rest/api/3/issue/bulkfetch', '{"issues": {}}', /None of 25 issues is readable/],
    ['server', '/rest/api/2/search', '{"startAt": 0}', /issues: Invalid input/],
    ['server', '/rest/api/2/search', '[]', /Invalid input/],
    ['cloud', '/rest/api/3/myself', 'null!', /invalid JSON/],
    ['server', '/rest/api/2/search', '<!doctype html><title>Log in</title>', /returned a web page instead of data/],
  ]
  for (const [kind, path, body, reason] of cases) {
    const tracker = await openTracker(kind)
    many(tracker, 25)
    const pair = await (kind === 'cloud' ? pullCloud : pullServer)(tracker)
    await ended(pair)
    tracker.intercept = (asked) => (asked.path === path ? { body } : undefined)
    const { status, error_msg } = await runAgain(pair, { from_beginning: true })
    assert.equal(status, 'failed', `${path} ${body}`)
    assert.match(error_msg, reason)
    if (!path.endsWith('bulkfetch')) assert.match((await prune(pair)).error, /Invalid input|JSON|a web page instead/)
    assert.equal((await keys(pair)).length, 25)
    await ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'PAUSED' } })
  }
})

test('issues that change during a server run are neither lost nor counted twice', async () => {
  const tracker = await openTracker('server')
  many(tracker, 170)
  let pages = 0
  tracker.intercept = ({ query }) => {
    if (query.get('fields') !== '*all') return
    pages += 1
    // Three issues change during the run and leave the window.
    const names = pages === 2 ? ['AB-170', 'AB-169', 'AB-100'] : pages === 5 ? ['AB-160'] : []
    for (const it of names) tracker.put(it, { updated: new Date(Date.now() + 3_600_000).toISOString() })
    return undefined
  }
  const pair = await pullServer(tracker)
  const { status, total_docs_indexed } = await ended(pair)
  const read = await keys(pair)
  const missing = Array.from({ length: 170 }, (_, at) => `AB-${at + 1}`).filter((it) => !read.includes(it))
  // Its change is in the next window.
  assert.deepEqual([status, missing, total_docs_indexed], ['success', ['AB-100'], 169])
})

test('a server with smaller pages than requested is read completely', async () => {
  const tracker = await openTracker('server')
  many(tracker, 70)
  tracker.intercept = ({ path, query }: Asked) => {
    if (path.endsWith('/search') && Number(query.get('maxResults')) > 20) query.set('maxResults', '20')
    return undefined
  }
  const pair = await pullServer(tracker)
  assert.equal((await ended(pair)).total_docs_indexed, 70)
  assert.equal((await prune(pair)).removed, 0)
})

test('throttling is waited out for the requested time', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 10)
  const times: number[] = []
  tracker.intercept = ({ path }) => {
    if (!path.endsWith('/bulkfetch')) return
    times.push(Date.now())
    // https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
    return times.length === 1
      ? { status: 429, headers: { 'retry-after': '2', 'x-ratelimit-remaining': '0' }, body: '{}' }
      : undefined
  }
  const pair = await pullCloud(tracker)
  assert.equal((await ended(pair)).status, 'success')
  assert.equal(times.length, 2)
  assert.ok(times[1]! - times[0]! >= 1_990, `asked again after ${times[1]! - times[0]!} ms`)
})

test('a token that expires during a run fails it; a new token resumes without loss', async () => {
  for (const kind of ['cloud', 'server'] as const) {
    const tracker = await openTracker(kind)
    many(tracker, 200)
    const own = await credentialOf(kind === 'cloud' ? CLOUD : SERVER)
    let reads = 0
    tracker.intercept = ({ path, query }) => {
      if (!path.endsWith('/bulkfetch') && query.get('fields') !== '*all') return
      reads += 1
      if (reads === 3) tracker.tokens.clear()
      return undefined
    }
    const pair = await pull(`Expiring ${kind}`, connectorFor(tracker), { credential: own })
    const failed = await ended(pair)
    assert.deepEqual(
      [failed.status, failed.error_msg],
      ['failed', 'credential_json.jira_api_token: Jira credential appears to be expired or invalid (HTTP 401).'],
    )
    assert.equal((await detail(pair)).status, 'INVALID')
    assert.equal((await keys(pair)).length, 100)
    tracker.tokens.add('renewed')
    const body = { name: 'renewed', credential_json: { jira_api_token: 'renewed' } }
    await ok('PUT', `/manage/admin/credential/${own}`, { body })
    const renewed = await ended(pair, 2)
    assert.deepEqual([renewed.status, renewed.error_msg], ['success', null])
    assert.equal((await keys(pair)).length, 200)
  }
})

test('an expired token that becomes an anonymous session deletes nothing', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 5)
  const pair = await pullCloud(tracker)
  await ended(pair)
  tracker.intercept = ({ path }) =>
    path.endsWith('/search/jql')
      ? { headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' }, body: '{"issues": [], "isLast": true}' }
      : undefined
  assert.match((await prune(pair)).error, /expired or invalid \(HTTP 401\)/)
  let lists = 0
  tracker.intercept = ({ path }) => {
    if (path.endsWith('/search/jql')) lists += 1
    if (path.endsWith('/search/jql')) return { body: '{"issues": [], "isLast": true}' }
    return path.endsWith('/myself') && lists > 0 ? UNAUTHORIZED : undefined
  }
  assert.match((await prune(pair)).error, /expired or invalid \(HTTP 401\)/)
  assert.equal((await keys(pair)).length, 5)
})

test('deleted issues are pruned; the listing fetches ids only and includes skipped issues', async () => {
  for (const kind of ['cloud', 'server'] as const) {
    const tracker = await openTracker(kind)
    many(tracker, 30)
    tracker.idPage = 12
    const pair = await (kind === 'cloud' ? pullCloud : pullServer)(tracker)
    await ended(pair)
    tracker.issues.delete('AB-4')
    tracker.issues.delete('AB-5')
    // It would be skipped now, but it still exists.
    tracker.put('AB-6', { description: 'x'.repeat(200_000) })
    tracker.asked.length = 0
    const { removed, error } = await prune(pair)
    assert.deepEqual([removed, error, (await keys(pair)).length], [2, null, 28])
    const [list] = tracker.asked.filter((it) => it.path.includes('/search'))
    assert.deepEqual([list!.query.get('maxResults'), list!.query.get('fields')], ['500', 'key'])
    const [, start, end] = /^updated >= (\d+) AND updated <= (\d+)$/.exec(list!.query.get('jql') ?? '')!
    assert.equal(start, '0')
    assert.ok(Number(end) > Date.now() + 86_000_000)
    assert.ok(tracker.asked.every((it) => !it.path.endsWith('/bulkfetch')))
  }
})

test('validation errors name the config field and the reason', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 1)
  const refusedFor = async (
    config: Json,
    intercept: TrackerServer['intercept'] = () => undefined,
    credential = cloudCredential,
  ) => {
    tracker.intercept = intercept
    const body = {
      name: nextName('Refused'),
      input_type: 'poll',
      access_type: 'public',
      ...connectorFor(tracker, config),
    }
    const { id } = await ok('POST', '/manage/admin/connector', { body })
    const reply = await ask('PUT', `/manage/admin/connector/${id}/credential/${credential}`, { body: {} })
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'INVALID_INPUT'], reply.text)
    return (reply.body.detail as string).replace('Connector validation error: ', '').replace(tracker.url, 'URL')
  }
  const token = 'credential_json.jira_api_token: '
  assert.equal(
    await refusedFor({ project_key: 'NO' }),
    "connector_specific_config.project_key: Project NO does not exist or the credential cannot access it: No project could be found with key 'NO'.",
  )
  assert.equal(
    await refusedFor({ jql_query: 'nonsense' }, ({ path }) =>
      path.includes('/search') ? refusal(400, "Error in the JQL Query: 'nonsense'.") : undefined,
    ),
    "connector_specific_config.jql_query: Invalid JQL query: Error in the JQL Query: 'nonsense'.",
  )
  assert.equal(
    await refusedFor({}, () => UNAUTHORIZED),
    `${token}Jira credential appears to be expired or invalid (HTTP 401).`,
  )
  assert.equal(
    await refusedFor({}, () => refusal(403, 'No.')),
    `${token}Your Jira token does not have sufficient permissions for this configuration (HTTP 403).`,
  )
  assert.equal(
    await refusedFor({}, () => ({ status: 429, body: '{}' })),
    'Validation failed due to Jira rate-limits being exceeded. Please try again later.',
  )
  assert.equal(
    await refusedFor({}, () => refusal(404, 'Dead link.')),
    'connector_specific_config.tracker_base_url: Validation failed due to Jira error: Dead link.',
  )
  assert.equal(
    await refusedFor({}, () => ({ headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' })),
    `connector_specific_config.tracker_base_url: ${new URL(tracker.url).host}/rest/api/3/myself returned a web page instead of data. Check that this is the address of its API and that the token works without a login page.`,
  )
  assert.equal(await refusedFor({}, () => undefined, 0), 'credential_json: Jira requires a credential (HTTP 401).')
})

test('a deleted project and an invalid query fail the run with their field', async () => {
  const tracker = await openTracker('cloud')
  many(tracker, 1)
  const run = async (config: Json, message: string) => {
    tracker.intercept = () => undefined
    const pair = await pullCloud(tracker, config)
    await ended(pair)
    tracker.intercept = ({ path }) => (path.endsWith('/search/jql') ? refusal(400, message) : undefined)
    const { status, error_msg } = await runAgain(pair)
    assert.equal(status, 'failed')
    return error_msg
  }
  const gone = "The value 'AB' does not exist for the field 'project'."
  assert.equal(
    await run({ project_key: 'AB' }, gone),
    `connector_specific_config.project_key: Project AB does not exist or the credential cannot access it: ${gone}`,
  )
  const wrong = "Field 'team' does not exist or you do not have permission to view it."
  assert.equal(
    await run({ jql_query: 'team = 1' }, wrong),
    `connector_specific_config.jql_query: Invalid JQL query: ${wrong}`,
  )
})

test('config and credential are validated, and both spellings of each are accepted', async () => {
  const base = { name: 'Checked', input_type: 'poll', access_type: 'public', refresh_freq: null, prune_freq: null }
  const connector = { ...base, source: 'jira', connector_specific_config: { project_key: 7 } }
  const reply = await ask('POST', '/manage/admin/connector', { body: connector })
  assert.equal(reply.status, 422)
  assert.deepEqual(
    reply.body.detail.map((it: Json) => it.loc),
    [['body', 'connector_specific_config', 'project_key']],
  )
  const body = { credential_json: { jira_user_email: 7 }, admin_public: true, source: 'jira' }
  const wrong = await ask('POST', '/manage/credential', { body })
  assert.deepEqual(
    [wrong.status, wrong.body.detail.map((it: Json) => it.loc)],
    [422, [['body', 'credential_json', 'jira_user_email']]],
  )
  const empty = await ask('POST', '/manage/admin/connector', { body: { ...connector, connector_specific_config: {} } })
  assert.deepEqual(
    [empty.status, empty.body.detail[0].loc],
    [422, ['body', 'connector_specific_config', 'tracker_base_url']],
  )
  const tracker = await openTracker('cloud')
  many(tracker, 2)
  const jira = {
    source: 'jira',
    connector_specific_config: { jira_base_url: `${tracker.url}/`, indexing_scope: 'everything' },
  }
  const pair = await pull('Jira', { ...jira, refresh_freq: null, prune_freq: null }, { credential: cloudCredential })
  await ended(pair)
  assert.deepEqual((await documents(pair)).sort(), [`${tracker.url}/browse/AB-1`, `${tracker.url}/browse/AB-2`])
  assert.equal((await detail(pair)).connector.source, 'jira')
})

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/ */
const schemeOf = (...holders: Json[]) => ({
  id: 10_000,
  name: 'Example permission scheme',
  permissions: [
    ...holders.map((holder, id) => ({ id, holder, permission: 'BROWSE_PROJECTS' })),
    { id: 99, holder: { type: 'anyone' }, permission: 'CREATE_ISSUES' },
  ],
})
const group = (name: string) => ({ type: 'group', parameter: name, group: { name } })
const user = (emailAddress: string) => ({ type: 'user', parameter: 'x', user: { accountId: 'x', emailAddress } })

test('users with Browse Projects may read issues; unknown permissions grant no access', async () => {
  const tracker = await openTracker('cloud')
  const people = { reporter: person('R', 'r@example.com'), assignee: person('A', 'a@example.com') }
  for (const key of ['OPEN-1', 'TEAM-1', 'ROLE-1', 'OWN-1', 'DARK-1']) tracker.put(key, people)
  tracker.put('OWN-1', {
    ...people,
    customfield_10010: [{ emailAddress: 'c@example.com' }],
    customfield_10011: { name: 'testers' },
  })
  tracker.schemes.set('OPEN', schemeOf({ type: 'anyone' }))
  tracker.schemes.set(
    'TEAM',
    schemeOf(group('developers'), user('mia@example.com'), { type: 'user', parameter: 'hidden' }),
  )
  tracker.schemes.set(
    'ROLE',
    schemeOf(
      { type: 'projectRole', parameter: '10360' },
      { type: 'applicationRole', parameter: 'jira-software' },
      { type: 'projectLead' },
      { type: 'something new' },
    ),
  )
  tracker.schemes.set(
    'OWN',
    schemeOf(
      { type: 'reporter' },
      { type: 'assignee' },
      { type: 'userCustomField', parameter: 'customfield_10010' },
      { type: 'groupCustomField', parameter: 'customfield_10011' },
    ),
  )
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/#api-rest-api-3-project-projectidorkey-role-id-get
  tracker.others.set('/project/ROLE/role/10360', {
    id: 10_360,
    name: 'Developers',
    actors: [
      { id: 10_240, type: 'atlassian-group-role-actor', displayName: 'x', actorGroup: { name: 'jira-developers' } },
      { id: 10_241, type: 'atlassian-user-role-actor', displayName: 'y', actorUser: { accountId: 'emma' } },
    ],
  })
  tracker.others.set('/user?accountId=emma', { accountId: 'emma', emailAddress: 'emma@example.com' })
  tracker.others.set('/user?accountId=lead', { accountId: 'lead', emailAddress: 'lead@example.com' })
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-application-roles/
  tracker.others.set('/applicationrole/jira-software', { key: 'jira-software', groups: ['jira-software-users'] })
  tracker.others.set('/project/ROLE', { key: 'ROLE', lead: { accountId: 'lead' } })
  const { documents: shown } = await preview(tracker, cloudCredential, {}, 'sync')
  const access = Object.fromEntries(shown.map((it: Json) => [it.metadata.key, it.external_access]))
  const of = (is_public: boolean, emails: string[], groups: string[]) => ({
    is_public,
    external_user_emails: emails,
    external_user_group_ids: groups.map((it) => `ticket_tracker:${it}`),
  })
  assert.deepEqual(access, {
    'OPEN-1': of(true, [], []),
    'TEAM-1': of(false, ['mia@example.com'], ['developers']),
    'ROLE-1': of(false, ['emma@example.com', 'lead@example.com'], ['jira-developers', 'jira-software-users']),
    'OWN-1': of(false, ['a@example.com', 'c@example.com', 'r@example.com'], ['testers']),
    'DARK-1': of(false, [], []),
  })
})

test('a security level narrows the readers, and an unreadable one grants no access', async () => {
  const cloud = await openTracker('cloud')
  const level = (id: string) => ({ security: { id, name: 'Staff' } })
  cloud.put('OPEN-1', level('10021'))
  cloud.put('TEAM-1', level('10021'))
  cloud.put('TEAM-2', level('666'))
  cloud.schemes.set('OPEN', schemeOf({ type: 'anyone' }))
  cloud.schemes.set('TEAM', schemeOf(group('staff'), group('everybody'), user('mia@example.com')))
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-permission-schemes/
  const scheme = { id: 10_000, defaultSecurityLevelId: 10_021, levels: [{ id: '10021', name: 'Staff' }] }
  for (const it of ['OPEN', 'TEAM']) cloud.others.set(`/project/${it}/issuesecuritylevelscheme`, scheme)
  cloud.levels.set('10021', [group('staff'), user('mia@example.com'), user('eve@example.com')])
  // Members of groups in only one of the two sets need to be in both.
  cloud.put('TEAM-3', level('10022'))
  cloud.levels.set('10022', [group('board'), user('eve@example.com'), user('max@example.com')])
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-member-get
  const members = (name: string, startAt: number, values: Json[], isLast = true) =>
    cloud.others.set(`/group/member?groupname=${name}&startAt=${startAt}&maxResults=100`, { startAt, isLast, values })
  members('everybody', 0, [{ accountId: 'gus' }], false)
  members('everybody', 1, [{ accountId: 'eve', emailAddress: 'eve@example.com' }])
  members('board', 0, [{ accountId: 'gus' }, { accountId: 'zoe', emailAddress: 'zoe@example.com' }])
  cloud.others.set('/user?accountId=gus', { accountId: 'gus', emailAddress: 'gus@example.com' })
  const shown = async (tracker: TrackerServer, credential: number) =>
    Object.fromEntries(
      (await preview(tracker, credential, {}, 'sync')).documents.map((it: Json) => [
        it.metadata.key,
        [
          it.external_access.is_public,
          it.external_access.external_user_emails,
          it.external_access.external_user_group_ids,
        ],
      ]),
    )
  assert.deepEqual(await shown(cloud, cloudCredential), {
    'OPEN-1': [false, ['eve@example.com', 'mia@example.com'], ['ticket_tracker:staff']],
    'TEAM-1': [false, ['eve@example.com', 'mia@example.com'], ['ticket_tracker:staff']],
    'TEAM-2': [false, [], []],
    'TEAM-3': [false, ['eve@example.com', 'gus@example.com'], []],
  })
  // Jira Server does not list the members of a level.
  const server = await openTracker('server')
  server.put('OPEN-1', level('10021'))
  server.put('OPEN-2')
  server.schemes.set('OPEN', schemeOf({ type: 'anyone' }))
  assert.deepEqual(await shown(server, serverCredential), {
    'OPEN-1': [false, [], []],
    'OPEN-2': [true, [], []],
  })
})

test('in a sync pair only users with access in Jira find an issue', async () => {
  const tracker = await openTracker('cloud')
  tracker.put('TEAM-1', { summary: 'an axolotl' })
  tracker.put('DARK-1', { summary: 'an axolotl' })
  tracker.schemes.set('TEAM', schemeOf(user('reader@example.com')))
  const pair = await pullCloud(tracker, {}, { access_type: 'sync' })
  assert.equal((await ended(pair)).status, 'success')
  const reader = await makeKey({ role: 'basic', user_email: 'Reader@example.com' })
  const other = await makeKey({ role: 'basic', user_email: 'other@example.com' })
  const seen = await until(async () => {
    const ids = await found('axolotl', reader)
    return ids.length > 0 && ids
  }, 'the issue')
  assert.deepEqual([seen, await found('axolotl', other)], [[`${tracker.url}/browse/TEAM-1`], []])
  assert.equal((await keys(pair)).length, 2)
  for (const what of ['sync-permissions', 'sync-groups']) {
    const path = `/manage/admin/cc-pair/${pair}/${what}`
    const before: string | null = await ok('GET', path)
    const isIdle = async () => (await ask('POST', path)).status === 200
    await until(isIdle, 'a sync of permissions to be taken')
    await until(async () => ((await ok('GET', path)) ?? '') > (before ?? ''), 'permissions to be synced again')
  }
})

for (const kind of ['cloud', 'server'] as const) {
  test(`permissions and group members of a ${kind} are synchronized without reading issues`, async () => {
    const tracker = await openTracker(kind)
    for (const key of ['TEAM-1', 'TEAM-2', 'DARK-1']) tracker.put(key, { summary: `a thylacine${kind}` })
    tracker.put('TEAM-2', { summary: `a thylacine${kind}`, reporter: person('R', 'r@example.com') })
    tracker.schemes.set('TEAM', schemeOf(group('developers')))
    const members = (...emails: string[]) =>
      tracker.others.set('/group/member', { isLast: true, values: emails.map((it) => ({ emailAddress: it })) })
    members('dev@example.com')
    const pull = kind === 'cloud' ? pullCloud : pullServer
    const pair = await pull(tracker, {}, { access_type: 'sync' })
    assert.equal((await ended(pair)).status, 'success')
    const [dev, reporter] = [
      await makeKey({ role: 'basic', user_email: 'dev@example.com' }),
      await makeKey({ role: 'basic', user_email: 'r@example.com' }),
    ]
    const sees = async (key: string, ...issues: string[]) => {
      const ids = issues.map((it) => `${tracker.url}/browse/${it}`)
      const isSo = async () => JSON.stringify(await found(`thylacine${kind}`, key)) === JSON.stringify(ids)
      await until(isSo, `the key to see ${issues}`)
    }
    await learntAgain(pair)
    await sees(dev, 'TEAM-1', 'TEAM-2')
    await sees(reporter)
    const read = tracker.read.length
    tracker.schemes.set('TEAM', schemeOf({ type: 'reporter' }))
    tracker.schemes.set('DARK', schemeOf(group('developers')))
    await learntAgain(pair)
    await sees(dev, 'DARK-1')
    await sees(reporter, 'TEAM-2')
    members()
    await learntAgain(pair)
    await sees(dev)
    assert.equal(tracker.read.length, read, 'no issue was read again')
  })
}
