// The process that reads files of strangers: it may read the program's own files, and write and start nothing.
// It is started by `reader-pool.ts`, answers one request after the other, and may be killed at any moment.
import { Worker } from 'node:worker_threads'
import { read } from './read.ts'
import type { ReaderReply, ReadRequest } from './reader-messages.ts'
import type { ReadingEvent } from './reading.ts'

/** Events are sent together: so long after the first one, or when they have so much text. */
const SEND_EVERY_MS = 100
const SEND_CHARACTERS = 100_000

const watch = new Worker(new URL('./reader-watch.ts', import.meta.url), { workerData: { parent: process.ppid } })
const memoryLimit = new SharedArrayBuffer(8)
watch.postMessage(memoryLimit)

const tell = (reply: ReaderReply): void => void process.send?.(reply)

process.on('disconnect', () => process.exit())
// A terminal or a supervisor tells all processes to end; this one ends when the service has no more use for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('message', (request: ReadRequest) => void answer(request))
tell({ ready: true })

async function answer({ size, ...request }: ReadRequest): Promise<void> {
  new BigInt64Array(memoryLimit)[0] = BigInt(request.limits.memoryBytes)
  const bytes = await receive(size)
  let waiting: ReadingEvent[] = []
  let characters = 0
  let since = performance.now()
  const send = () => {
    if (waiting.length > 0) tell({ events: waiting })
    waiting = []
    characters = 0
    since = performance.now()
  }
  await read({ ...request, bytes }, (event) => {
    waiting.push(event)
    if (event.event === 'sections') for (const { text } of event.sections) characters += text.length
    if (characters > SEND_CHARACTERS || performance.now() - since > SEND_EVERY_MS) send()
  })
  send()
  tell({ done: true, heldBytes: process.memoryUsage.rss() })
}

/** So many bytes of stdin; the next request's follow them. */
async function receive(size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let at = 0
  while (at < size) {
    const piece: Buffer | null = process.stdin.read(Math.min(size - at, process.stdin.readableLength || size - at))
    if (piece === null) await new Promise((wake) => process.stdin.once('readable', wake))
    else at += piece.copy(bytes, at)
  }
  return bytes
}
