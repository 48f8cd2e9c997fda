// The redmine connector against a real Redmine, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite } from '../connectors/site.ts'
import { killWhileReading } from '../crash/connector.ts'
import { killedRedmine } from './killed-sources.ts'
import { onRedmine, SERIAL_ISSUES } from './start-redmine.ts'

/** Default roles of Redmine: the first sees private issues, the second does not. */
const [MANAGER, REPORTER] = [3, 5]

await onRedmine(async (redmine) => {
  const { ask, url } = redmine
  const service = await startWithConnectors()
  const { ok, pull, ended, documents, runAgain, prune, found, search, refused, until, makeKey, detail, learntAgain } =
    service
  const credentialOf = async (redmine_api_key: string): Promise<number> => {
    const body = { credential_json: { redmine_api_key }, admin_public: true, source: 'redmine' }
    return (await ok('POST', '/manage/credential', { body })).id
  }
  const source = (more: object = {}) => ({
    source: 'redmine',
    connector_specific_config: { base_url: url, ...more },
    refresh_freq: null,
    prune_freq: null,
  })
  const project = async (identifier: string, is_public: boolean): Promise<number> => {
    const of = {
      identifier,
      name: identifier.toUpperCase(),
      is_public,
      enabled_module_names: ['issue_tracking', 'wiki'],
    }
    return (await ask('POST', '/projects.json', { project: of })).project.id
  }
  const join = (identifier: string, user_id: number, role: number) =>
    ask('POST', `/projects/${identifier}/memberships.json`, { membership: { user_id, role_ids: [role] } })
  const issue = async (project_id: number, subject: string, more: object = {}): Promise<number> =>
    (await ask('POST', '/issues.json', { issue: { project_id, subject, ...more } })).issue.id
  const comment = (id: number, notes: string, private_notes = false) =>
    ask('PUT', `/issues/${id}.json`, { issue: { notes, private_notes } })
  const wiki = (identifier: string, title: string, text: string) =>
    ask('PUT', `/projects/${identifier}/wiki/${encodeURIComponent(title)}.json`, { wiki_page: { text } })
  const at = (...ids: (number | string)[]) =>
    ids.map((it) => (typeof it === 'number' ? `${url}/issues/${it}` : `${url}/projects/${it}`)).sort()
  const seenBy = async (login: string, query: string) =>
    await found(query, await makeKey({ role: 'basic', user_email: `${login}@example.org` }))
  const sees = (login: string, query: string, ids: string[]) =>
    until(async () => JSON.stringify(await seenBy(login, query)) === JSON.stringify(ids), `${login} to see ${ids}`)

  const [mia, rob, out] = [
    await redmine.createUser('mia'),
    await redmine.createUser('rob'),
    await redmine.createUser('out'),
  ]
  const shown = await project('shown', true)
  const hidden = await project('hidden', false)
  await join('hidden', mia.id, MANAGER)
  await join('hidden', rob.id, REPORTER)
  const upload = await ask('POST', '/uploads.json?filename=list.csv', Buffer.from('beast,count\npangolin,7\n'))
  const uploads = [{ token: upload.upload.token, filename: 'list.csv', content_type: 'text/csv' }]
  const plain = await issue(shown, 'Everybody reads', {
    description: 'A report of wombats.\n\nh2. Steps\n\nLook.',
    uploads,
  })
  await comment(plain, 'A note of quolls.')
  await comment(plain, 'A hidden note of numbats.', true)
  const inner = await issue(hidden, 'Members read', { description: 'A report of members.' })
  const secret = await issue(hidden, 'Managers read', { description: 'A report of managers.', is_private: true })
  const assigned = { description: 'A report of its own.', is_private: true, assigned_to_id: rob.id }
  const own = await issue(hidden, 'Whom it is assigned to reads', assigned)
  await wiki('shown', 'Start', 'h1. Welcome\n\nA report in the wiki.\n\nh2. More\n\nOf kiwis.')
  await wiki('hidden', 'Größe & mehr', 'A report of the hidden wiki.')
  const secretPage = `hidden/wiki/${encodeURIComponent('Größe_&_mehr')}`
  const credential = await credentialOf(redmine.key)
  const pair = await pull('Redmine', source({ projects: ['shown', 'hidden'] }), {
    credential,
    association: { access_type: 'sync' },
  })

  test('issues with notes and attachments and wiki pages are read, private notes are not', async () => {
    const attempt = await ended(pair)
    assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
    assert.deepEqual(
      await documents(pair).then((it) => it.sort()),
      at(plain, inner, secret, own, 'shown/wiki/Start', secretPage),
    )
    await sees('out', 'wombats', at(plain))
    await sees('out', 'pangolin', at(plain))
    await sees('out', 'kiwis', at('shown/wiki/Start'))
    await sees('mia', 'numbats', [])
    const key = await makeKey({ role: 'basic', user_email: 'out@example.org' })
    const first = async (query: string) => (await search(query, {}, { key })).results[0]
    const seen = await first('quolls')
    assert.equal(seen.semantic_identifier, `Bug #${plain}: Everybody reads`)
    assert.equal(seen.link, `${url}/issues/${plain}#note-1`)
    const { project: name, tracker, status, attachments } = seen.metadata
    assert.deepEqual([name, tracker, status, attachments], ['SHOWN', 'Bug', 'New', ['list.csv']])
    assert.equal((await first('kiwis')).link, `${url}/projects/shown/wiki/Start#More`)
  })

  test('readers are those of Redmine: members by role, private issues, public projects, administrators', async () => {
    await sees('mia', 'report', at(plain, inner, secret, own, 'shown/wiki/Start', secretPage))
    await sees('rob', 'report', at(plain, inner, own, 'shown/wiki/Start', secretPage))
    await sees('out', 'report', at(plain, 'shown/wiki/Start'))
    await sees('admin', 'report', at(plain, inner, secret, own, 'shown/wiki/Start', secretPage))
    await sees('stranger', 'report', at(plain, 'shown/wiki/Start'))
  })

  test('a change of members changes the readers of documents without reading them again', async () => {
    await learntAgain(pair)
    await sees('out', 'members', [])
    await join('hidden', out.id, REPORTER)
    await learntAgain(pair)
    await sees('out', 'members', at(inner))
    const { memberships } = await ask('GET', '/projects/hidden/memberships.json')
    const left = memberships.find((it: { user: { id: number } }) => it.user.id === out.id)
    await ask('DELETE', `/memberships/${left.id}.json`)
    await learntAgain(pair)
    await sees('out', 'members', [])
    await sees('mia', 'report', at(plain, inner, secret, own, 'shown/wiki/Start', secretPage))
  })

  test('changed issues are read, and deleted ones are pruned', async () => {
    const deleted = await issue(shown, 'Soon gone', { description: 'A report of dodos.' })
    await ask('PUT', `/issues/${inner}.json`, { issue: { description: 'Now it tells of marmosets.' } })
    await wiki('shown', 'Start', 'h1. Welcome\n\nNow of tamarins.')
    const again = await runAgain(pair)
    assert.deepEqual([again.status, again.new_docs_indexed], ['success', 1])
    await sees('rob', 'marmosets', at(inner))
    await sees('rob', 'tamarins', at('shown/wiki/Start'))
    await sees('rob', 'dodos', at(deleted))
    await ask('DELETE', `/issues/${deleted}.json`)
    await ask('DELETE', '/projects/shown/wiki/Start.json')
    const { removed, error } = await prune(pair)
    assert.deepEqual([removed, error], [2, null])
    assert.ok(!(await documents(pair)).includes(at(deleted)[0]!))
  })

  test('more than one page of issues is read; the configuration selects a project with subprojects, or only issues', async () => {
    await wiki('below', 'Left out', 'Not read.')
    const config = source({ projects: ['above'], include_wiki: false })
    const chosen = await pull('Chosen', config, { credential })
    const { status, total_docs_indexed } = await ended(chosen)
    assert.deepEqual([status, total_docs_indexed], ['success', SERIAL_ISSUES])
    assert.equal((await prune(chosen)).removed, 0)
  })

  test('without the right to list members, no access is granted', async () => {
    const alone = await project('alone', false)
    await join('alone', rob.id, REPORTER)
    await issue(alone, 'Nobody reads', { description: 'A report of axolotls.' })
    const closed = await pull('Key of a member', source({ projects: ['alone'] }), {
      credential: await credentialOf(rob.key),
      association: { access_type: 'sync' },
    })
    const { status, total_docs_indexed } = await ended(closed)
    assert.deepEqual([status, total_docs_indexed], ['success', 1])
    await until(async () => (await detail(closed)).num_docs_indexed === 1, 'the issue to be indexed')
    for (const it of ['rob', 'admin', 'out']) assert.deepEqual(await seenBy(it, 'axolotls'), [])
  })

  test('an unusable configuration is rejected at association, with the field and the server response', async () => {
    const refusal = async (name: string, connector: object, given = credential) => {
      const body = { name, input_type: 'poll', access_type: 'PUBLIC', ...connector }
      const { id } = await ok('POST', '/manage/admin/connector', { body })
      return (await refused('PUT', `/manage/admin/connector/${id}/credential/${given}`, {}, 400)).detail
    }
    const site = await openSite(() => ({ body: 'A page.' }))
    const bad = await credentialOf('wrong')
    assert.match(
      await refusal('Bad key', source(), bad),
      /redmine_api_key: The API key is invalid: .* returned HTTP 401/,
    )
    assert.match(
      await refusal('Page', source({ base_url: site.url })),
      /config\.base_url: No Redmine found at this address/,
    )
    assert.match(
      await refusal('Unknown', source({ projects: ['nothing'] })),
      /\.projects: Project "nothing" does not exist/,
    )
  })

  test('a killed run resumes and reads the same documents', { timeout: 600_000 }, async (t) =>
    killWhileReading(t, 2, await killedRedmine(redmine, 150)),
  )
})
