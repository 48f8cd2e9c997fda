// Latencies while a person types into the search box of a full index: suggestions, searches, results on the page.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { percentile } from '../src/domain/search/ranking-metrics.ts'
import type { BenchSettings } from './bench.ts'
import { type BenchServer, openBenchServer } from './load/bench-server.ts'
import { note, print, table } from './output.ts'

const QUERIES = 60
/** Other queries that are typed first, because V8 compiles the code of a new process meanwhile. */
const WARM_UP_QUERIES = 20
/** Key presses in the page. */
const WARM_UP = 10
const KEYS = 100
/** The interval of a fast typist. */
const KEY_APART_MS = 120
/** A key press that does not change the page is not measured. */
const UNCHANGED_MS = 2_000

export async function run({ chunks }: BenchSettings): Promise<void> {
  const stand = await openBenchServer(chunks)
  try {
    const rows = [
      ['POST /search/suggest', ...figures(await timesOf(stand, '/search/suggest', {})), '≤ 20'],
      ['POST /search, 20 hits', ...figures(await timesOf(stand, '/search', LIKE_THE_PAGE)), ''],
    ]
    const shown = await shownAfter(stand)
    if (shown !== null) rows.push(['key press → different results on the page', ...figures(shown), '≤ 100 (p50)'])
    print(table([`${chunks} chunks, typed letter by letter`, 'count', 'p50 ms', 'p99 ms', 'target p99'], rows))
  } finally {
    await stand.stop()
  }
}

/** The request that the page sends while a person types. */
const LIKE_THE_PAGE = { num_hits: 20, facets: true, explain: true, record: false }

const figures = (times: readonly number[]): string[] => [
  String(times.length),
  ...[0.5, 0.99].map((share) => percentile(times, share).toFixed(1)),
]

/** Starts at the third letter. */
const beginningsOf = (query: string): string[] =>
  Array.from({ length: Math.max(0, query.length - 2) }, (_, at) => query.slice(0, at + 3)).filter(
    (it) => it.trimEnd() === it,
  )

async function timesOf({ server: { api }, queries }: BenchServer, path: string, more: object): Promise<number[]> {
  const timeOf = async (query: string) => {
    const start = performance.now()
    const { status } = await api('POST', path, { query, ...more })
    if (status !== 200) throw new Error(`${path} returned ${status}`)
    return performance.now() - start
  }
  for (const it of queries.slice(QUERIES, QUERIES + WARM_UP_QUERIES).flatMap(beginningsOf)) await timeOf(it)
  const times: number[] = []
  for (const it of queries.slice(0, QUERIES).flatMap(beginningsOf)) times.push(await timeOf(it))
  return times
}

/** Records in the page when a key press arrives and when different results are drawn afterwards. */
const WATCH = `
  window.noted = null
  const shown = () => document.querySelector('ol.results')?.textContent ?? ''
  addEventListener('input', () => { window.noted = { at: performance.now(), before: shown(), ms: null } }, true)
  new MutationObserver(() => {
    const noted = window.noted
    if (noted === null || noted.ms !== null || shown() === noted.before) return
    requestAnimationFrame(() => { noted.ms ??= performance.now() - noted.at })
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

async function shownAfter({ server, queries }: BenchServer): Promise<number[] | null> {
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  if (executablePath === '') {
    note('chromium is not installed, so the page is not measured.')
    return null
  }
  const profile = mkdtempSync(join(tmpdir(), 'pharos-bench-browser-'))
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  const context = await chromium.launchPersistentContext(profile, { executablePath, args })
  try {
    return await type(await signedIn(context, server.url, server.key), queries)
  } finally {
    await context.close().catch(() => {})
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function signedIn(context: BrowserContext, url: string, key: string): Promise<Page> {
  await context.addInitScript(WATCH)
  const page = context.pages()[0]!
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
  return page
}

async function type(page: Page, queries: readonly string[]): Promise<number[]> {
  const times: number[] = []
  const box = page.getByRole('textbox', { name: 'Search' })
  for (const query of queries) {
    await box.fill('')
    for (const key of query) {
      await box.press(key === ' ' ? 'Space' : key)
      const ms = await page
        .waitForFunction('window.noted?.ms ?? null', null, { timeout: UNCHANGED_MS, polling: 20 })
        .then((it) => it.jsonValue() as Promise<number>)
        .catch(() => null)
      if (ms !== null) times.push(ms)
      if (times.length === KEYS + WARM_UP) return times.slice(WARM_UP)
      await delay(KEY_APART_MS)
    }
  }
  return times.slice(WARM_UP)
}
