// Everything that the page of a connector shows and does, against a site that changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const service = await startWithConnectors()
const { ok, ask, pull, ended, detail, until, documents } = service

async function openCrawledSite(names: readonly string[], association = {}) {
  const site = await openSite()
  const paths = names.map((it) => `/${it}.html`)
  site.pages.set('/', pageOf('Start', 'the start of all', paths))
  for (const path of paths) site.pages.set(path, pageOf(path, `this is the page ${path}`))
  const config = { base_url: `${site.url}/`, web_connector_type: 'recursive' }
  const pair = await pull(`site ${site.port}`, { source: 'web', connector_specific_config: config }, { association })
  await ended(pair)
  return { site, pair, path: `/manage/admin/cc-pair/${pair}` }
}

const pruneState = (path: string, wanted: string) =>
  until(async () => {
    const state = await ok('GET', `${path}/prune`)
    return state.state === wanted ? state : false
  }, `prune state ${wanted}`)

const idsOf = (items: readonly { document_id: string }[]) => items.map((it) => it.document_id).toSorted()

test('a dry run names what a confirmed pruning then deletes, and nothing before', async () => {
  const { site, pair, path } = await openCrawledSite(['a', 'b', 'c'])
  const before = await documents(pair)
  site.pages.set('/', pageOf('Start', 'the start of all', ['/a.html']))
  site.pages.delete('/b.html')
  site.pages.delete('/c.html')
  await ok('POST', `${path}/prune`, { body: { dry_run: true } })
  const held = await pruneState(path, 'held')
  assert.deepEqual(idsOf(held.documents), [`${site.url}/b.html`, `${site.url}/c.html`])
  assert.deepEqual(await documents(pair), before)
  const [listed] = await ok('POST', '/manage/admin/connector/indexing-status', { body: { cc_pair_id: pair } })
  assert.deepEqual([listed.indexing_statuses[0].sync_state, listed.indexing_statuses[0].docs_held], ['held', 2])
  await ok('POST', `${path}/prune`, { body: { confirm: true } })
  assert.equal((await pruneState(path, 'none')).removed, 2)
  assert.deepEqual(
    before.filter((it) => !held.documents.some((gone: { document_id: string }) => gone.document_id === it)),
    await documents(pair),
  )
  const { items } = await ok('GET', `${path}/index-attempts`)
  assert.equal(items[0].docs_removed_from_index, 2)
})

test('a rejected dry run deletes nothing, and a dry run without a missing document holds nothing', async () => {
  const { site, pair, path } = await openCrawledSite(['a', 'b'])
  await ok('POST', `${path}/prune`, { body: { dry_run: true } })
  await until(async () => (await ok('GET', `${path}/prune`)).last_pruned !== null, 'the dry run')
  assert.equal((await ok('GET', `${path}/prune`)).state, 'none')
  site.pages.delete('/b.html')
  await ok('POST', `${path}/prune`, { body: { dry_run: true } })
  await pruneState(path, 'held')
  await ok('POST', `${path}/prune`, { body: { confirm: false } })
  await pruneState(path, 'none')
  assert.equal((await documents(pair)).length, 3)
})

test('the log of a run names what was skipped and why, and how the run ended', async () => {
  const { site, pair, path } = await openCrawledSite(['a'])
  site.pages.set('/', pageOf('Start again', 'the start of all', ['/a.html', '/no.html', '/broken.html']))
  site.pages.set('/no.html', pageOf('No', 'not for you', [], '<meta name="robots" content="noindex">'))
  site.pages.set('/broken.html', { status: 418, body: 'a teapot' })
  const { id } = await service.runAgain(pair)
  const reply = await ask('GET', `${path}/index-attempts/${id}/log`)
  const lines = String(reply.text).trimEnd().split('\n')
  for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:info|warning|error) \S/)
  assert.match(lines[0]!, /info The run reads changes since/)
  assert.ok(lines.some((it) => it.includes(` warning ${site.url}/no.html skipped: The page is marked noindex.`)))
  assert.ok(
    lines.some((it) => it.includes(` error ${site.url}/broken.html failed (fetch): The page returned HTTP 418.`)),
  )
  assert.match(lines.at(-1)!, /info The run ended\. Documents seen: 2; new: 0; changed: 1; unchanged: 1/)
  const { items } = await ok('GET', `${path}/index-attempts`)
  assert.deepEqual([items[0].docs_changed, items[0].docs_unchanged, items[0].new_docs_indexed], [1, 1, 0])
  assert.equal((await ask('GET', `${path}/index-attempts/999999/log`)).status, 404)
})

test('the log of a run that fails ends with the reason, and of ten runs the logs are kept', async () => {
  const { site, pair, path } = await openCrawledSite([])
  const [first] = (await ok('GET', `${path}/index-attempts`)).items
  site.pages.set('/', { status: 403, body: 'no' })
  for (let at = 0; at < 10; at++) await service.runAgain(pair)
  const { items } = await ok('GET', `${path}/index-attempts`)
  const log = await ask('GET', `${path}/index-attempts/${items[0].id}/log`)
  assert.match(log.text, /error The run failed: .*\n$/)
  assert.equal((await ask('GET', `${path}/index-attempts/${first.id}/log`)).text, '')
})

test('missing documents are named after a listing, with the cause', async () => {
  const { site, pair, path } = await openCrawledSite(['b'])
  assert.equal((await ok('GET', `${path}/missing-documents`)).listed_at, null)
  site.pages.set('/', pageOf('Start', 'with one more', ['/a.html', '/b.html']))
  site.pages.set('/a.html', pageOf('A', 'comes, goes and comes'))
  await service.runAgain(pair)
  site.pages.delete('/a.html')
  await service.prune(pair)
  site.pages.set('/a.html', pageOf('A', 'comes, goes and comes'))
  site.pages.set('/', pageOf('Start', 'the start of all', ['/a.html', '/b.html', '/new.html']))
  site.pages.set('/new.html', pageOf('New', 'not read before'))
  await service.prune(pair)
  const found = await ok('GET', `${path}/missing-documents`)
  assert.deepEqual(found.items, [
    { document_id: `${site.url}/a.html`, cause: 'trash', reason: null },
    { document_id: `${site.url}/new.html`, cause: 'not_read', reason: null },
  ])
  assert.deepEqual([found.total_items, found.missing_count], [2, 2])
  await service.runAgain(pair, { from_beginning: true })
  assert.ok(!idsOf((await ok('GET', `${path}/missing-documents`)).items).includes(`${site.url}/new.html`))
})

test('an update with an outdated version is refused, and changes nothing', async () => {
  const { pair } = await openCrawledSite([])
  const { connector } = await detail(pair)
  const { version, id, name, source, input_type, connector_specific_config, refresh_freq } = connector
  const body = { name, source, input_type, connector_specific_config, access_type: 'public', refresh_freq }
  const path = `/manage/admin/connector/${id}`
  const first = await ok('PATCH', path, { body: { ...body, refresh_freq: 7_200, expected_version: version } })
  assert.notEqual(first.version, version)
  const refusal = await service.refused('PATCH', path, { ...body, refresh_freq: 60, expected_version: version }, 409)
  assert.equal(refusal.error_code, 'CONNECTOR_CHANGED')
  assert.equal((await detail(pair)).connector.refresh_freq, 7_200)
  await ok('PATCH', path, { body: { ...body, expected_version: first.version } })
  await ok('PATCH', path, { body })
})

test('access is opened and closed, but not where it follows the source', async () => {
  const { pair, path } = await openCrawledSite([])
  await ok('PUT', `${path}/access`, { body: { access_type: 'private', groups: ['Sales', 'Sales', 7] } })
  assert.deepEqual([(await detail(pair)).access_type, (await detail(pair)).groups], ['private', ['Sales', 7]])
  await ok('PUT', `${path}/access`, { body: { access_type: 'public', groups: ['Sales'] } })
  assert.deepEqual([(await detail(pair)).access_type, (await detail(pair)).groups], ['public', []])
  await service.refused('PUT', `${path}/access`, { access_type: 'sync' }, 422)
  await service.alterRecord(`update cc_pair set access_type = 'sync' where id = ${pair}`)
  const refusal = await service.refused('PUT', `${path}/access`, { access_type: 'public' }, 400)
  assert.match(refusal.detail, /follows its source/)
  await service.refused('PUT', '/manage/admin/cc-pair/1/access', { access_type: 'public' }, 400)
})

test('the preview of a deletion counts what then goes', async () => {
  const { pair, path } = await openCrawledSite(['a', 'b'])
  await until(async () => (await detail(pair)).num_docs_indexed === 3, 'the index')
  const effect = await ok('GET', `${path}/deletion`)
  assert.deepEqual([effect.documents, effect.shared_documents, effect.deletes_connector], [3, 0, true])
  assert.ok(effect.chunks >= 3)
  assert.ok(effect.credential_other_pairs >= 1, 'all pairs of these tests use the empty credential')
  const { connector } = await detail(pair)
  await ok('POST', '/manage/admin/deletion-attempt', { body: { connector_id: connector.id, credential_id: 0 } })
  await until(async () => (await ask('GET', path)).status === 404, 'the deletion')
  assert.equal((await ask('GET', `/manage/connector/${connector.id}`)).status, 404)
})

test('the listing is filtered by state and exported with all rows', async () => {
  const { pair } = await openCrawledSite([])
  const body = { sync_state_filters: ['paused'], get_all_connectors: true }
  const paused = async () =>
    (await ok('POST', '/manage/admin/connector/indexing-status', { body }))
      .flatMap((it: { indexing_statuses: { cc_pair_id: number }[] }) => it.indexing_statuses)
      .map((it: { cc_pair_id: number }) => it.cc_pair_id)
  assert.deepEqual(await paused(), [])
  await ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'PAUSED' } })
  assert.deepEqual(await paused(), [pair])
  await ok('PUT', `/manage/admin/cc-pair/${pair}/name?new_name=${encodeURIComponent('=1+1')}`)
  const { text } = await ask('GET', '/manage/admin/connector/indexing-status/csv')
  const lines = String(text).trimEnd().split('\r\n')
  assert.match(lines[0]!, /^cc_pair_id,name,source,sync_state/)
  assert.ok(
    lines.some((it) => it.startsWith(`${pair},'=1+1,web,paused,`)),
    text,
  )
})
