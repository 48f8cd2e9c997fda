import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordedQuery } from '../domain/search/relevance.ts'
import { openQueryLog } from './query-log.ts'

const asked = (query: string): RecordedQuery => ({
  search_id: query,
  user_id: 'ann',
  query,
  filters: {},
  document_ids: [],
  total: 0,
  ranked_by: 'words',
  took_ms: 1,
  asked_at: 0,
})

function listening() {
  const said: string[] = []
  const say = (_: object, message: string) => void said.push(message)
  return { said, logger: { debug: say, info: say, warn: say, error: say } }
}

test('recorded queries are written in one batch, in order, once', async () => {
  const written: string[][] = []
  const write = async (batch: readonly RecordedQuery[]) => void written.push(batch.map((it) => it.query))
  const log = openQueryLog({ write, logger: listening().logger })
  for (const query of ['one', 'two']) log.record(asked(query))
  await log.flush()
  await log.flush()
  assert.deepEqual(written, [['one', 'two']])
})

test('a flush waits for a running write', async () => {
  const order: string[] = []
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
  const write = async (batch: readonly RecordedQuery[]) => {
    await isOpen
    order.push(...batch.map((it) => it.query))
  }
  const log = openQueryLog({ write, logger: listening().logger })
  log.record(asked('one'))
  void log.flush()
  log.record(asked('two'))
  const flushed = log.flush()
  open()
  await flushed
  assert.deepEqual(order, ['one', 'two'])
})

test('a failed write is logged and does not reject', async () => {
  const { said, logger } = listening()
  const log = openQueryLog({ write: () => Promise.reject(new Error('full')), logger })
  log.record(asked('one'))
  await log.flush()
  assert.deepEqual(said, ['query log write failed'])
})

test('queries beyond the buffer limit are counted and dropped', async () => {
  const { said, logger } = listening()
  const written: number[] = []
  const log = openQueryLog({ write: async (batch) => void written.push(batch.length), logger })
  for (let at = 0; at < 5_001; at++) log.record(asked('one'))
  await log.flush()
  assert.deepEqual([written, said], [[5_000], ['queries dropped from the query log']])
})
