// Sources that cut connections, throttle, and reject keys during a run: what was read stays, the reason is shown, and a
// later undisturbed run has everything.
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, test } from 'node:test'
import { keysOf, openBucket } from '../connectors/bucket.ts'
import { startWithConnectors } from '../connectors/setup.ts'
import { type Answer, openSite, pageOf } from '../connectors/site.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { onGit } from '../servers/start-git.ts'

const FILES = 300
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const { ok, pull, ended, documents, runAgain } = await startWithConnectors()
const connectorOf = (source: string, connector_specific_config: object) => ({
  source,
  connector_specific_config,
  refresh_freq: null,
  prune_freq: null,
})

/** Cuts every other connection at a random point and delays the rest, until told to stop. */
async function openCuttingProxy(to: number, random: Random) {
  let isWell = false
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('end', () => near.end())
    let left = isWell || random() < 0.5 ? Number.POSITIVE_INFINITY : random.below(20_000)
    near.pipe(far)
    far.on('data', (bytes) => {
      left -= bytes.length
      if (left >= 0) return void near.write(bytes)
      cuts++
      near.write(bytes.subarray(0, Math.max(0, bytes.length + left)))
      near.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  after(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    port,
    cuts: () => cuts,
    heal() {
      isWell = true
    },
  }
}

await onGit((server) => {
  test('git with cut connections: a run reports it or succeeds, and an undisturbed one has everything', async (t) => {
    const random = seeded(chooseSeed((line) => t.diagnostic(line)))
    const repository = server.create('cut', { isFiltering: true })
    const text = (at: number) =>
      numbers(300)
        .map((it) => ((it + 7) * (at + 11) * 7_919).toString(36))
        .join(' ')
    repository.commit(Object.fromEntries(numbers(FILES).map((at) => [`d${at % 9}/f${at}.txt`, text(at)])))
    const there = new URL(repository.url)
    const cutting = await openCuttingProxy(Number(there.port), random)
    there.port = `${cutting.port}`
    const pair = await pull('Cut', connectorOf('git', { repository_url: there.href }))
    const first = await ended(pair)
    t.diagnostic(
      `${cutting.cuts()} cuts: ${first.status}, ${first.error_msg}, ${(await documents(pair)).length} documents`,
    )
    assert.ok(cutting.cuts() > 0)
    if (first.status === 'failed') assert.match(first.error_msg, /127\.0\.0\.1/)
    cutting.heal()
    const last = await runAgain(pair)
    assert.deepEqual([last.status, last.error_msg], ['success', null])
    assert.equal((await documents(pair)).length, FILES)
  })
})

test('a site that sometimes answers 429 and 503 is read completely', async () => {
  const site = await openSite()
  let asked = 0
  const busy = (page: Answer) => (): Answer => {
    asked++
    if (asked % 4 === 0) return { status: 429, headers: { 'retry-after': '1' }, body: 'slow down' }
    if (asked % 9 === 0) return { status: 503, body: 'not now' }
    return page
  }
  const links = numbers(60).map((at) => `/p${at}`)
  site.pages.set('/', busy(pageOf('Start', 'The start.', links)))
  for (const at of numbers(60)) site.pages.set(`/p${at}`, busy(pageOf(`Page ${at}`, `Text of page ${at}.`)))
  const pair = await pull('Busy', connectorOf('web', { base_url: `${site.url}/`, web_connector_type: 'recursive' }))
  const attempt = await ended(pair)
  assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
  assert.equal((await documents(pair)).length, 61)
})

test('a bucket that answers SlowDown is read completely', async () => {
  const { site, state, count } = await openBucket()
  state.slow = 5
  const body = { credential_json: keysOf('first-key'), admin_public: true, source: 's3' }
  const credential = (await ok('POST', '/manage/credential', { body })).id
  const pair = await pull('Slow', connectorOf('s3', { bucket_name: 'bucket', endpoint_url: site.url }), { credential })
  const attempt = await ended(pair)
  assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
  assert.equal((await documents(pair)).length, count)
})
