// npm run eval -- DIR… [--url URL --key KEY] [--keep] [--json] [--assert]   or   DIR… --compare [--typos]
// npm run eval -- answers DIR… (bench/answers.ts)   or   citations DIR… (bench/citations.ts)
// Measures the quality of ranking. Pushes each collection to a program that it starts, or to the one at URL with prefixed ids
// and searches limited to the collection, and runs all queries.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { EXIT } from '../src/cli/exit-code.ts'
import { mean, ndcg, percentile } from '../src/domain/search/ranking-metrics.ts'
import type { Client } from '../test/http.ts'
import { evaluateAnswers } from './answers.ts'
import { evaluateCitations } from './citations.ts'
import type { Collection } from './collection.ts'
import { compare } from './compare-rankings.ts'
import { type EvaluationSettings, evaluateEach } from './evaluate-each.ts'
import { note, print, progress, table } from './output.ts'
import { pushCollection } from './push-collection.ts'
import { recall } from './statistics.ts'

interface RankingFigures {
  set: string
  ndcg10: number
  recall100: number
  /** The number of judged queries without any result. */
  empty: number
  /** Those among them that were refused: there were results, but nothing that answers. */
  refused: number
  documents: number
  queries: number
  p50Ms: number
  p99Ms: number
  documentsPerSecond: number
}

const HITS = 100
/** The result of plain BM25 on these collections; `--assert` fails below it. */
const BM25_FLOOR: Record<string, number> = { scifact: 0.64, mean: 0.44 }

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  keep: { type: 'boolean' },
  json: { type: 'boolean' },
  assert: { type: 'boolean' },
  compare: { type: 'boolean' },
  typos: { type: 'boolean' },
} as const

const USAGE =
  'Usage: npm run eval -- DIR… [--url URL --key KEY] [--keep] [--json] [--assert], DIR… --compare [--typos], answers DIR…, or citations DIR…'

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    note(error instanceof Error ? error.message : String(error))
    process.exitCode =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? EXIT.noInput : EXIT.software
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS })
  const { compare: isCompared, typos, ...settings } = values
  const [first = '', ...rest] = positionals
  const folders = rest.map(inUserFolder)
  if (first === 'answers' && rest.length > 0) process.exitCode = await evaluateAnswers(folders, settings)
  else if (first === 'citations' && rest.length > 0) process.exitCode = await evaluateCitations(folders)
  else if (first === '' || first === 'answers' || first === 'citations') {
    note(USAGE)
    process.exitCode = EXIT.usage
  } else if (isCompared || typos) await compare([inUserFolder(first), ...folders], { typos: typos === true })
  else process.exitCode = await evaluate([inUserFolder(first), ...folders], settings)
}

/** npm starts scripts in the folder of the package. */
function inUserFolder(name: string): string {
  return resolve(process.env.INIT_CWD ?? '.', name)
}

/** Returns the exit code: 1 if the ranking is worse than `--assert` requires. */
export async function evaluate(folders: readonly string[], settings: EvaluationSettings): Promise<0 | 1> {
  const figures = await evaluateEach(folders, settings, measure)
  const means = { ndcg10: mean(figures.map((it) => it.ndcg10)), recall100: mean(figures.map((it) => it.recall100)) }
  if (settings.json) print(JSON.stringify({ sets: figures, mean: means }))
  else print(asTable(figures, means))
  return settings.assert && !isAboveFloor(figures, means) ? 1 : 0
}

async function measure(api: Client, collection: Collection, source?: string): Promise<RankingFigures> {
  const { name, documents, queries } = collection
  const prefix = source === undefined ? '' : `${source}/`
  const begin = performance.now()
  await pushCollection(api, collection, source)
  const documentsPerSecond = documents.length / ((performance.now() - begin) / 1_000)
  const asked = progress(`${name}: queries`, queries.length)
  const times: number[] = []
  const scores: { ndcg10: number; recall100: number }[] = []
  let empty = 0
  let refused = 0
  for (const { text, judgements } of queries) {
    const sent = performance.now()
    const { ranking, isRefused } = await search(api, text, source)
    times.push(performance.now() - sent)
    if (ranking.length === 0) empty++
    if (isRefused) refused++
    const ids = ranking.map((id) => id.slice(prefix.length))
    scores.push({ ndcg10: ndcg(ids, judgements, 10), recall100: recall(ids, judgements, HITS) })
    asked.step()
  }
  asked.end()
  return {
    set: name,
    ndcg10: mean(scores.map((it) => it.ndcg10)),
    recall100: mean(scores.map((it) => it.recall100)),
    empty,
    refused,
    documents: documents.length,
    queries: queries.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    documentsPerSecond,
  }
}

async function search(api: Client, query: string, source?: string): Promise<{ ranking: string[]; isRefused: boolean }> {
  const narrowed = source === undefined ? {} : { sources: [source] }
  const { status, body } = await api('POST', '/search', { query, num_hits: HITS, answers_only: true, ...narrowed })
  if (status !== 200) throw new Error(`The query "${query}" returned ${status}: ${JSON.stringify(body)}`)
  const { results, closest } = body as Record<'results' | 'closest', { document_id: string }[]>
  return { ranking: results.map((it) => it.document_id), isRefused: closest.length > 0 }
}

type Means = Pick<RankingFigures, 'ndcg10' | 'recall100'>

function asTable(figures: readonly RankingFigures[], means: Means): string {
  const head = ['set', 'nDCG@10', 'recall@100', 'docs', 'queries', 'empty', 'refused', 'p50 ms', 'p99 ms', 'docs/s']
  const rows = figures.map((it) => [
    it.set,
    it.ndcg10.toFixed(3),
    it.recall100.toFixed(3),
    it.documents,
    it.queries,
    it.empty,
    it.refused,
    it.p50Ms.toFixed(1),
    it.p99Ms.toFixed(1),
    Math.round(it.documentsPerSecond),
  ])
  return table(head, [
    ...rows,
    ['mean', means.ndcg10.toFixed(3), means.recall100.toFixed(3), '', '', '', '', '', '', ''],
  ])
}

function isAboveFloor(figures: readonly RankingFigures[], means: Means): boolean {
  const reached = [...figures.map((it) => [it.set, it.ndcg10] as const), ['mean', means.ndcg10] as const]
  const below = reached.filter(([name, value]) => value < (BM25_FLOOR[name] ?? 0))
  for (const [name, value] of below) note(`${name}: nDCG@10 ${value.toFixed(3)} is below ${BM25_FLOOR[name]}`)
  return below.length === 0
}
