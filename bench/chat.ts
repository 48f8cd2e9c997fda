// The cost of a chat without its language model: `npm run bench -- chat`. A scripted model with the real wire format takes a
// fixed time, so the rest is the cost of Pharos.
import { request } from 'node:http'
import { percentile } from '../src/domain/search/ranking-metrics.ts'
import {
  calls,
  DONE,
  delta,
  finish,
  type ModelScript,
  openModelServer,
  type ScriptStep,
  text,
  usage,
} from '../test/model/model-server.ts'
import { parallel } from '../test/parallel.ts'
import type { BenchSettings } from './bench.ts'
import { type BenchServer, openBenchServer } from './load/bench-server.ts'
import { note, print, table } from './output.ts'

type Row = [figure: string, value: string, aim: string]

/** The speed of a fast model: about a hundred words in two and a half seconds. */
const FIRST_TOKEN_MS = 300
const TOKENS = 100
const TOKEN_MS = 20
const CHATS = 24
const TOGETHER = 32
const STREAMS = 200
/** Long enough that all 200 streams run at the same time. */
const LONG_TOKENS = 400

export async function run({ chunks }: BenchSettings): Promise<void> {
  const model = await openModelServer(searchesThenSays(TOKENS))
  const stand = await openBenchServer(chunks, model.env())
  const rows: Row[] = []
  try {
    await chats(stand, 4, 1)
    note('chats one after the other')
    rows.push(...(await alone(stand, model.url)))
    note(`${TOGETHER} chats at once`)
    rows.push(...(await together(stand, model.url)))
    note(`${STREAMS} streams`)
    model.script(searchesThenSays(LONG_TOKENS))
    rows.push(...(await streams(stand)))
  } finally {
    await stand.stop()
    await model.end()
  }
  print(table([`${chunks} chunks`, 'measured', 'target'], rows))
}

/** The first response calls the search tool, the second answers from the results. */
const searchesThenSays =
  (tokens: number) =>
  ({ body }: { body: { messages: { role: string }[] } }): ModelScript => {
    const steps = body.messages.at(-1)?.role === 'tool' ? answering(tokens) : calls(search(body)).steps
    return { steps: [{ waitMs: FIRST_TOKEN_MS }, ...steps] }
  }

const search = ({ messages }: { messages: { role: string; content?: unknown }[] }) => ({
  name: 'internal_search',
  arguments: { queries: [String(messages.findLast((it) => it.role === 'user')?.content).slice(0, 200)] },
})

const answering = (tokens: number): ScriptStep[] => [
  delta({ role: 'assistant', content: '' }),
  ...Array.from({ length: tokens }, (_, at): ScriptStep[] => [
    { waitMs: TOKEN_MS },
    text(at % 20 === 19 ? 'it.\n' : 'word '),
  ]).flat(),
  finish(),
  usage(2_000, tokens),
  DONE,
]

/** Milliseconds since the question was sent. */
interface Times {
  firstLine: number
  found: number
  end: number
}

function chat({ server }: BenchServer, message: string): Promise<Times> {
  const started = performance.now()
  const since = () => performance.now() - started
  const times: Times = { firstLine: 0, found: 0, end: 0 }
  const body = JSON.stringify({ message })
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/chat/send-chat-message`, { method: 'POST', headers }, (response) => {
      let seen = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        seen += piece
        if (times.firstLine === 0) times.firstLine = since()
        if (times.found === 0 && seen.includes('search_tool_documents_delta')) times.found = since()
      })
      response.on('error', reject).on('end', () => {
        times.end = since()
        const isWhole = response.statusCode === 200 && seen.includes('"stop"') && !seen.includes('"type":"error"')
        if (isWhole && times.found > 0) resolve(times)
        else reject(new Error(`A chat returned ${response.statusCode}: ${seen.slice(-500)}`))
      })
    })
    sent.on('error', reject).end(body)
  })
}

async function chats(stand: BenchServer, count: number, atOnce: number): Promise<Times[]> {
  const times: Times[] = []
  await parallel(stand.queries.slice(0, count), atOnce, async (query) => void times.push(await chat(stand, query)))
  return times
}

/** Sends the two requests of a chat directly to the model. */
async function modelAlone(url: string, count: number, atOnce: number): Promise<number[]> {
  const times: number[] = []
  await parallel(Array(count).fill(0), atOnce, async () => {
    const started = performance.now()
    for (const role of ['user', 'tool']) {
      const body = JSON.stringify({
        model: 'scripted',
        stream: true,
        messages: [{ role: 'user', content: 'x' }, { role }],
      })
      const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body })
      await answer.text()
    }
    times.push(performance.now() - started)
  })
  return times
}

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
const of = (times: readonly Times[], name: keyof Times, share: number) =>
  percentile(
    times.map((it) => it[name]),
    share,
  )
/** The time before the search is the model's. */
const retrieval = (times: readonly Times[], share: number) => of(times, 'found', share) - FIRST_TOKEN_MS

async function alone(stand: BenchServer, url: string): Promise<Row[]> {
  const bare = percentile(await modelAlone(url, CHATS / 4, 1), 0.5)
  const times = await chats(stand, CHATS, 1)
  return [
    ['first line, p50 / p99', `${ms(of(times, 'firstLine', 0.5))} / ${ms(of(times, 'firstLine', 0.99))}`, '≤ 50 ms'],
    [
      'documents found, excluding the model’s time, p50 / p99',
      `${ms(retrieval(times, 0.5))} / ${ms(retrieval(times, 0.99))}`,
      '≤ 150 ms',
    ],
    ['whole chat, p50', ms(of(times, 'end', 0.5)), ''],
    ['the same, compared with the model alone', beside(of(times, 'end', 0.5), bare), '≤ 110 %'],
  ]
}

async function together(stand: BenchServer, url: string): Promise<Row[]> {
  const bare = percentile(await modelAlone(url, TOGETHER * 2, TOGETHER), 0.5)
  const times = await chats(stand, TOGETHER * 3, TOGETHER)
  return [
    [`${TOGETHER} chats at once: whole chat, p50`, ms(of(times, 'end', 0.5)), ''],
    ['the same, compared with the model alone', beside(of(times, 'end', 0.5), bare), '≤ 110 %'],
    ['the same, documents found, p99', ms(retrieval(times, 0.99)), ''],
  ]
}

const beside = (own: number, bare: number) => `${((own / bare) * 100).toFixed(1)} %`

async function streams(stand: BenchServer): Promise<Row[]> {
  const before = stand.memory()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, stand.memory())
  }, 100)
  const times = await chats(stand, STREAMS, STREAMS).finally(() => clearInterval(watch))
  return [
    [`${STREAMS} streams at once, additional memory`, mb(most - before), '≤ 400 MiB'],
    ['the same, total memory', mb(most), ''],
    ['the same, whole chat, p50', ms(of(times, 'end', 0.5)), ''],
  ]
}
