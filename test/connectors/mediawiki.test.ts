// The MediaWiki connector with faulty responses. test/servers runs it against a real wiki.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { type Answer, openSite } from './site.ts'

const { ok, pull, ended, documents, prune } = await startWithConnectors()

const json = (body: object): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const signIn: Answer = { body: '<html><title>Sign in</title></html>' }

/** A fake wiki with 60 pages whose responses a test can replace. */
async function openWiki() {
  const replaced = { parse: new Map<string, Answer>(), second: undefined as Answer | undefined }
  const site = await openSite((path) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    if (pathname !== '/w/api.php') return undefined
    const asked = (name: string) => searchParams.get(name) ?? ''
    if (asked('meta') === 'siteinfo') {
      const namespaces = { 0: { id: 0, name: '', content: true }, 14: { id: 14, name: 'Category' } }
      return json({ query: { general: { server: site.url, script: '/w/index.php' }, namespaces } })
    }
    if (asked('action') === 'parse') {
      const parse = { revid: 7, text: `<p>Text of ${asked('pageid')}</p>`, sections: [], categories: [] }
      return replaced.parse.get(asked('pageid')) ?? json({ parse })
    }
    if (asked('pageids') !== '') return json({ query: { pages: asked('pageids').split('|').map(Number).map(page) } })
    const isSecond = asked('gapcontinue') !== '' || asked('apcontinue') !== ''
    if (isSecond && replaced.second !== undefined) return replaced.second
    const pages = Array.from({ length: 30 }, (_, at) => page(at + (isSecond ? 31 : 1)))
    const more = { continue: { [asked('generator') === '' ? 'apcontinue' : 'gapcontinue']: 'P31', continue: '-||' } }
    return json({ ...(!isSecond && more), query: asked('generator') === '' ? { allpages: pages } : { pages } })
  })
  return { site, replaced }
}

const page = (pageid: number) => ({ pageid, ns: 0, title: `P${pageid}`, lastrevid: 7 })
const source = (hostname: string) => ({
  source: 'mediawiki',
  connector_specific_config: { hostname },
  refresh_freq: null,
  prune_freq: null,
})

test("an unexpected response is an error with the page's id; a deleted page is not; other pages are read", async () => {
  const { site, replaced } = await openWiki()
  replaced.parse.set('3', signIn)
  replaced.parse.set('4', json({ error: { code: 'nosuchpageid', info: 'There is no page with ID 4.' } }))
  const pair = await pull('Faulty', source(site.url))
  const { status, total_docs_indexed, error_count } = await ended(pair)
  assert.deepEqual([status, total_docs_indexed, error_count], ['completed_with_errors', 58, 1])
  const { items } = await ok('GET', `/manage/admin/cc-pair/${pair}/errors`)
  assert.equal(items[0].document_id, `${site.url}/w/index.php?curid=3`)
  assert.match(items[0].failure_message, /\/w\/api\.php returned a web page instead of data/)
  replaced.parse.clear()
  await ok('POST', '/manage/admin/indexing/targeted-reindex', { body: { error_ids: [items[0].id] } })
  assert.equal((await ended(pair, 2)).total_docs_indexed, 1)
  assert.equal((await documents(pair)).length, 59)
})

for (const [name, answer] of [
  ['the page of a sign-in', signIn],
  ['an error of the API', json({ error: { code: 'badcontinue', info: 'Invalid.' } })],
  ['a refusal', json({ error: { code: 'readapidenied', info: 'You need read permission.' } })],
  ['JSON of another shape', json({ query: { allpages: 'none', pages: 'none' } })],
] as const)
  test(`a listing whose second part is ${name} deletes nothing, and a run ends with the reason`, async () => {
    const { site, replaced } = await openWiki()
    const pair = await pull(`Broken by ${name}`, source(site.url))
    assert.equal((await ended(pair)).status, 'success')
    replaced.second = answer
    const { state, error } = await prune(pair)
    assert.equal(state, 'none')
    assert.match(error, /api\.php returned|returned "/)
    assert.equal((await documents(pair)).length, 60)
    const failed = await pull(`New and broken by ${name}`, source(site.url))
    const attempt = await ended(failed)
    assert.equal(attempt.status, 'failed')
    assert.match(attempt.error_msg, /api\.php returned|returned "/)
    assert.equal((await documents(failed)).length, 30)
  })
