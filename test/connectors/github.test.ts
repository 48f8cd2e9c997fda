// The GitHub connector against a fake server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GitHub, openGitHub, treeAnswer } from './github-server.ts'
import { type Json, json } from './json-server.ts'
import { startWithConnectors } from './setup.ts'

const { ok, ask, pull, ended, documents, runAgain, prune, found, until, detail, makeKey, learntAgain } =
  await startWithConnectors()

const body = { credential_json: { github_access_token: 'ghp_token' }, admin_public: true, source: 'github' }
const credential = (await ok('POST', '/manage/credential', { body })).id

const connectorFor = (github: GitHub, more: Json = {}) => ({
  source: 'github',
  connector_specific_config: { repo_owner: 'octo', github_base_url: github.url, ...more },
  refresh_freq: null,
  prune_freq: null,
})
let names = 0
const pullGitHub = (github: GitHub, more: Json = {}, association: Json = {}) => {
  names += 1
  return pull(`GitHub ${names}`, connectorFor(github, more), { credential, association })
}
const short = async (pair: number) =>
  (await documents(pair)).map((it) => it.replace('https://github.test/octo/', '')).sort()
const preview = (github: GitHub, more: Json = {}, access_type = 'public') =>
  ok('POST', '/manage/admin/connector/preview', {
    body: { ...connectorFor(github, more), credential_id: credential, access_type },
  })
const attemptErrors = async (pair: number): Promise<Json[]> =>
  (await ok('GET', `/manage/admin/cc-pair/${pair}/errors`)).items

/** https://docs.github.com/en/rest/issues/comments#list-issue-comments */
const comment = (number: number, at: number, text: string | null, login: string | null = 'hubot') => ({
  id: at,
  html_url: `https://github.test/octo/hello/issues/${number}#issuecomment-${at}`,
  body: text,
  user: login === null ? null : { login },
  created_at: '2024-02-01T00:00:00Z',
  updated_at: '2024-02-01T00:00:00Z',
})

test('an issue becomes a document with a link for each comment', async () => {
  const github = await openGitHub()
  const hello = github.repository('hello')
  hello.comments.set(7, [comment(7, 1, 'I can see a wombat'), comment(7, 2, ''), comment(7, 3, 'So do I', null)])
  github.issue('hello', 7, {
    title: 'Found a bug',
    body: 'I am having a problem with this.',
    labels: [{ name: 'bug' }, 'urgent'],
    assignees: [{ login: 'monalisa' }],
    milestone: { title: 'v1.0' },
    state: 'closed',
    closed_at: '2024-03-01T00:00:00Z',
  })
  const [shown] = (await preview(github)).documents
  assert.deepEqual(shown, {
    document_id: 'https://github.test/octo/hello/issues/7',
    semantic_identifier: '#7: Found a bug',
    link: 'https://github.test/octo/hello/issues/7',
    characters: 61,
    beginning: 'I am having a problem with this.\n\nI can see a wombat\n\nSo do I',
    metadata: {
      object_type: 'Issue',
      repo: 'octo/hello',
      id: '7',
      state: 'closed',
      user: 'octocat',
      assignees: ['monalisa'],
      labels: ['bug', 'urgent'],
      milestone: 'v1.0',
      created_at: '2024-01-01T00:00:00Z',
      updated_at: '2024-01-01T00:00:07Z',
      closed_at: '2024-03-01T00:00:00Z',
    },
    external_access: null,
  })
  const pair = await pullGitHub(github)
  assert.equal((await ended(pair)).status, 'success')
  const [hit] = await until(async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'wombat' } })
    return results.length > 0 && results
  }, 'the comment')
  assert.deepEqual(
    [hit.link, hit.title, hit.updated_at],
    ['https://github.test/octo/hello/issues/7#issuecomment-1', 'Found a bug #7 octo/hello', '2024-01-01T00:00:07.000Z'],
  )
  const asked = github.asked.find((it) => it.path === '/repos/octo/hello/issues')!
  assert.equal(asked.headers['x-github-api-version'], '2022-11-28')
})

test('a pull request includes reviews and review comments', async () => {
  const github = await openGitHub()
  const hello = github.repository('hello')
  // https://docs.github.com/en/rest/pulls/reviews#list-reviews-for-a-pull-request
  hello.reviews.set(3, [{ ...comment(3, 80, 'Here is the body'), state: 'CHANGES_REQUESTED' }])
  hello.remarks.set(3, [comment(3, 10, 'Great stuff')])
  github.issue('hello', 3, { pull_request: { merged_at: '2024-05-05T00:00:00Z' } })
  const { documents: shown } = await preview(github)
  assert.equal(shown[0].beginning, 'Body of 3\n\nHere is the body\n\nGreat stuff')
  const { object_type, merged_at } = shown[0].metadata
  assert.deepEqual(
    [shown[0].document_id, object_type, merged_at],
    ['https://github.test/octo/hello/pull/3', 'PullRequest', '2024-05-05T00:00:00Z'],
  )
  const kinds = async (config: Json) =>
    (await preview(github, config)).documents.map((it: Json) => it.metadata.object_type)
  github.issue('hello', 4)
  github.issue('hello', 5, { state: 'closed' })
  assert.deepEqual(await kinds({ include_prs: false }), ['Issue', 'Issue'])
  assert.deepEqual(await kinds({ include_issues: false }), ['PullRequest'])
  assert.deepEqual(await kinds({ state_filter: 'closed' }), ['Issue'])
})

test('all repositories of the owner are read, and a second run reads only changes', async () => {
  const github = await openGitHub()
  for (const name of ['one', 'two']) {
    github.repository(name)
    for (let at = 1; at <= 130; at += 1) github.issue(name, at)
  }
  const pair = await pullGitHub(github)
  const { status, total_docs_indexed } = await ended(pair)
  assert.deepEqual([status, (await documents(pair)).length], ['success', 260])
  // The last item of a page is the first of the next one.
  assert.ok(total_docs_indexed <= 262, `${total_docs_indexed} documents`)
  github.asked.length = 0
  github.issue('two', 9, { updated_at: new Date().toISOString(), body: 'a numbat' })
  const second = await runAgain(pair)
  assert.deepEqual([second.total_docs_indexed, second.new_docs_indexed], [1, 0])
  assert.ok(github.asked.filter((it) => it.path.endsWith('/issues')).every((it) => it.query.get('since')))
  await until(async () => (await found('numbat')).length > 0, 'the change')
})

test("a user's private repositories are read only with the user's own token", async () => {
  const github = await openGitHub()
  github.repository('shown')
  github.repository('hidden', { private: true, visibility: 'private' })
  for (const name of ['shown', 'hidden']) github.issue(name, 1)
  const repositoriesFor = async (credential_id: number) => {
    const config = { repo_owner: 'mona', github_base_url: github.url }
    const { documents: shown, error } = await ok('POST', '/manage/admin/connector/preview', {
      body: { source: 'github', connector_specific_config: config, credential_id },
    })
    return [error, shown.map((it: Json) => it.metadata.repo)]
  }
  assert.deepEqual(await repositoriesFor(credential), [null, ['mona/hidden', 'mona/shown']])
  assert.deepEqual(await repositoriesFor(0), [null, ['mona/shown']])
})

test('issues that change during the listing are not missed', async () => {
  const github = await openGitHub()
  github.repository('busy')
  for (let at = 1; at <= 350; at += 1) github.issue('busy', at)
  let pages = 0
  github.intercept = ({ path }) => {
    if (!path.endsWith('/busy/issues')) return
    pages += 1
    // Items that were read move to the end, which shifts the others.
    if (pages === 2)
      for (let at = 1; at <= 60; at += 1) github.issue('busy', at, { updated_at: new Date().toISOString() })
    return undefined
  }
  const pair = await pullGitHub(github, { repositories: 'busy' })
  await ended(pair)
  assert.equal((await documents(pair)).length, 350)
})

test('more changes within one second than fit on a page are all read', async () => {
  const github = await openGitHub()
  github.repository('bulk')
  for (let at = 1; at <= 320; at += 1) github.issue('bulk', at, { updated_at: '2024-06-01T00:00:00Z' })
  const pair = await pullGitHub(github, { repositories: 'octo/bulk' })
  await ended(pair)
  assert.equal((await documents(pair)).length, 320)
  assert.deepEqual([(await prune(pair)).removed, (await documents(pair)).length], [0, 320])
})

test('pull requests are read from a repository with issues disabled', async () => {
  const github = await openGitHub()
  github.repository('plain', { hasIssues: false })
  for (let at = 1; at <= 120; at += 1) github.issue('plain', at, { pull_request: {} })
  const pair = await pullGitHub(github)
  assert.equal((await ended(pair)).status, 'success')
  assert.equal((await documents(pair)).length, 120)
  github.issue('plain', 2, { pull_request: {}, updated_at: new Date().toISOString() })
  github.asked.length = 0
  await runAgain(pair)
  assert.equal(github.asked.filter((it) => it.path.endsWith('/pulls')).length, 1)
})

test('files are listed from the tree, folder by folder if it is too large, and read only when changed', async () => {
  const github = await openGitHub()
  const code = github.repository('code')
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0])
  for (const [path, text] of Object.entries({
    'README.md': '# Read me, says the platypus',
    'src/main.ts': 'export const echidna = 1',
    'src/deep/er/file name.txt': 'below',
    'docs/a.md': 'a',
    'docs/b.md': 'b',
    'logo.png': png,
  }))
    code.files.set(path, text)
  github.intercept = (request) => treeAnswer(github, request)
  const config = { include_files: true, include_prs: false, include_issues: false }
  const pair = await pullGitHub(github, config)
  const { status, skipped_docs } = await ended(pair)
  assert.equal(status, 'success', JSON.stringify(skipped_docs))
  assert.deepEqual(await short(pair), [
    'code/blob/main/README.md',
    'code/blob/main/docs/a.md',
    'code/blob/main/docs/b.md',
    'code/blob/main/src/deep/er/file%20name.txt',
    'code/blob/main/src/main.ts',
  ])
  await until(async () => (await found('echidna')).length > 0, 'the code')
  code.files.set('src/main.ts', 'export const kookaburra = 2')
  code.files.delete('docs/b.md')
  github.asked.length = 0
  const second = await runAgain(pair)
  // The image is fetched again: skipped files have no note.
  assert.equal(github.asked.filter((it) => it.path.includes('/blobs/')).length, 2)
  assert.deepEqual([second.status, second.total_docs_indexed], ['success', 4])
  assert.equal((await prune(pair)).removed, 1)
  assert.equal((await documents(pair)).length, 4)
})

test('readers of a repository may read its contents; unknown permissions grant no access', async () => {
  const github = await openGitHub()
  const shown = async () =>
    Object.fromEntries(
      (await preview(github, {}, 'sync')).documents.map((it: Json) => [it.metadata.repo, it.external_access]),
    )
  github.emails.set('mona', 'mona@example.com')
  github.repository('a-public')
  github.repository('b-private', {
    private: true,
    visibility: 'private',
    collaborators: [{ login: 'mona' }, { login: 'hidden' }],
    teams: [{ slug: 'justice-league' }],
  })
  github.repository('c-internal', { private: true, visibility: 'internal' })
  github.repository('d-dark', { private: true, visibility: 'private', collaborators: null })
  for (const name of github.repositories.keys()) github.issue(name, 1)
  const of = (is_public: boolean, external_user_emails: string[], groups: string[]) => ({
    is_public,
    external_user_emails,
    external_user_group_ids: groups.map((it) => `github:${it}`),
  })
  assert.deepEqual(await shown(), {
    'octo/a-public': of(true, [], []),
    'octo/b-private': of(false, ['mona@example.com'], ['octo/justice-league']),
    'octo/c-internal': of(false, [], ['octo']),
    'octo/d-dark': of(false, [], []),
  })
})

test('a discussion becomes a document with all comments and replies, and is updated, listed and read by id', async () => {
  const github = await openGitHub()
  github.repository('hello')
  const said = (id: string, body: string, more: Json = {}) => ({
    id,
    url: `https://github.test/octo/hello/discussions/7#discussioncomment-${id}`,
    body,
    isAnswer: false,
    author: { login: 'hubot' },
    ...more,
  })
  // More of each than fit on a page.
  const replies = [said('11', 'reply1'), said('12', 'reply2'), said('13', 'reply3', { author: null })]
  const comments = [said('1', 'A bettong', { isAnswer: true, replies }), said('2', ''), said('3', 'the last quoll')]
  github.discussion('hello', 7, { title: 'How to', labels: { nodes: [{ name: 'help' }] }, comments })
  for (let at = 10; at < 70; at++) github.discussion('hello', at)
  const config = { include_discussions: true, include_issues: false, include_prs: false }
  const [shown] = (await preview(github, config)).documents
  assert.deepEqual(shown, {
    document_id: 'https://github.test/octo/hello/discussions/7',
    semantic_identifier: '#7: How to',
    link: 'https://github.test/octo/hello/discussions/7',
    characters: 63,
    beginning: 'Opening of 7\n\nA bettong\n\nreply1\n\nreply2\n\nreply3\n\nthe last quoll',
    metadata: {
      object_type: 'Discussion',
      repo: 'octo/hello',
      id: '7',
      category: 'General',
      user: 'octocat',
      labels: ['help'],
      answered: 'true',
      created_at: '2024-01-01T00:00:07.000Z',
      updated_at: '2024-01-01T00:00:07.000Z',
    },
    external_access: null,
  })
  const pair = await pullGitHub(github, config)
  assert.deepEqual([(await ended(pair)).status, (await documents(pair)).length], ['success', 61])
  const [hit] = await until(async () => {
    const { results } = await ok('POST', '/search', { body: { query: 'quoll' } })
    return results.length > 0 && results
  }, 'the comment')
  assert.equal(hit.link, 'https://github.test/octo/hello/discussions/7#discussioncomment-3')

  github.discussion('hello', 20, { body: 'Of a potoroo', updatedAt: new Date().toISOString() })
  assert.equal((await runAgain(pair)).total_docs_indexed, 1)
  await until(async () => (await found('potoroo')).length > 0, 'the change')
  github.repositories.get('hello')!.discussions.delete(20)
  assert.equal((await prune(pair)).removed, 1)

  // https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
  const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded for user ID 1.' }]
  github.intercept = ({ path }) => (path === '/graphql' ? json({ errors }) : undefined)
  const { status, error_msg } = await runAgain(pair)
  assert.deepEqual([status, error_msg], ['failed', `GitHub rejected the discussion query: ${errors[0]!.message}`])
  assert.match((await prune(pair)).error, /rate limit exceeded/)

  github.intercept = ({ path, body }) =>
    path === '/graphql' && body.operationName === 'Discussions'
      ? json({
          data: {
            repository: {
              discussions: { nodes: [{ number: 9, updatedAt: '2024' }], pageInfo: { hasNextPage: false } },
            },
          },
        })
      : undefined
  const broken = await runAgain(pair, { from_beginning: true })
  assert.deepEqual([broken.status, broken.error_count], ['completed_with_errors', 1])
  const [{ entity_id, failure_message }] = await attemptErrors(pair)
  assert.deepEqual(
    [entity_id, /octo\/hello#9 could not be read: .*title/.test(failure_message)],
    ['octo/hello#9', true],
  )
})

test('validation requires a token for discussions', async () => {
  const github = await openGitHub()
  github.repository('hello')
  const connector = connectorFor(github, { include_discussions: true })
  const body = { name: 'Without a token', input_type: 'poll', access_type: 'public', ...connector }
  const { id } = await ok('POST', '/manage/admin/connector', { body })
  const reply = await ask('PUT', `/manage/admin/connector/${id}/credential/0`, { body: {} })
  assert.equal(reply.status, 400)
  assert.match(reply.body.detail, /credential_json: Discussions require a token\./)
})

test('access and the members of teams and the organization are synchronized without reading content', async () => {
  const github = await openGitHub()
  for (const it of ['mona', 'hubot', 'ann']) github.emails.set(it, `${it}@example.com`)
  const closed = { private: true, visibility: 'private' }
  const team = github.repository('team', { ...closed, teams: [{ slug: 'justice-league' }] })
  github.repository('internal', { private: true, visibility: 'internal' })
  for (const name of ['team', 'internal']) github.issue(name, 1, { body: 'a quokka' })
  github.members.set('/orgs/octo/teams/justice-league', [{ login: 'mona' }, { login: 'hidden' }])
  github.members.set('/orgs/octo', [{ login: 'mona' }, { login: 'hubot' }])
  const pair = await pullGitHub(github, {}, { access_type: 'sync' })
  assert.equal((await ended(pair)).status, 'success')
  const keyOf = (login: string) => makeKey({ role: 'basic', user_email: `${login}@example.com` })
  const sees = async (key: string, ...repositories: string[]) => {
    const ids = repositories.map((it) => `https://github.test/octo/${it}/issues/1`)
    const isSo = async () => JSON.stringify(await found('quokka', key)) === JSON.stringify(ids)
    await until(isSo, `the key to see ${repositories}`)
  }
  const [mona, hubot, ann] = [await keyOf('mona'), await keyOf('hubot'), await keyOf('ann')]
  await learntAgain(pair)
  await sees(mona, 'internal', 'team')
  await sees(hubot, 'internal')
  await sees(ann)
  github.asked.length = 0
  team.collaborators = [{ login: 'ann' }]
  team.teams = []
  github.members.set('/orgs/octo', [{ login: 'mona' }])
  await learntAgain(pair)
  await sees(mona, 'internal')
  await sees(hubot)
  await sees(ann, 'team')
  assert.ok(github.read.every((it) => !/\/issues\/\d/.test(it)))
})

test('validation errors name the config field', async () => {
  const github = await openGitHub()
  github.repository('hello')
  const refusedFor = async (more: Json, intercept: GitHub['intercept'] = () => undefined) => {
    github.intercept = intercept
    names += 1
    const connector = {
      name: `Refused ${names}`,
      input_type: 'poll',
      access_type: 'public',
      ...connectorFor(github, more),
    }
    const { id } = await ok('POST', '/manage/admin/connector', { body: connector })
    const reply = await ask('PUT', `/manage/admin/connector/${id}/credential/${credential}`, { body: {} })
    assert.equal(reply.status, 400, reply.text)
    return (reply.body.detail as string).replace('Connector validation error: ', '')
  }
  assert.equal(
    await refusedFor({ repositories: 'hello, gone' }),
    'connector_specific_config.repositories: Repository octo/gone does not exist or the token cannot access it (HTTP 404).',
  )
  assert.equal(
    await refusedFor({ repo_owner: 'nobody' }),
    'connector_specific_config.repo_owner: User or organization nobody does not exist (HTTP 404).',
  )
  assert.equal(
    await refusedFor({}, () => json({ message: 'Bad credentials' }, 401)),
    'credential_json.github_access_token: GitHub rejects the token (HTTP 401). It is wrong or has expired. Bad credentials',
  )
  assert.equal(
    await refusedFor({}, () => json({ message: 'Resource protected by organization SAML enforcement.' }, 403)),
    'credential_json.github_access_token: GitHub does not allow this token to read this (HTTP 403): Resource protected by organization SAML enforcement.',
  )
  assert.match(
    await refusedFor({}, () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })),
    /^connector_specific_config\.github_base_url: .* returned a web page instead of data/,
  )
})

test('a malformed response fails its document, or the run if it belongs to no document', async () => {
  const github = await openGitHub()
  const hello = github.repository('hello')
  for (const it of [1, 2, 3]) github.issue('hello', it)
  hello.issues.set(2, { ...hello.issues.get(2), title: null })
  hello.comments.set(3, [{ body: 7 }])
  github.issue('hello', 3)
  const pair = await pullGitHub(github)
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  assert.deepEqual(await short(pair), ['hello/issues/1'])
  const errors = await attemptErrors(pair)
  assert.deepEqual(errors.map((it) => [it.entity_id, it.document_link]).sort(), [
    ['octo/hello#2', 'https://github.test/octo/hello/issues/2'],
    ['octo/hello#3', 'https://github.test/octo/hello/issues/3'],
  ])
  github.issue('hello', 2)
  hello.comments.clear()
  await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: errors.map((it) => it.id) } })
  assert.equal((await ended(pair, 2)).total_docs_indexed, 2)
  assert.deepEqual(await attemptErrors(pair), [])
  const cases: [path: string, body: string, reason: RegExp][] = [
    ['/repos/octo/hello/issues', '{"items": []}', /expected array/],
    ['/repos/octo/hello/issues', '[{"number": 1', /invalid JSON/],
    ['/orgs/octo/repos', '[{"name": "hello"}]', /0\.full_name/],
  ]
  for (const [path, text, reason] of cases) {
    github.intercept = (request) => (request.path === path ? { body: text } : undefined)
    const { status, error_msg } = await runAgain(pair, { from_beginning: true })
    assert.equal(status, 'failed')
    assert.match(error_msg, reason)
    assert.match((await prune(pair)).error, reason)
  }
  assert.equal((await documents(pair)).length, 3)
})

test('a rate limit is waited out; an expired token fails the run and deletes nothing', async () => {
  const github = await openGitHub()
  github.repository('hello')
  for (let at = 1; at <= 5; at += 1) github.issue('hello', at)
  const times: number[] = []
  // https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
  github.intercept = ({ path }) => {
    if (!path.endsWith('/issues')) return
    times.push(Date.now())
    const reset = String(Math.ceil(Date.now() / 1_000) + 2)
    return times.length === 1
      ? json({ message: 'API rate limit exceeded.' }, 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
      : undefined
  }
  const pair = await pullGitHub(github)
  assert.equal((await ended(pair)).status, 'success')
  assert.ok(times.length === 2 && times[1]! - times[0]! >= 1_900, `asked again after ${times[1]! - times[0]!} ms`)
  github.intercept = () => undefined
  github.tokens.clear()
  assert.match((await prune(pair)).error, /credential_json\.github_access_token: .*HTTP 401/)
  assert.equal((await runAgain(pair)).status, 'failed')
  assert.deepEqual([(await detail(pair)).status, (await documents(pair)).length], ['INVALID', 5])
})
