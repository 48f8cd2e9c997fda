// The listing reflects the state of a connector.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const { ok, pull, ended, runAgain, prune } = await startWithConnectors()
const site = await openSite()
const listed = async (pair: number) => {
  const sources = await ok('POST', '/manage/admin/connector/indexing-status', { body: { get_all_connectors: true } })
  // biome-ignore lint/suspicious/noExplicitAny: the response is checked below.
  return sources.flatMap((it: any) => it.indexing_statuses).find((it: any) => it.cc_pair_id === pair)
}
const web = (path: string) => ({
  source: 'web',
  connector_specific_config: { base_url: `${site.url}${path}` },
  refresh_freq: 86_400,
  prune_freq: null,
})

test('a source is reported as failing until a run succeeds', async () => {
  site.pages.set('/docs', pageOf('Handbook', 'welcome'))
  const pair = await pull('Handbook', web('/docs'))
  const first = await ended(pair)
  const well = await listed(pair)
  assert.deepEqual([well.sync_state, well.last_error], ['up_to_date', null])
  assert.ok(Date.parse(well.next_run_at) > Date.now())
  const second = await runAgain(pair)
  assert.ok(Date.parse(second.time_finished) > Date.parse(first.time_finished))
  assert.equal((await listed(pair)).last_success, second.time_finished)
  site.pages.set('/docs', { status: 403, body: 'closed' })
  const failed = await runAgain(pair)
  assert.equal(failed.status, 'failed', JSON.stringify(failed))
  const ill = await listed(pair)
  assert.deepEqual(
    [ill.sync_state, ill.last_error, ill.last_success],
    ['failing', failed.error_msg, second.time_finished],
  )
  site.pages.set('/docs', pageOf('Handbook', 'welcome back'))
  await runAgain(pair)
  const mended = await listed(pair)
  assert.deepEqual([mended.sync_state, mended.last_error], ['up_to_date', null])
})

test('a pruning that waits for confirmation is listed', async () => {
  const links = Array.from({ length: 30 }, (_, at) => `/many/${at}`)
  site.pages.set('/many', pageOf('Many', 'pages', links))
  for (const it of links) site.pages.set(it, pageOf(it, `page ${it}`))
  const pair = await pull('Many', web('/many'))
  await ended(pair)
  for (const it of links) site.pages.delete(it)
  site.pages.set('/many', pageOf('Many', 'pages'))
  assert.equal((await prune(pair)).state, 'held')
  const { sync_state, status_reason } = await listed(pair)
  assert.equal(sync_state, 'held')
  assert.match(status_reason, /Confirm or reject their deletion/)
})
