// The mediawiki connector against a real MediaWiki, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite } from '../connectors/site.ts'
import { killWhileReading } from '../crash/connector.ts'
import { killedMediaWiki } from './killed-sources.ts'
import { ADMIN, onMediaWiki } from './start-mediawiki.ts'

await onMediaWiki(async (wiki) => {
  const { ok, pull, ended, documents, runAgain, prune, found, search, refused, until } = await startWithConnectors()
  const source = (connector_specific_config: object) => ({
    source: 'mediawiki',
    connector_specific_config,
    refresh_freq: null,
    prune_freq: null,
  })
  const all = (more: object = {}) => source({ hostname: wiki.url, ...more })
  const ids = new Map<string, number>()
  const edit = async (title: string, text: string) => void ids.set(title, await wiki.edit(title, text))
  const idOf = (title: string) => `${wiki.url}/index.php?curid=${ids.get(title)}`
  const titlesOf = async (pair: number) => {
    const read = await documents(pair)
    return [...ids].filter(([title]) => read.includes(idOf(title))).map(([title]) => title)
  }
  const finds = (word: string, titles: string[]) =>
    until(async () => {
      const there = await found(word)
      return JSON.stringify(there) === JSON.stringify(titles.map(idOf).sort()) && there
    }, `"${word}" to find ${titles}`)

  await edit('Template:Greeting', 'The template says wallaby to {{{1}}}.')
  await edit('Aardvark', 'Lead of the page.\n\n== Habitat ==\nIt lives in savannas.\n\n=== Food & drink ===\nTermites.')
  await edit('Zebra', '{{Greeting|everybody}}\n\n[[Category:Striped]]\n{| \n! Kind !! Height\n|-\n| Okapi || 150\n|}')
  await edit('Okapi', 'A relative. [[Category:Half striped]]')
  await edit('Category:Striped', 'All with stripes.')
  await edit('Category:Half striped', '[[Category:Striped]]')
  await edit('Forwarding', '#REDIRECT [[Zebra]]')
  await edit('Talk:Zebra', 'A discussion about quokkas.')

  const pair = await pull('Wiki', all())

  test('a wiki is read as displayed: templates, tables, sections with links', async () => {
    const attempt = await ended(pair)
    assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
    assert.deepEqual((await titlesOf(pair)).sort(), ['Aardvark', 'Okapi', 'Zebra'])
    await finds('wallaby', ['Zebra'])
    await finds('quokkas', [])
    await finds('termites', ['Aardvark'])
    const [hit] = (await search('termites')).results
    assert.equal(hit.link, `${wiki.url}/index.php/Aardvark#Food_&_drink`)
    assert.equal(hit.semantic_identifier, 'Aardvark')
    const [zebra] = (await search('wallaby')).results
    assert.deepEqual(zebra.metadata.categories, ['Striped'])
    assert.match(zebra.metadata.revision, /^\d+$/)
  })

  test('the next run reads only edited, new and renamed pages, and a renamed page keeps its id', async () => {
    wiki.age(2)
    await edit('Aardvark', 'It has become a numbat.')
    await edit('Newcomer', 'Just arrived: a bilby.')
    await wiki.move('Okapi', 'Forest giraffe')
    const attempt = await runAgain(pair)
    assert.deepEqual([attempt.status, attempt.total_docs_indexed, attempt.new_docs_indexed], ['success', 3, 1])
    await finds('numbat', ['Aardvark'])
    await finds('termites', [])
    await finds('bilby', ['Newcomer'])
    await finds('forest giraffe', ['Okapi'])
  })

  test('if the list of changes is too short, all pages are listed and only new revisions are read', async () => {
    wiki.age(0)
    await edit('Newcomer', 'Just left: a potoroo.')
    const attempt = await runAgain(pair)
    assert.equal(attempt.status, 'success')
    assert.ok(attempt.total_docs_indexed >= 4, 'all are there')
    await finds('potoroo', ['Newcomer'])
  })

  test('the next prune removes a page that was deleted in the wiki', async () => {
    await wiki.remove('Zebra')
    const { state, removed, error } = await prune(pair)
    assert.deepEqual([state, removed, error], ['none', 1, null])
    assert.ok(!(await titlesOf(pair)).includes('Zebra'))
    await finds('wallaby', [])
    await edit('Zebra', '{{Greeting|everybody}} [[Category:Striped]]')
  })

  test('the configuration selects categories with subcategories, pages by name, and namespaces', async () => {
    const read = async (name: string, config: object) => {
      const chosen = await pull(name, all(config))
      assert.equal((await ended(chosen)).status, 'success')
      assert.equal((await prune(chosen)).removed, 0, 'the listing chooses the same')
      return (await titlesOf(chosen)).sort()
    }
    assert.deepEqual(await read('Flat', { categories: ['Striped'] }), ['Zebra'])
    assert.deepEqual(await read('Deep', { categories: ['Category:Striped'], recurse_depth: -1 }), ['Okapi', 'Zebra'])
    assert.deepEqual(await read('Named', { pages: ['Aardvark', 'Forwarding'] }), ['Aardvark', 'Zebra'])
    assert.deepEqual(await read('Talk', { namespaces: [1] }), ['Talk:Zebra'])
  })

  test('an unusable configuration is rejected at association, with the field and the server response', async () => {
    const site = await openSite()
    const refusal = async (name: string, connector: object, credential = 0) => {
      const body = { name, input_type: 'poll', access_type: 'PUBLIC', ...connector }
      const { id } = await ok('POST', '/manage/admin/connector', { body })
      return (await refused('PUT', `/manage/admin/connector/${id}/credential/${credential}`, {}, 400)).detail
    }
    assert.match(await refusal('No wiki', source({ hostname: site.url })), /config\.hostname: No MediaWiki found at/)
    assert.match(await refusal('No such', all({ categories: ['Nothing'] })), /\.categories: .*"Category:Nothing"/)
    assert.match(await refusal('No page', all({ pages: ['Nothing'] })), /\.pages: .*"Nothing"/)
    assert.match(await refusal('No space', all({ namespaces: [77] })), /\.namespaces: .*namespace 77/)
    const closed = source({ hostname: wiki.closedUrl })
    assert.match(await refusal('Closed', closed), /readapidenied.*Add a credential/)
    const credentialOf = async (mediawiki_password: string): Promise<number> => {
      const credential_json = { mediawiki_username: ADMIN.name, mediawiki_password }
      const body = { credential_json, admin_public: true, source: 'mediawiki' }
      return (await ok('POST', '/manage/credential', { body })).id
    }
    assert.match(await refusal('Wrong', closed, await credentialOf('no')), /mediawiki_password: .*rejected the login/)
    const signedIn = await pull('Signed in', closed, { credential: await credentialOf(ADMIN.password) })
    assert.equal((await ended(signedIn)).status, 'success')
    assert.ok((await documents(signedIn)).length >= 4)
  })

  test('a killed run resumes and reads the same documents', { timeout: 600_000 }, async (t) =>
    killWhileReading(t, 2, await killedMediaWiki(wiki, 150)),
  )
})
