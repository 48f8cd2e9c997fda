// Pages per second of a crawl, and the bytes that a refresh reads after one page in a hundred changed.
import { createRequester } from '../../test/api/request.ts'
import { connectorOf, createSetup } from '../../test/api/setup.ts'
import { type Answer, openSite, pageOf, type Site } from '../../test/connectors/site.ts'
import { launch, type Server, settled } from '../../test/server.ts'
import { note, print, table } from '../output.ts'
import { readResidentMemory, waitForRun } from './wait-for-run.ts'

const PAGES = 2_000
const CHANGED_EACH = 100
const WORDS = 1_000
const LINKS = 8
const AIM = 0.05
const SETTLE_TIMEOUT_MS = 600_000
const LOOK_EVERY_MS = 50

interface SiteRun {
  seconds: number
  requests: number
  bytes: number
  peakBytes: number
}

export async function benchWeb(): Promise<void> {
  note(`web: ${PAGES} pages`)
  const site = await openSite(undefined, { isKept: true })
  for (let at = 0; at < PAGES; at += 1) site.pages.set(pathOf(at), contentOf(at, 0))
  const server = await launch({
    env: { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
  })
  try {
    const idle = await readResidentMemory(server.pid)
    const { ok } = createSetup(createRequester(server))
    const config = { source: 'web', connector_specific_config: { base_url: site.url }, refresh_freq: null }
    const { id: connector_id } = await ok('POST', '/manage/admin/connector', { body: connectorOf('Site', config) })
    let pair = 0
    const first = await timed(server, site, 1, async () => {
      pair = (await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)).data
      return pair
    })
    for (let at = 0; at < PAGES; at += CHANGED_EACH) site.pages.set(pathOf(at), contentOf(at, 1))
    const second = await timed(server, site, 2, async () => {
      await ok('POST', '/manage/admin/connector/run-once', { body: { connector_id } })
      return pair
    })
    const { num_docs_indexed } = await ok('GET', `/manage/admin/cc-pair/${pair}`)
    if (num_docs_indexed !== PAGES) throw new Error(`only ${num_docs_indexed} of ${PAGES} pages are documents`)
    const share = second.bytes / first.bytes
    if (share > AIM) throw new Error(`the refresh read ${(share * 100).toFixed(1)} % of the bytes`)
    const rows = [
      rowOf(`${PAGES} pages`, first, first, idle),
      rowOf(`refresh, ${PAGES / CHANGED_EACH} pages changed`, second, first, idle),
    ]
    print(table(['web', 's', 'pages/s', 'requests', 'MB read', '% of the bytes', 'MB above idle'], rows))
  } finally {
    await server.stop()
  }
}

const rowOf = (name: string, { seconds, requests, bytes, peakBytes }: SiteRun, first: SiteRun, idle: number) => [
  name,
  seconds.toFixed(1),
  Math.round(PAGES / seconds),
  requests,
  (bytes / 1e6).toFixed(1),
  ((100 * bytes) / first.bytes).toFixed(1),
  Math.round((peakBytes - idle) / 1e6),
]

/** From the start of the run until the last page is searchable. */
async function timed(server: Server, site: Site, run: number, begin: () => Promise<number>): Promise<SiteRun> {
  const before = { requests: site.asked.length, bytes: site.sent() }
  const started = performance.now()
  const peakBytes = await waitForRun(server, { pair: await begin(), run, everyMs: LOOK_EVERY_MS })
  await settled(server, SETTLE_TIMEOUT_MS)
  return {
    seconds: (performance.now() - started) / 1_000,
    requests: site.asked.length - before.requests,
    bytes: site.sent() - before.bytes,
    peakBytes,
  }
}

const pathOf = (at: number) => (at === 0 ? '/' : `/page/${at}`)

function contentOf(at: number, version: number): Answer {
  const words = Array.from({ length: WORDS }, (_, word) => `w${(at * (word + 11)) % 19_997}`).join(' ')
  const links = Array.from({ length: LINKS }, (_, it) => pathOf((at * LINKS + it + 1) % PAGES))
  return pageOf(`Page number ${at}`, `${words} of page ${at} in version ${version}`, links)
}
