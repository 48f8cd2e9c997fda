// Webhooks and metrics for failing runs.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { waitFor } from '../server.ts'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const { ok, pull, ended, runAgain, detail } = await startWithConnectors()
const site = await openSite()
const CLOSED = { status: 403, body: 'closed' }
const web = (path: string) => ({
  source: 'web',
  connector_specific_config: { base_url: `${site.url}${path}` },
  refresh_freq: 86_400,
  prune_freq: null,
})

interface Told {
  type: string
  data: { documents: unknown[]; run: Record<string, unknown> }
}

async function listen(body: Record<string, unknown> = {}) {
  const told: Told[] = []
  const listener = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    told.push(JSON.parse(Buffer.concat(pieces).toString()))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  after(() => {
    listener.close()
    listener.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
  const { id } = await ok('POST', '/admin/webhook', { body: { url, events: ['run.failed', 'run.recovered'], ...body } })
  return { id, told, until: (count: number) => waitFor(() => told.length >= count, `${count} messages`) }
}

const failing = async (source: string): Promise<number> => {
  const line = `pharos_sources_failing{source="${source}"} `
  const text: string = await ok('GET', '/metrics')
  return Number(
    text
      .split('\n')
      .find((it) => it.startsWith(line))!
      .slice(line.length),
  )
}

test('a webhook fires once when runs start failing and once when they recover', async () => {
  const { told, until } = await listen()
  site.pages.set('/docs', pageOf('Handbook', 'welcome'))
  const pair = await pull('Handbook', web('/docs'))
  await ended(pair)
  await runAgain(pair)
  assert.deepEqual([await failing('web'), await failing('github')], [0, 0])
  site.pages.set('/docs', CLOSED)
  const failed = await runAgain(pair)
  await until(1)
  const { reason, ...run } = told[0]!.data.run
  assert.deepEqual([told[0]!.type, told[0]!.data.documents], ['run.failed', []])
  assert.deepEqual(run, {
    cc_pair: { id: pair, name: 'Handbook' },
    source: 'web',
    index_attempt_id: failed.id,
    retry_at: run.retry_at,
  })
  assert.equal(reason, failed.error_msg)
  assert.equal(await failing('web'), 1)
  await runAgain(pair)
  site.pages.set('/docs', pageOf('Handbook', 'welcome back'))
  const worked = await runAgain(pair)
  await until(2)
  assert.deepEqual(
    told.map((it) => it.type),
    ['run.failed', 'run.recovered'],
  )
  assert.deepEqual(told[1]!.data.run, {
    cc_pair: { id: pair, name: 'Handbook' },
    source: 'web',
    index_attempt_id: worked.id,
    reason: null,
    retry_at: null,
  })
  assert.equal(await failing('web'), 0)
})

test('a failing first run fires the webhook, and a paused connector does not count as failing', async () => {
  const { told, until } = await listen()
  let asked = 0
  site.pages.set('/fresh', () => (asked++ === 0 ? pageOf('Fresh', 'for the check') : CLOSED))
  const pair = await pull('Fresh', web('/fresh'))
  assert.equal((await ended(pair)).status, 'failed')
  await until(1)
  assert.deepEqual([told[0]!.type, told[0]!.data.run.cc_pair], ['run.failed', { id: pair, name: 'Fresh' }])
  assert.equal(await failing('web'), 1)
  await ok('PUT', `/manage/admin/cc-pair/${pair}/status`, { body: { status: 'PAUSED' } })
  assert.equal(await failing('web'), 0)
})

test('only webhooks subscribed to the event and pair fire; a paused webhook fires when resumed', async () => {
  site.pages.set('/some', pageOf('Some', 'pages'))
  const pair = await pull('Some', web('/some'))
  await ended(pair)
  const all = await listen()
  const others = await listen({ cc_pair_ids: [1] })
  const recoveries = await listen({ events: ['run.recovered'] })
  const paused = await listen({ cc_pair_ids: [pair] })
  await ok('PATCH', `/admin/webhook/${paused.id}`, { body: { status: 'paused' } })
  site.pages.set('/some', CLOSED)
  await runAgain(pair)
  site.pages.set('/some', pageOf('Some', 'more pages'))
  await runAgain(pair)
  await all.until(2)
  await recoveries.until(1)
  assert.deepEqual([recoveries.told[0]!.type, others.told.length, paused.told.length], ['run.recovered', 0, 0])
  await ok('PATCH', `/admin/webhook/${paused.id}`, { body: { status: 'active' } })
  await paused.until(2)
  assert.deepEqual(paused.told.map((it) => it.type).sort(), ['run.failed', 'run.recovered'])
  const [delivery] = await ok('GET', `/admin/webhook/${paused.id}/deliveries`)
  assert.deepEqual([delivery.event, delivery.documents], ['run.recovered', 0])
  assert.equal((await detail(pair)).status, 'ACTIVE')
})
