// kill -9 in the middle of a crawl, again and again: it goes on from its last checkpoint, and ends with the same documents.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { asking } from '../api/ask.ts'
import { connectorOf, stepsOf } from '../api/steps.ts'
import { openSite, pageOf, type Site } from '../connectors/site.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'

/** Pages between two checkpoints, and those that were under way. */
const ONE_CHECKPOINT = 32 + 8 + 8
const PAGES_PER_KILL = 70
const ENV = { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0', LOG_LEVEL: 'warn' }

export async function killWhileCrawling(t: TestContext, kills: number): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const pages = PAGES_PER_KILL * (kills + 1)
  const site = await siteOf(pages)
  const undisturbed = await readUndisturbed(site)
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-crawl-'))
  site.asked.length = 0
  let server: Server | undefined
  try {
    server = await startServer({ dataDir, env: ENV })
    const pair = await pull(server, site)
    for (let kill = 0; kill < kills; kill++) {
      await untilMore(site, random)
      await server.kill()
      server = await startServer({ dataDir, env: ENV })
    }
    assert.deepEqual(await documentsOf(server, pair), undisturbed)
    const reads = site.asked.filter((it) => it.path !== '/robots.txt').length
    const again = reads - undisturbed.length
    t.diagnostic(`${kills} kills, ${undisturbed.length} pages, ${again} of them were read again`)
    assert.ok(again <= kills * ONE_CHECKPOINT, `${again} pages were read again after ${kills} kills`)
  } finally {
    await server?.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Each page leads to the next three, so that the crawl has no end in sight. */
async function siteOf(count: number): Promise<Site> {
  const site = await openSite()
  for (let at = 0; at < count; at++) {
    const links = [3 * at + 1, 3 * at + 2, 3 * at + 3].filter((it) => it < count).map((it) => `/p${it}`)
    site.pages.set(at === 0 ? '/' : `/p${at}`, pageOf(`Page ${at}`, `the text of page ${at}`, links))
  }
  return site
}

async function readUndisturbed(site: Site): Promise<string[]> {
  const server = await startServer({ env: ENV })
  const documents = await documentsOf(server, await pull(server, site))
  await server.stop()
  return documents
}

async function pull(server: Server, site: Site): Promise<number> {
  const { ok } = stepsOf(asking(server))
  const config = { source: 'web', connector_specific_config: { base_url: site.url }, refresh_freq: null }
  const { id } = await ok('POST', '/manage/admin/connector', { body: connectorOf('Crawl', config) })
  return (await ok('PUT', `/manage/admin/connector/${id}/credential/0`)).data
}

async function untilMore(site: Site, random: Random): Promise<void> {
  const enough = site.asked.length + 5 + random.below(PAGES_PER_KILL - 10)
  await waitFor(() => site.asked.length >= enough, `${enough} requests`, LONG_MS)
  await delay(random() * 20)
}

const LONG_MS = 100_000

/** Once the crawl has ended, and all of it can be found. */
async function documentsOf(server: Server, pair: number): Promise<string[]> {
  const { ok } = stepsOf(asking(server))
  const path = `/manage/admin/cc-pair/${pair}`
  const isRead = async () => (await ok('GET', path)).last_index_attempt_status === 'success'
  await waitFor(isRead, 'the end of the crawl', LONG_MS)
  await settled(server, LONG_MS)
  const listed = await ok('GET', `/service-api/connector-docs/${pair}`)
  return listed.map((it: { document_id: string }) => it.document_id).sort()
}
