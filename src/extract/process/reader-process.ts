// The process that reads untrusted files. It may read the program's own files, but not write files or start processes.
// `reader-pool.ts` starts it, sends one request at a time and may kill it at any moment.
import { Worker } from 'node:worker_threads'
import type { PictureResult } from '../picture/grey-picture.ts'
import type { PictureFile } from '../picture/read-picture.ts'
import type { ReaderEvent } from '../reader.ts'
import { runReader } from '../run-reader.ts'
import type { ReaderReply, ReadFileRequest } from './reader-messages.ts'

/** Events are batched up to this time or amount of text. */
const SEND_EVERY_MS = 100
const SEND_CHARACTERS = 100_000

const watchdog = new Worker(new URL('./reader-watchdog.ts', import.meta.url), { workerData: { parent: process.ppid } })
const memoryLimit = new SharedArrayBuffer(8)
watchdog.postMessage(memoryLimit)

const sendReply = (reply: ReaderReply): void => void process.send?.(reply)

process.on('disconnect', () => process.exit())
// A terminal or supervisor signals the whole process group. This process ends when the service disconnects.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('message', (request: ReadFileRequest) => void handleRequest(request))
sendReply({ ready: true })

async function handleRequest({ size, picturePage, ...request }: ReadFileRequest): Promise<void> {
  new BigInt64Array(memoryLimit)[0] = BigInt(request.limits.memoryBytes)
  const bytes = await readStdin(size)
  let pendingEvents: ReaderEvent[] = []
  let characters = 0
  let lastSentAt = performance.now()
  const send = () => {
    if (pendingEvents.length > 0) sendReply({ events: pendingEvents })
    pendingEvents = []
    characters = 0
    lastSentAt = performance.now()
  }
  if (picturePage === null)
    await runReader({ ...request, bytes }, (event) => {
      pendingEvents.push(event)
      characters += sizeOf(event)
      if (characters > SEND_CHARACTERS || performance.now() - lastSentAt > SEND_EVERY_MS) send()
    })
  else pendingEvents.push({ event: 'picture', id: 0, picture: await loadPicture({ ...request, bytes }, picturePage) })
  send()
  sendReply({ done: true, heldBytes: process.memoryUsage.rss() })
}

/** Bytes are sent at once, so that they are not held twice for long. */
function sizeOf(event: ReaderEvent): number {
  if (event.event === 'picture_file' || event.event === 'scan') return Number.POSITIVE_INFINITY
  return event.event === 'sections' ? event.sections.reduce((sum, { text }) => sum + text.length, 0) : 0
}

/** Loaded on demand, like the readers of texts. */
const loadPicture = async (file: PictureFile, page: number): Promise<PictureResult> =>
  (await import('../picture/read-picture.ts')).readPicture(file, page)

/** Reads exactly `size` bytes; the bytes of the next request follow. */
async function readStdin(size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let at = 0
  while (at < size) {
    const chunk: Buffer | null = process.stdin.read(Math.min(size - at, process.stdin.readableLength || size - at))
    if (chunk === null) await new Promise((wake) => process.stdin.once('readable', wake))
    else at += chunk.copy(bytes, at)
  }
  return bytes
}
