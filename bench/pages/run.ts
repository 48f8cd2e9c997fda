// The times that a person sees in a real Chromium: results after a key press, the first page on a slow processor, and the
// longest task of the page while an answer streams.
import { percentile } from '../../src/domain/search/ranking-metrics.ts'
import { openModelServer } from '../../test/model/model-server.ts'
import type { BenchSettings } from '../bench.ts'
import { openBenchServer } from '../load/bench-server.ts'
import { note, print, table } from '../output.ts'
import { type BenchBrowser, openBenchBrowser } from './bench-browser.ts'
import { interactiveAfter } from './first-page.ts'
import { longAnswer, longTasks } from './long-answer.ts'
import { resultsAfter } from './results-after-key.ts'

type Row = [figure: string, count: string, median: string, p95: string, most: string, target: string]

export async function run({ chunks, rounds }: BenchSettings): Promise<void> {
  const model = await openModelServer(longAnswer)
  const stand = await openBenchServer(chunks, model.env())
  let browser: BenchBrowser | null = null
  try {
    browser = await openBenchBrowser(stand.server)
    if (browser === null) return note('chromium is not installed, so the pages are not measured.')
    const rows: Row[] = []
    note('results after a key press')
    rows.push(rowOf('key press → results on the page', await resultsAfter(browser, stand.queries), 'median ≤ 100'))
    note('the first page')
    const { cold, warm } = await interactiveAfter(stand.server, rounds)
    rows.push(rowOf('first page interactive, processor 4 × slower', cold, 'median ≤ 1000'))
    rows.push(rowOf('the same from the cache of the browser', warm, ''))
    note('a long answer')
    rows.push(rowOf('longest task while an answer streams', await longTasks(browser, rounds), 'max ≤ 200'))
    print(table([`${chunks} chunks`, 'count', 'median ms', 'p95 ms', 'max ms', 'target'], rows))
  } finally {
    await browser?.close()
    await stand.stop()
    await model.end()
  }
}

function rowOf(figure: string, times: readonly number[], target: string): Row {
  const [median, p95, most] = [0.5, 0.95, 1].map((share) => percentile(times, share).toFixed(0))
  return [figure, String(times.length), median!, p95!, most!, target]
}
