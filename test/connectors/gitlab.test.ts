// The GitLab connector against a fake server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GitLab, openGitLab } from './gitlab-server.ts'
import { type Json, json } from './json-server.ts'
import { startWithConnectors } from './setup.ts'

const { ok, ask, pull, ended, documents, runAgain, prune, found, until, detail, makeKey, learntAgain } =
  await startWithConnectors()
const PROJECT = 'http://gitlab.test/diaspora/diaspora-client/-/'

async function credentialFor(gitlab: GitLab): Promise<number> {
  const credential_json = { gitlab_url: `${gitlab.url}/`, gitlab_access_token: 'glpat-token' }
  return (await ok('POST', '/manage/credential', { body: { credential_json, admin_public: true, source: 'gitlab' } }))
    .id
}

const connectorFor = (more: Json = {}) => ({
  source: 'gitlab',
  connector_specific_config: { project_owner: 'diaspora', project_name: 'diaspora-client', ...more },
  refresh_freq: null,
  prune_freq: null,
})
let names = 0
const pullGitLab = async (gitlab: GitLab, more: Json = {}, association: Json = {}) => {
  names += 1
  return pull(`GitLab ${names}`, connectorFor(more), { credential: await credentialFor(gitlab), association })
}
const short = async (pair: number) => (await documents(pair)).map((it) => it.replace(PROJECT, '')).sort()
const preview = async (gitlab: GitLab, more: Json = {}, access_type = 'public') =>
  ok('POST', '/manage/admin/connector/preview', {
    body: { ...connectorFor(more), credential_id: await credentialFor(gitlab), access_type },
  })
const errorsOf = async (pair: number): Promise<Json[]> =>
  (await ok('GET', `/manage/admin/cc-pair/${pair}/errors`)).items

/** https://docs.gitlab.com/api/notes/#list-project-issue-notes */
const note = (id: number, body: string, more: Json = {}) => ({
  id,
  body,
  author: { id: 1, username: 'pipin', name: 'Pip' },
  system: false,
  internal: false,
  created_at: '2013-10-02T09:22:45Z',
  ...more,
})

test('an issue becomes a document with its comments', async () => {
  const gitlab = await openGitLab()
  gitlab.notes.set('issues/4', [
    note(302, 'A quokka was here'),
    note(303, 'changed the label', { system: true }),
    note(304, 'for staff only', { internal: true }),
    note(305, ' '),
  ])
  gitlab.put('issues', 4, {
    title: 'Consequatur vero maxime',
    description: 'Doloribus impedit',
    assignees: [{ id: 1, username: 'root', name: 'Administrator' }],
    labels: ['foo', 'bar'],
    milestone: { id: 5, title: 'v1.0' },
    state: 'closed',
    closed_at: '2016-01-05T15:31:46.176Z',
    due_date: '2016-07-22',
  })
  const [shown] = (await preview(gitlab)).documents
  assert.deepEqual(shown, {
    document_id: `${PROJECT}issues/4`,
    semantic_identifier: '#4: Consequatur vero maxime',
    link: `${PROJECT}issues/4`,
    characters: 36,
    beginning: 'Doloribus impedit\n\nA quokka was here',
    metadata: {
      object_type: 'Issue',
      project: 'diaspora/diaspora-client',
      id: '4',
      state: 'closed',
      author: 'eileen.lowe',
      assignees: ['root'],
      labels: ['foo', 'bar'],
      milestone: 'v1.0',
      created_at: '2016-01-04T15:31:46.176Z',
      updated_at: '2024-01-01T00:00:04.000Z',
      closed_at: '2016-01-05T15:31:46.176Z',
      due_date: '2016-07-22',
    },
    external_access: null,
  })
  const pair = await pullGitLab(gitlab)
  assert.equal((await ended(pair)).status, 'success')
  const [hit] = await until(async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'quokka' } })
    return results.length > 0 && results
  }, 'the note')
  assert.deepEqual(
    [hit.link, hit.title],
    [`${PROJECT}issues/4#note_302`, 'Consequatur vero maxime #4 diaspora/diaspora-client'],
  )
})

test('merge requests are read in addition, alone, or filtered by state', async () => {
  const gitlab = await openGitLab()
  gitlab.put('issues', 1)
  gitlab.put('issues', 2, { state: 'closed' })
  gitlab.put('merge_requests', 1, {
    state: 'merged',
    merged_at: '2018-09-07T11:16:17.520Z',
    reviewers: [{ username: 'rev' }],
  })
  const kinds = async (config: Json) =>
    (await preview(gitlab, config)).documents.map((it: Json) => it.semantic_identifier)
  assert.deepEqual(await kinds({}), ['#1: Title 1', '#2: Title 2', '!1: Title 1'])
  assert.deepEqual(await kinds({ include_issues: false }), ['!1: Title 1'])
  assert.deepEqual(await kinds({ include_mrs: false, state_filter: 'open' }), ['#1: Title 1'])
  gitlab.project.issues_access_level = 'disabled'
  const { documents: shown } = await preview(gitlab)
  assert.deepEqual(
    shown.map((it: Json) => [it.metadata.object_type, it.metadata.reviewers, it.metadata.merged_at]),
    [['MergeRequest', ['rev'], '2018-09-07T11:16:17.520Z']],
  )
})

test('issues are paged by update time, and a second run reads only changes', async () => {
  const gitlab = await openGitLab()
  for (let at = 1; at <= 250; at += 1) gitlab.put('issues', at)
  for (let at = 1; at <= 120; at += 1) gitlab.put('merge_requests', at)
  let pages = 0
  gitlab.intercept = ({ path }) => {
    if (!path.endsWith('/issues')) return
    pages += 1
    if (pages === 2)
      for (let at = 1; at <= 60; at += 1) gitlab.put('issues', at, { updated_at: new Date().toISOString() })
    return undefined
  }
  const pair = await pullGitLab(gitlab)
  assert.equal((await ended(pair)).status, 'success')
  assert.equal((await documents(pair)).length, 370)
  gitlab.put('merge_requests', 7, { updated_at: new Date().toISOString(), description: 'a bilby' })
  gitlab.asked.length = 0
  const second = await runAgain(pair)
  // The sixty earlier issues are within the five minutes of overlap.
  assert.deepEqual([second.total_docs_indexed, second.new_docs_indexed], [61, 0])
  await until(async () => (await found('bilby')).length > 0, 'the change')
  gitlab.issues.delete(200)
  assert.deepEqual([(await prune(pair)).removed, (await documents(pair)).length], [1, 369])
})

test('the count of issues and merge requests is reported', async () => {
  const gitlab = await openGitLab()
  for (let at = 1; at <= 3; at += 1) gitlab.put('issues', at)
  gitlab.put('merge_requests', 1)
  const pair = await pullGitLab(gitlab)
  await ended(pair)
  assert.equal((await detail(pair)).pull.completeness.source_documents, 4)
})

test('files are listed from the tree and read only when changed', async () => {
  const gitlab = await openGitLab()
  gitlab.files.set('README.md', 'Says the dugong')
  for (let at = 0; at < 150; at += 1) gitlab.files.set(`src/a b/f${at}.py`, `print(${at})`)
  const config = { include_code_files: true, include_mrs: false, include_issues: false }
  const pair = await pullGitLab(gitlab, config)
  assert.equal((await ended(pair)).total_docs_indexed, 151)
  assert.ok((await short(pair)).includes('blob/main/src/a%20b/f149.py'))
  await until(async () => (await found('dugong')).length > 0, 'the file')
  gitlab.files.set('README.md', 'Says the manatee')
  gitlab.files.delete('src/a b/f3.py')
  gitlab.asked.length = 0
  assert.equal((await runAgain(pair)).total_docs_indexed, 150)
  assert.equal(gitlab.asked.filter((it) => it.path.includes('/blobs/')).length, 1)
  assert.equal((await prune(pair)).removed, 1)
  // A missing tree does not delete the documents.
  gitlab.files.clear()
  assert.match((await prune(pair)).error, /404 Tree Not Found/)
  assert.equal((await documents(pair)).length, 150)
})

test("access depends on the member's level; confidential issues are not public", async () => {
  const gitlab = await openGitLab()
  gitlab.put('issues', 1)
  gitlab.put('issues', 2, { confidential: true })
  gitlab.put('merge_requests', 1)
  gitlab.members = [
    { id: 1, username: 'raymond', access_level: 30, email: 'raymond@example.com' },
    { id: 2, username: 'guest', access_level: 10 },
    { id: 3, username: 'hidden', access_level: 40 },
  ]
  gitlab.emails.set(2, 'guest@example.com')
  const shown = async () =>
    Object.fromEntries(
      (await preview(gitlab, {}, 'sync')).documents.map((it: Json) => [
        it.semantic_identifier.slice(0, 2),
        [it.external_access.is_public, it.external_access.external_user_emails],
      ]),
    )
  const staff = [false, ['raymond@example.com']]
  const everybody = [false, ['guest@example.com', 'raymond@example.com']]
  assert.deepEqual(await shown(), { '#1': [true, []], '#2': staff, '!1': [true, []] })
  gitlab.project.merge_requests_access_level = 'private'
  assert.deepEqual(await shown(), { '#1': [true, []], '#2': staff, '!1': staff })
  gitlab.project.visibility = 'internal'
  assert.deepEqual(await shown(), { '#1': everybody, '#2': staff, '!1': staff })
  gitlab.members = null
  assert.deepEqual(await shown(), { '#1': [false, []], '#2': [false, []], '!1': [false, []] })
})

test('access is synchronized without reading content', async () => {
  const gitlab = await openGitLab()
  gitlab.project.visibility = 'private'
  for (const confidential of [false, true]) {
    gitlab.put('issues', confidential ? 2 : 1, { confidential, description: 'a thylacine' })
  }
  gitlab.files.set('notes.md', 'notes of a thylacine')
  const memberOf = (access_level: number) => [{ id: 1, access_level, email: 'ray@example.com' }]
  gitlab.members = memberOf(30)
  const pair = await pullGitLab(gitlab, { include_code_files: true }, { access_type: 'sync' })
  assert.equal((await ended(pair)).status, 'success')
  const key = await makeKey({ role: 'basic', user_email: 'ray@example.com' })
  const sees = async (...places: string[]) => {
    const ids = places.map((it) => `${PROJECT}${it}`)
    await until(async () => JSON.stringify(await found('thylacine', key)) === JSON.stringify(ids), `to see ${places}`)
  }
  await sees('blob/main/notes.md', 'issues/1', 'issues/2')
  gitlab.asked.length = 0
  gitlab.members = memberOf(10)
  await learntAgain(pair)
  await sees('issues/1')
  gitlab.members = []
  await learntAgain(pair)
  await sees()
  assert.ok(gitlab.asked.every((it) => !/\/(?:notes|raw)$/.test(it.path)))
})

test('validation errors name the config field', async () => {
  const gitlab = await openGitLab()
  const credential = await credentialFor(gitlab)
  const refusedFor = async (more: Json, intercept: GitLab['intercept'] = () => undefined) => {
    gitlab.intercept = intercept
    names += 1
    const connector = { name: `Refused ${names}`, input_type: 'poll', access_type: 'public', ...connectorFor(more) }
    const { id } = await ok('POST', '/manage/admin/connector', { body: connector })
    const reply = await ask('PUT', `/manage/admin/connector/${id}/credential/${credential}`, { body: {} })
    assert.equal(reply.status, 400, reply.text)
    return (reply.body.detail as string).replace('Connector validation error: ', '')
  }
  assert.equal(
    await refusedFor({ project_name: 'gone' }),
    'connector_specific_config.project_name: Project diaspora/gone does not exist or the token cannot access it (HTTP 404).',
  )
  assert.equal(
    await refusedFor({}, () => json({ error: 'invalid_token', error_description: 'Token is expired.' }, 401)),
    'credential_json.gitlab_access_token: GitLab rejects the token (HTTP 401). It is wrong or has expired. Token is expired.',
  )
  assert.equal(
    await refusedFor({}, () => json({ error: 'insufficient_scope' }, 403)),
    'credential_json.gitlab_access_token: GitLab does not allow this token to read this (HTTP 403): insufficient_scope',
  )
  assert.match(
    await refusedFor({}, () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })),
    /^credential_json\.gitlab_url: .* returned a web page instead of data/,
  )
})

test('a malformed response fails its document, or the run if it belongs to no document', async () => {
  const gitlab = await openGitLab()
  for (const it of [1, 2, 3]) gitlab.put('issues', it)
  gitlab.put('issues', 2, { labels: 'none' })
  gitlab.notes.set('issues/3', [{ body: 'who?' }])
  gitlab.put('issues', 3)
  const pair = await pullGitLab(gitlab)
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  assert.deepEqual(await short(pair), ['issues/1'])
  const errors = await errorsOf(pair)
  assert.deepEqual(errors.map((it) => it.entity_id).sort(), [
    'diaspora/diaspora-client#2',
    'diaspora/diaspora-client#3',
  ])
  gitlab.put('issues', 2)
  gitlab.notes.clear()
  await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: errors.map((it) => it.id) } })
  assert.equal((await ended(pair, 2)).total_docs_indexed, 2)
  assert.deepEqual(await errorsOf(pair), [])
  const cases: [path: RegExp, body: string, reason: RegExp][] = [
    [/\/projects\/3\/issues$/, '{"message": "odd"}', /expected array/],
    [/\/merge_requests$/, '[{"iid": 1', /invalid JSON/],
    [/diaspora-client$/, '{"id": "3"}', /id: Invalid input/],
  ]
  for (const [path, body, reason] of cases) {
    gitlab.intercept = (request) => (path.test(request.path) ? { body } : undefined)
    const { status, error_msg } = await runAgain(pair, { from_beginning: true })
    assert.equal(status, 'failed')
    assert.match(error_msg, reason)
    assert.match((await prune(pair)).error, reason)
  }
  assert.equal((await documents(pair)).length, 3)
})

test('a throttled run waits; an expired token fails the run and deletes nothing', async () => {
  const gitlab = await openGitLab()
  for (let at = 1; at <= 5; at += 1) gitlab.put('issues', at)
  const times: number[] = []
  // https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers
  gitlab.intercept = ({ path }) => {
    if (!path.endsWith('/issues')) return
    times.push(Date.now())
    return times.length === 1
      ? { status: 429, headers: { 'retry-after': '2', 'content-type': 'text/plain' }, body: 'Retry later' }
      : undefined
  }
  const pair = await pullGitLab(gitlab)
  assert.equal((await ended(pair)).status, 'success')
  assert.ok(times.length >= 2 && times[1]! - times[0]! >= 1_990, `asked again after ${times[1]! - times[0]!} ms`)
  gitlab.intercept = () => undefined
  gitlab.tokens.clear()
  assert.match((await prune(pair)).error, /credential_json\.gitlab_access_token: .*HTTP 401/)
  assert.equal((await runAgain(pair)).status, 'failed')
  assert.deepEqual([(await detail(pair)).status, (await documents(pair)).length], ['INVALID', 5])
})
