// The time from the acceptance of a document until it is found, in an idle program and while a model embeds.

import { percentile } from '../src/domain/search/ranking-metrics.ts'
import { launch, type Server, settled } from '../test/server.ts'
import type { BenchSettings } from './bench.ts'
import { print, progress, table } from './output.ts'

const RESIDENTS = 1_000
const PUSHES_PER_ROUND = 40
const GIVE_UP_MS = 30_000

export async function run({ rounds }: BenchSettings): Promise<void> {
  for (const embedding of ['off', 'local']) await measure(rounds, embedding)
}

async function measure(rounds: number, embedding: string): Promise<void> {
  const server = await launch({ env: { LOG_LEVEL: 'warn', EMBEDDING: embedding } })
  try {
    for (let document = 0; document < RESIDENTS; document++) await push(server, `resident${document}`)
    await settled(server)
    const pushes = rounds * PUSHES_PER_ROUND
    const bar = progress('fresh', pushes * 2)
    const found: number[] = []
    const waited: number[] = []
    for (let at = 0; at < pushes; at++) {
      found.push(await untilFound(server, `fresh${at}`))
      const sent = performance.now()
      await push(server, `waited${at}`, '?wait_for=indexed')
      waited.push(performance.now() - sent)
      bar.step(2)
    }
    bar.end()
    const figures = (values: readonly number[]) => [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(1))
    const rows = [
      ['accepted → found', ...figures(found), '≤ 100', '≤ 1000'],
      ['sent → response with wait_for=indexed', ...figures(waited), '', ''],
    ]
    print(
      table(
        [
          `${pushes} documents, one at a time, EMBEDDING=${embedding}`,
          'p50 ms',
          'p99 ms',
          'max ms',
          'aim p50',
          'aim p99',
        ],
        rows,
      ),
    )
  } finally {
    await server.stop()
  }
}

async function push({ api }: Server, word: string, query = ''): Promise<void> {
  const text = `${word} is a word that only this document holds, beside others such as river, paper and copper.`
  const document = { id: `fresh/${word}`, semantic_identifier: word, sections: [{ text }], metadata: {} }
  const { status, body } = await api('POST', `/service-api/ingestion${query}`, { document })
  if (status !== 200) throw new Error(`The document ${word} returned ${status}: ${JSON.stringify(body)}`)
}

async function untilFound(server: Server, word: string): Promise<number> {
  await push(server, word)
  const accepted = performance.now()
  while (!(await isFound(server, word)))
    if (performance.now() > accepted + GIVE_UP_MS) throw new Error(`${word} is not found`)
  return performance.now() - accepted
}

async function isFound({ api }: Server, word: string): Promise<boolean> {
  const { body } = await api('POST', '/search', { query: word, num_hits: 1 })
  return (body as { total: number }).total > 0
}
