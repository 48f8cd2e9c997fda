// Sends the load from its own process: a closed loop with one request at a time per connection. Plain sockets and prepared
// bytes keep its cost small compared with the program's.
import { connect } from 'node:net'
import { percentile } from '../src/domain/search/ranking-metrics.ts'

export interface Load {
  url: string
  key: string
  path: string
  clients: number
  seconds: number
  /** The place of the document's kilobyte: metadata is stored like text but hardly indexed. */
  in: 'text' | 'metadata'
  /** A part of every document id, so that no two loads send the same ids. */
  run: string
}

export interface LoadResult {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failures: number
  /** The share of one processor. Near 1, the generator itself was the limit. */
  generatorCpu: number
}

const TEXTS = 500
const TEXT_BYTES = 900
const VOCABULARY = 5_000

process.on('message', (load: Load) => {
  generate(load).then((result) => process.send?.(result))
})

async function generate(load: Load): Promise<LoadResult> {
  const times: number[] = []
  const texts = Array.from({ length: TEXTS }, (_, index) => textOf(index))
  const state = { sent: 0, failures: 0 }
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const end = begin + load.seconds * 1_000
  const next = () => requestOf(load, texts[state.sent % TEXTS]!, state.sent++)
  const clients = Array.from({ length: load.clients }, () => runClient(load.url, next, end, times, state))
  await Promise.all(clients)
  const tookMs = performance.now() - begin
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: times.length / (tookMs / 1_000),
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    failures: state.failures,
    generatorCpu: (user + system) / 1_000 / tookMs,
  }
}

function runClient(url: string, next: () => Buffer, end: number, times: number[], state: { failures: number }) {
  const { hostname, port } = new URL(url)
  return new Promise<void>((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true })
    let sentAt = 0
    let received = ''
    const send = () => {
      if (performance.now() >= end) return void socket.end(resolve)
      sentAt = performance.now()
      socket.write(next())
    }
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (text: string) => {
      received += text
      if (!isWhole(received)) return
      times.push(performance.now() - sentAt)
      if (!received.startsWith('HTTP/1.1 200')) state.failures++
      received = ''
      send()
    })
  })
}

function isWhole(answer: string): boolean {
  const bodyAt = answer.indexOf('\r\n\r\n') + 4
  if (bodyAt < 4) return false
  const length = /content-length: (\d+)/i.exec(answer)?.[1]
  if (length === undefined) throw new Error(`A response has no length: ${answer.slice(0, 200)}`)
  return answer.length >= bodyAt + Number(length)
}

function requestOf({ url, key, path, run, in: place }: Load, text: string, serial: number): Buffer {
  const content =
    place === 'text' ? `"sections":[{"text":"${text}"}],"metadata":{}` : `"sections":[],"metadata":{"note":"${text}"}`
  const document = `"id":"bench/${run}/${serial}","semantic_identifier":"Bench ${serial}","source":"ingestion_api",${content}`
  const body = `{"document":{${document}}}`
  const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n`
  return Buffer.from(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`, 'latin1')
}

function textOf(index: number): string {
  const words: string[] = []
  let seed = index + 1
  for (let length = 0; length < TEXT_BYTES; ) {
    seed = (seed * 48_271) % 0x7fffffff
    const word = `w${(seed % VOCABULARY).toString(36)}`
    words.push(word)
    length += word.length + 1
  }
  return words.join(' ')
}
