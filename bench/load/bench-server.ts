// Shared by the parts of the load benchmark: a service with a large index, and sender processes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../test/http.ts'
import { parallel } from '../../test/parallel.ts'
import { launch, type Server, settled } from '../../test/server.ts'
import { createCorpus } from '../engine/corpus.ts'
import { progress } from '../output.ts'
import type { LoadPlan, SendResult } from './sender.ts'

const SEED = 1
const QUERIES = 2_000
const CONCURRENT_PUSHES = 32
const FILL_TIMEOUT_MS = 600_000

/** Without own queries, the service gets those of the corpus. */
type Sending = Omit<LoadPlan, 'url' | 'queries' | 'key' | 'documentSize'> & {
  key?: string
  queries?: readonly string[]
}

export interface BenchServer {
  server: Server
  queries: readonly string[]
  /** Returns a separate key for each client that the service must distinguish. */
  key(name: string): Promise<string>
  /** Sends from another process and resolves with the result. */
  send(sending: Sending): Promise<SendResult>
  /** The resident bytes of the program. */
  memory(): number
  stop(): Promise<void>
}

/** The number of characters of each document. */
const DOCUMENT_SIZE = 4_096

export async function openBenchServer(chunks: number, env: Record<string, string> = {}): Promise<BenchServer> {
  const server = await launch({ env: { LOG_LEVEL: 'error', ...env } })
  const corpus = createCorpus(SEED)
  const senders: ChildProcess[] = []
  await fill(server, corpus, chunks)
  const queries = corpus.queries(QUERIES, 'plain').map((it) => it.text)
  return {
    server,
    queries,
    async key(name) {
      const { body } = await server.api('POST', '/admin/api-key', { name, role: 'admin' })
      return (body as { api_key: string }).api_key
    },
    async send(sending) {
      const sender = fork(join(import.meta.dirname, 'sender.ts'), [], { execArgv: process.execArgv })
      senders.push(sender)
      sender.send({
        url: server.url,
        key: server.key,
        queries,
        documentSize: DOCUMENT_SIZE,
        ...sending,
      } satisfies LoadPlan)
      const [sent] = (await once(sender, 'message')) as [SendResult]
      sender.kill()
      return sent
    },
    memory: () => readResidentMemory(server.pid),
    async stop() {
      for (const it of senders) it.kill()
      await server.stop()
    },
  }
}

async function fill(server: Server, corpus: ReturnType<typeof createCorpus>, chunks: number): Promise<void> {
  const bar = progress('documents', Math.round(chunks / 4.5))
  const api = connect(server.url, server.key, CONCURRENT_PUSHES)
  await parallel(corpus.documents(chunks), CONCURRENT_PUSHES, async ({ document_id, title, chunks: pieces }) => {
    const sections = pieces.map(({ content }) => ({ text: content }))
    const document = { id: document_id, semantic_identifier: title, sections, metadata: {} }
    const { status } = await api('POST', '/service-api/ingestion', { document })
    if (status !== 200) throw new Error(`A document returned ${status}`)
    bar.step()
  })
  await settled(server, FILL_TIMEOUT_MS)
  api.close()
  bar.end()
}

const readResidentMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024
