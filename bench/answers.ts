// npm run eval -- answers DIR… [--url URL --key KEY] [--keep] [--json]
// Measures whether extractive answers quote relevant documents. Asks each query of the collection in the chat and compares
// the cited documents with the judgements. The baseline quotes the first sentences of the hits.
import { mean, percentile } from '../src/domain/search/ranking-metrics.ts'
import type { Client } from '../test/http.ts'
import type { Collection } from './collection.ts'
import { type EvaluationSettings, evaluateEach } from './evaluate-each.ts'
import { print, progress, table } from './output.ts'
import { pushCollection } from './push-collection.ts'

/** All figures except the last three are shares of the questions. */
interface AnswerFigures {
  set: string
  questions: number
  /** The first sentence of the first hit comes from a relevant document. */
  firstOfHits: number
  /** The same for any of the first n hits, where n is the number of quotes in the answer. */
  anyOfHits: number
  /** The first quote comes from a relevant document. */
  firstQuote: number
  /** At least one quote comes from a relevant document. */
  anyQuote: number
  /** The share of all quotes that come from relevant documents. */
  relevantQuotes: number
  quotes: number
  p50Ms: number
}

export async function evaluateAnswers(folders: readonly string[], settings: EvaluationSettings): Promise<0> {
  const figures = await evaluateEach(folders, settings, measure)
  print(settings.json ? JSON.stringify({ sets: figures }) : asTable(figures))
  return 0
}

interface AskedQuestion {
  cited: string[]
  hits: string[]
  relevant: ReadonlySet<string>
  ms: number
}

async function measure(api: Client, collection: Collection, source?: string): Promise<AnswerFigures> {
  const prefix = source === undefined ? '' : `${source}/`
  await pushCollection(api, collection, source)
  const judged = collection.queries.filter(({ judgements }) => [...judgements.values()].some((it) => it > 0))
  const bar = progress(`${collection.name}: questions`, judged.length)
  const asked: AskedQuestion[] = []
  for (const { text, judgements } of judged) {
    const relevant = new Set([...judgements].flatMap(([id, grade]) => (grade > 0 ? [prefix + id] : [])))
    asked.push({ ...(await ask(api, text, source)), relevant })
    bar.step()
  }
  bar.end()
  return figuresOf(collection.name, asked)
}

async function ask(api: Client, question: string, source?: string): Promise<Omit<AskedQuestion, 'relevant'>> {
  const sources = source === undefined ? {} : { sources: [source] }
  const filters = source === undefined ? {} : { internal_search_filters: { source_type: [source] } }
  const found = await call(api, '/search', { query: question, num_hits: MOST_HITS, record: false, ...sources })
  const sent = performance.now()
  const answer = await call(api, '/chat/send-chat-message', { message: question, stream: false, ...filters })
  const ms = performance.now() - sent
  if (answer.is_extractive !== true)
    throw new Error('A language model answered. Turn it off: this measures extractive answers.')
  const idsOf = (items: { document_id: string }[]) => items.map((it) => it.document_id)
  return { cited: idsOf(answer.citation_info), hits: idsOf(found.results), ms }
}

const MOST_HITS = 10

// biome-ignore lint/suspicious/noExplicitAny: a response of which two fields are read.
async function call(api: Client, path: string, body: object): Promise<any> {
  const { status, body: answer } = await api('POST', path, body)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`)
  return answer
}

function figuresOf(set: string, asked: readonly AskedQuestion[]): AnswerFigures {
  const share = (holds: (it: AskedQuestion) => boolean) => mean(asked.map((it) => (holds(it) ? 1 : 0)))
  const quotes = asked.flatMap(({ cited, relevant }) => cited.map((it) => (relevant.has(it) ? 1 : 0)))
  return {
    set,
    questions: asked.length,
    firstOfHits: share(({ hits, relevant }) => relevant.has(hits[0] ?? '')),
    anyOfHits: share(({ hits, cited, relevant }) => hits.slice(0, cited.length).some((it) => relevant.has(it))),
    firstQuote: share(({ cited, relevant }) => relevant.has(cited[0] ?? '')),
    anyQuote: share(({ cited, relevant }) => cited.some((it) => relevant.has(it))),
    relevantQuotes: mean(quotes),
    quotes: mean(asked.map((it) => it.cited.length)),
    p50Ms: percentile(
      asked.map((it) => it.ms),
      0.5,
    ),
  }
}

function asTable(figures: readonly AnswerFigures[]): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const head = [
    'set',
    'questions',
    'first hit',
    'any of n hits',
    'first quote',
    'any quote',
    'gain',
    'all quotes',
    'quotes/answer',
    'p50 ms',
  ]
  const rows = figures.map((it) => [
    it.set,
    it.questions,
    percent(it.firstOfHits),
    percent(it.anyOfHits),
    percent(it.firstQuote),
    percent(it.anyQuote),
    `+${(100 * (it.anyQuote - it.firstOfHits)).toFixed(1)}`,
    percent(it.relevantQuotes),
    it.quotes.toFixed(1),
    it.p50Ms.toFixed(0),
  ])
  return table(head, rows)
}
