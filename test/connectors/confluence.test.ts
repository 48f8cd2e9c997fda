// The Confluence connector against a fake Cloud and Server, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Confluence, comment, openConfluence, restricted, USERNAME } from './confluence-server.ts'
import { type Json, json } from './json-server.ts'
import { startWithConnectors } from './setup.ts'

const { ok, ask, pull, ended, documents, runAgain, prune, found, until, detail, makeKey, learntAgain } =
  await startWithConnectors()

async function credentialOf(credential_json: Json): Promise<number> {
  const body = { credential_json, admin_public: true, source: 'confluence' }
  return (await ok('POST', '/manage/credential', { body })).id
}
const credentials = {
  cloud: await credentialOf({ confluence_username: USERNAME, confluence_access_token: 'token' }),
  server: await credentialOf({ confluence_access_token: 'token' }),
}
type Kind = keyof typeof credentials
const KINDS: Kind[] = ['cloud', 'server']

const connectorFor = (kind: Kind, wiki: Confluence, more: Json = {}) => ({
  source: 'confluence',
  connector_specific_config: { wiki_base: wiki.base, is_cloud: kind === 'cloud', ...more },
  refresh_freq: null,
  prune_freq: null,
})
let names = 0
const pullWiki = (kind: Kind, wiki: Confluence, more: Json = {}, association: Json = {}) => {
  names += 1
  return pull(`Wiki ${names}`, connectorFor(kind, wiki, more), { credential: credentials[kind], association })
}
const preview = (kind: Kind, wiki: Confluence, more: Json = {}, access_type = 'public') =>
  ok('POST', '/manage/admin/connector/preview', {
    body: { ...connectorFor(kind, wiki, more), credential_id: credentials[kind], access_type },
  })
const short = async (wiki: Confluence, pair: number) =>
  (await documents(pair))
    .map((it) => it.replace(`${wiki.base}/`, '').replace('pages/viewpage.action?pageId=', ''))
    .sort()
const errorsOf = async (pair: number): Promise<Json[]> =>
  (await ok('GET', `/manage/admin/cc-pair/${pair}/errors`)).items

/** https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html */
const STORAGE = `<p>How we <strong>deploy</strong> &amp; roll back.</p><h2>Steps</h2>
<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">bash</ac:parameter>
<ac:plain-text-body><![CDATA[deploy <target> && echo done]]></ac:plain-text-body></ac:structured-macro>
<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status>
<ac:task-body>Requester the numbat</ac:task-body></ac:task></ac:task-list>`

test('a page becomes a document with sections, code, tasks and comments', async () => {
  for (const kind of KINDS) {
    const wiki = await openConfluence(kind)
    wiki.put('65591', {
      title: 'Deployments',
      body: { storage: { value: STORAGE } },
      metadata: { labels: { results: [{ prefix: 'global', name: 'ops' }] } },
      ancestors: [{ id: '1', type: 'page', title: 'Home', restrictions: restricted() }],
    })
    wiki.comments.set('65591', [comment('77', `A gharial of a ${kind}`), comment('78', '')])
    const [shown] = (await preview(kind, wiki)).documents
    assert.equal(shown.document_id, `${wiki.base}/pages/viewpage.action?pageId=65591`)
    assert.equal(shown.link, `${wiki.base}/spaces/TEAM/pages/65591/Page`)
    assert.equal(shown.semantic_identifier, 'Deployments')
    const words = shown.beginning.replace(/\s+/g, ' ')
    assert.equal(
      words,
      `How we deploy & roll back. deploy <target> && echo done Requester the numbat A gharial of a ${kind}`,
    )
    assert.deepEqual(shown.metadata, {
      object_type: 'page',
      space: 'TEAM',
      space_name: 'The team',
      labels: ['ops'],
      author: 'Ann Author',
      created_at: shown.metadata.created_at,
      ancestors: ['Home'],
    })
    const pair = await pullWiki(kind, wiki)
    assert.equal((await ended(pair)).status, 'success')
    const [hit] = await until(async () => {
      const { results } = await ok('POST', '/search', { body: { query: `gharial ${kind}` } })
      return results.length > 0 && results[0].content.includes(kind) && results
    }, 'the comment')
    assert.deepEqual(
      [hit.link, hit.updated_at],
      [`${wiki.base}/spaces/TEAM/pages/65591/Page?focusedCommentId=77`, '2024-01-01T00:00:00.000Z'],
    )
  }
})

test('attachments are separate documents and are read again only when their version changes', async () => {
  for (const kind of KINDS) {
    const wiki = await openConfluence(kind)
    wiki.put('1')
    wiki.put('2')
    wiki.attach('1', 'notes v1.txt', `notes of a tuatara in a ${kind}`)
    wiki.attach('1', 'picture.png', 'RIFF\u0004\u0000\u0000\u0000WEBP')
    const pair = await pullWiki(kind, wiki)
    assert.equal((await ended(pair)).status, 'success')
    assert.deepEqual(await short(wiki, pair), ['1', '2', 'download/attachments/1/notes%20v1.txt'])
    await until(async () => (await found(`tuatara ${kind}`)).length > 0, 'the file')
    const reads = () => wiki.asked.filter((it) => /\/download/.test(it.path) && it.path.includes('/1')).length
    const before = reads()
    wiki.put('1', { version: { number: 2, when: new Date().toISOString(), by: null } })
    assert.equal((await runAgain(pair)).status, 'success')
    // The image is fetched again: skipped files have no note.
    assert.equal(reads() - before, 1)
    wiki.attach('1', 'notes v1.txt', `notes of a pangolin in a ${kind}`, 2)
    assert.equal((await runAgain(pair)).status, 'success')
    await until(async () => (await found(`pangolin ${kind}`)).length > 0, 'the new version')
    wiki.attachments.delete('1')
    assert.deepEqual([(await prune(pair)).removed, await short(wiki, pair)], [1, ['1', '2']])
    const bare = await pullWiki(kind, wiki, { include_attachments: false })
    await ended(bare)
    wiki.attach('2', 'x.txt', 'x')
    assert.deepEqual([(await runAgain(bare)).status, await short(wiki, bare)], ['success', ['1', '2']])
  }
})

test('without a credential public content is read', async () => {
  const wiki = await openConfluence('cloud')
  wiki.put('1')
  wiki.intercept = ({ headers, path }) => {
    assert.ok(headers.authorization === undefined, path)
    return path.endsWith('/content/search') ? json({ results: [], _links: {} }) : undefined
  }
  const body = { ...connectorFor('cloud', wiki), credential_id: 0 }
  const { error, is_complete } = await ok('POST', '/manage/admin/connector/preview', { body })
  assert.deepEqual([error, is_complete], [null, true])
})

test('space, page, subpages and query become the right CQL', async () => {
  const wiki = await openConfluence('cloud')
  const ancestor = { id: '10', title: 'Top', restrictions: restricted() }
  wiki.put('10')
  wiki.put('11', { ancestors: [ancestor] })
  wiki.put('12', { space: { key: 'OTHER', name: 'Other' } })
  const read = async (config: Json) =>
    (await preview('cloud', wiki, config)).documents.map((it: Json) => it.semantic_identifier)
  const asked = () => wiki.asked.findLast((it) => it.path.endsWith('/content/search'))!.query.get('cql')
  assert.deepEqual(await read({}), ['Page 10', 'Page 11', 'Page 12'])
  assert.equal(asked(), 'type in (page, blogpost) order by created asc')
  assert.deepEqual(await read({ space: 'OTHER' }), ['Page 12'])
  assert.equal(asked(), 'space = "OTHER" and type in (page, blogpost) order by created asc')
  assert.deepEqual(await read({ space: 'OTHER', page_id: '10' }), ['Page 10'])
  assert.deepEqual(await read({ page_id: '10', index_recursively: true }), ['Page 10', 'Page 11'])
  assert.equal(asked(), '(id = 10 or ancestor = 10) and type in (page, blogpost) order by created asc')
  await read({ cql_query: 'label = "order by x" ORDER BY created desc', page_id: '10' })
  assert.equal(asked(), '(label = "order by x") and type in (page, blogpost) order by created asc')
})

test('all pages are read; a second run reads changed pages, new comments and new attachments', async () => {
  for (const kind of KINDS) {
    const wiki = await openConfluence(kind)
    for (let at = 1; at <= 130; at += 1) wiki.put(String(at))
    let searches = 0
    wiki.intercept = ({ path }) => {
      if (!path.endsWith('/content/search')) return
      searches += 1
      // Pages that were read are deleted, which shifts the others.
      if (searches === 2 && kind === 'server') for (const it of ['3', '4', '5']) wiki.pages.delete(it)
      return undefined
    }
    const pair = await pullWiki(kind, wiki)
    const first = await ended(pair)
    assert.deepEqual([first.status, (await documents(pair)).length], ['success', 130])
    wiki.put('7', { version: { number: 2, when: new Date().toISOString() }, body: { storage: { value: 'an oryx' } } })
    wiki.comments.set('8', [comment('9', 'an ibex', { version: { number: 1, when: new Date().toISOString() } })])
    wiki.asked.length = 0
    const second = await runAgain(pair)
    assert.deepEqual([second.status, second.total_docs_indexed, second.new_docs_indexed], ['success', 2, 0])
    const [list] = wiki.asked.filter((it) => it.path.endsWith('/content/search'))
    const [, text] = /lastmodified >= "(\d{4}-\d\d-\d\d \d\d:\d\d)"/.exec(list!.query.get('cql') ?? '')!
    // The margin covers every time zone of the user.
    const start = Date.parse(`${text!.replace(' ', 'T')}Z`)
    assert.ok(Math.abs(start + 12 * 3_600_000 + 300_000 - Date.parse(first.poll_range_end)) < 120_000)
    await until(async () => (await found('oryx')).some((it) => it.startsWith(wiki.base)), 'the page')
    await until(async () => (await found('ibex')).some((it) => it.startsWith(wiki.base)), 'the comment')
    if (kind === 'server') assert.deepEqual([(await prune(pair)).removed, (await documents(pair)).length], [3, 127])
  }
})

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-space: `expand=permissions` */
const reading = (users: Json[], groups: string[], anonymousAccess = false) => ({
  id: 1,
  operation: { operation: 'read', targetType: 'space' },
  anonymousAccess,
  subjects: {
    user: { results: users, size: users.length },
    group: { results: groups.map((name) => ({ type: 'group', name })), size: groups.length },
  },
})
const user = (accountId: string, email?: string) => ({ type: 'known', accountId, ...(email && { email }) })
const accessIn = async (kind: Kind, wiki: Confluence) =>
  Object.fromEntries(
    (await preview(kind, wiki, {}, 'sync')).documents.map((it: Json) => [
      it.semantic_identifier.replace('Page ', ''),
      [
        it.external_access.is_public,
        it.external_access.external_user_emails,
        it.external_access.external_user_group_ids.map((group: string) => group.split(':').at(-1)),
      ],
    ]),
  )

test("access is the space's readers narrowed by the restrictions of all ancestors", async () => {
  const wiki = await openConfluence('cloud')
  const [mia, ann, eve] = [
    user('mia', 'mia@example.com'),
    user('ann', 'ann@example.com'),
    user('eve', 'eve@example.com'),
  ]
  wiki.spaces.set('TEAM', [
    reading([mia], ['staff', 'guests']),
    { ...reading([eve], []), operation: { operation: 'create', targetType: 'page' } },
  ])
  wiki.spaces.set('OPEN', [reading([], [], true)])
  wiki.groups.set('staff', [user('ann'), user('bob')])
  wiki.groups.set('guests', [user('gus', 'gus@example.com')])
  wiki.groups.set('board', [user('gus', 'gus@example.com'), user('eve', 'eve@example.com')])
  wiki.emails.set('bob', 'bob@example.com')
  const ancestorOf = (id: string, users: Json[], groups: string[] = []) => ({
    id,
    restrictions: restricted(users, groups),
  })
  wiki.put('1')
  wiki.put('2', { restrictions: restricted([ann, eve]) })
  wiki.put('3', { restrictions: restricted([mia], ['staff']) })
  // Members of a group without space access get in only if they have access themselves.
  wiki.put('4', { restrictions: restricted([], ['board']) })
  wiki.put('5', { ancestors: [ancestorOf('50', [], ['staff']), ancestorOf('51', [user('bob'), mia])] })
  wiki.put('6', { space: { key: 'OPEN' } })
  wiki.put('7', { space: { key: 'OPEN' }, restrictions: restricted([eve]) })
  wiki.put('8', { space: { key: 'DARK' } })
  // Missing restrictions are fetched, and a group with unreadable members grants nobody access.
  wiki.put('9', { ancestors: [{ id: '7' }], restrictions: null })
  wiki.put('10', { restrictions: restricted([], ['secret']) })
  assert.deepEqual(await accessIn('cloud', wiki), {
    1: [false, ['mia@example.com'], ['guests', 'staff']],
    2: [false, ['ann@example.com'], []],
    3: [false, ['mia@example.com'], ['staff']],
    4: [false, ['gus@example.com'], []],
    5: [false, ['bob@example.com'], []],
    6: [true, [], []],
    7: [false, ['eve@example.com'], []],
    8: [false, [], []],
    9: [false, [], []],
    10: [false, [], []],
  })
})

test('a server reports groups but no e-mail addresses', async () => {
  const wiki = await openConfluence('server')
  // https://developer.atlassian.com/server/confluence/rest/v1000/api-group-space-permissions
  const permission = (subject: Json, operationKey = 'read') => ({
    operation: { targetType: 'space', operationKey },
    subject,
    spaceKey: 'TEAM',
  })
  wiki.spaces.set('TEAM', [
    permission({ type: 'group', name: 'staff', displayName: 'staff' }),
    permission({ type: 'user', username: 'mia', displayName: 'Mia' }),
    permission({ type: 'anonymous', displayName: 'Anonymous' }, 'export'),
  ])
  wiki.spaces.set('OPEN', [permission({ type: 'anonymous', displayName: 'Anonymous' })])
  wiki.put('1')
  wiki.put('2', { restrictions: restricted([{ username: 'mia' }], ['staff']) })
  wiki.put('3', { space: { key: 'OPEN' } })
  wiki.put('4', { space: { key: 'DARK' } })
  assert.deepEqual(await accessIn('server', wiki), {
    1: [false, [], ['staff']],
    2: [false, [], ['staff']],
    3: [true, [], []],
    4: [false, [], []],
  })
})

test('validation errors name the config field', async () => {
  const wiki = await openConfluence('cloud')
  wiki.put('1')
  const refusedFor = async (
    more: Json,
    intercept: Confluence['intercept'] = () => undefined,
    credential = credentials.cloud,
  ) => {
    wiki.intercept = intercept
    names += 1
    const connector = {
      name: `Refused ${names}`,
      input_type: 'poll',
      access_type: 'public',
      ...connectorFor('cloud', wiki, more),
    }
    const { id } = await ok('POST', '/manage/admin/connector', { body: connector })
    const reply = await ask('PUT', `/manage/admin/connector/${id}/credential/${credential}`, { body: {} })
    assert.equal(reply.status, 400, reply.text)
    return (reply.body.detail as string).replace('Connector validation error: ', '')
  }
  assert.equal(
    await refusedFor({ space: 'GONE' }),
    'connector_specific_config.space: The space GONE does not exist or the token cannot access it (HTTP 404).',
  )
  assert.equal(
    await refusedFor({ page_id: '404' }),
    'connector_specific_config.page_id: The page 404 does not exist or the token cannot access it (HTTP 404).',
  )
  assert.equal(
    await refusedFor({ cql_query: 'nonsense' }, ({ path }) =>
      path.endsWith('/search') ? json({ message: 'Could not parse cql : nonsense' }, 400) : undefined,
    ),
    'connector_specific_config.cql_query: Confluence rejects the query: Could not parse cql : nonsense',
  )
  const token = 'credential_json.confluence_access_token: '
  assert.equal(
    await refusedFor({}, () => json({ message: 'Unauthorized' }, 401)),
    `${token}Confluence rejects the token (HTTP 401). It is wrong or has expired. Unauthorized`,
  )
  assert.equal(
    await refusedFor({}, () => json({ type: 'anonymous', displayName: 'Anonymous' })),
    `${token}Confluence does not accept the token. It is wrong or has expired.`,
  )
  assert.equal(
    await refusedFor({}, () => undefined, credentials.server),
    'credential_json.confluence_username: Confluence Cloud requires the user name of the token.',
  )
  assert.match(
    await refusedFor({}, () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })),
    /^connector_specific_config\.wiki_base: .* returned a web page instead of data/,
  )
})

test('a malformed response fails its page, or the run if it belongs to no page', async () => {
  const wiki = await openConfluence('cloud')
  for (const it of ['1', '2', '3']) wiki.put(it)
  wiki.put('2', { body: null })
  wiki.comments.set('3', [{ id: 7 }])
  const pair = await pullWiki('cloud', wiki)
  assert.equal((await ended(pair)).status, 'completed_with_errors')
  assert.deepEqual(await short(wiki, pair), ['1'])
  const errors = await errorsOf(pair)
  assert.equal(errors.length, 2)
  wiki.put('2')
  wiki.comments.clear()
  await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: errors.map((it) => it.id) } })
  assert.equal((await ended(pair, 2)).total_docs_indexed, 2)
  assert.deepEqual(await errorsOf(pair), [])
  const loop = '{"results": [], "_links": {"next": "/rest/api/content/search?cursor=x"}}'
  const cases: [path: RegExp, body: string, reason: RegExp][] = [
    [/\/search$/, '{"size": 0}', /results: Invalid input/],
    [/\/search$/, '{"results": [', /invalid JSON/],
    [/\/search$/, loop, /keeps returning the same page/],
    [/\/current$/, '[]', /Invalid input/],
  ]
  for (const [path, body, reason] of cases) {
    wiki.intercept = (request) => (path.test(request.path) ? { body } : undefined)
    const { status, error_msg } = await runAgain(pair, { from_beginning: true })
    assert.equal(status, 'failed')
    assert.match(error_msg, reason)
    assert.match((await prune(pair)).error, reason)
  }
  assert.equal((await documents(pair)).length, 3)
})

test('a throttled run waits; an expired token fails the run and deletes nothing', async () => {
  const wiki = await openConfluence('cloud')
  for (const it of ['1', '2', '3']) wiki.put(it)
  const times: number[] = []
  // https://developer.atlassian.com/cloud/confluence/rate-limiting/
  wiki.intercept = ({ path }) => {
    if (!path.endsWith('/content/search')) return
    times.push(Date.now())
    return times.length === 1 ? { status: 429, headers: { 'retry-after': '2' }, body: '{}' } : undefined
  }
  const pair = await pullWiki('cloud', wiki)
  assert.equal((await ended(pair)).status, 'success')
  assert.ok(times.length === 2 && times[1]! - times[0]! >= 1_990, `asked again after ${times[1]! - times[0]!} ms`)
  wiki.tokens.clear()
  assert.match((await prune(pair)).error, /credential_json\.confluence_access_token: .*HTTP 401/)
  assert.equal((await runAgain(pair)).status, 'failed')
  assert.deepEqual([(await detail(pair)).status, (await documents(pair)).length], ['INVALID', 3])
})

test('access of pages and attachments and group members are synchronized without reading content', async () => {
  const wiki = await openConfluence('cloud')
  const word = 'thylacine'
  const allowed = (user: Json[], groups: string[]) => [
    {
      operation: { operation: 'read', targetType: 'space' },
      anonymousAccess: false,
      subjects: { user: { results: user }, group: { results: groups.map((name) => ({ type: 'group', name })) } },
    },
  ]
  const [ann, eve] = [
    { accountId: 'ann', email: 'ann@example.com' },
    { accountId: 'eve', email: '' },
  ]
  wiki.emails.set('eve', 'eve@example.com')
  wiki.spaces.set('TEAM', allowed([ann], ['staff']))
  wiki.groups.set('staff', [eve])
  wiki.put('1', { title: word })
  wiki.attach('1', 'notes.txt', `notes of a ${word}`)
  wiki.put('2', { title: word, restrictions: restricted([ann]) })
  const pair = await pullWiki('cloud', wiki, {}, { access_type: 'sync' })
  assert.equal((await ended(pair)).status, 'success')
  const keyOf = (name: string) => makeKey({ role: 'basic', user_email: `${name}@example.com` })
  const [annsKey, evesKey] = [await keyOf('ann'), await keyOf('eve')]
  const places = {
    1: 'pages/viewpage.action?pageId=1',
    2: 'pages/viewpage.action?pageId=2',
    file: 'download/attachments/1/notes.txt',
  }
  const sees = async (key: string, ...wanted: (keyof typeof places)[]) => {
    const ids = wanted.map((it) => `${wiki.base}/${places[it]}`).sort()
    const isSo = async () => JSON.stringify(await found(word, key)) === JSON.stringify(ids)
    await until(isSo, `the key to see ${wanted}`)
  }
  await learntAgain(pair)
  await sees(annsKey, 1, 2, 'file')
  await sees(evesKey, 1, 'file')
  wiki.asked.length = 0
  wiki.put('2', { title: word, restrictions: restricted([], ['staff']) })
  wiki.spaces.set('TEAM', allowed([], ['staff']))
  await learntAgain(pair)
  await sees(annsKey)
  await sees(evesKey, 1, 2, 'file')
  wiki.groups.set('staff', [])
  await learntAgain(pair)
  await sees(evesKey)
  assert.ok(
    wiki.asked.every(({ path, query }) => !path.includes('/download') && !query.get('expand')?.includes('body')),
  )
})
