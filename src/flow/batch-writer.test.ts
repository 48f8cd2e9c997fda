import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchWriter } from './batch-writer.ts'

const unexpected = { onError: (error: unknown) => assert.fail(String(error)) }
const never = { delayMs: 2 ** 31 - 1, maxPending: 10 }

function recordBatches() {
  const written: unknown[][] = []
  return { written, write: async (batch: unknown[]) => void written.push(batch) }
}

test('items are written in one batch, in order, once', async () => {
  const { written, write } = recordBatches()
  const { add, flush } = createBatchWriter<number>({ ...never, ...unexpected, write })
  add(1)
  add(2)
  await flush()
  await flush()
  assert.deepEqual(written, [[1, 2]])
})

test('a batch is written after the delay', { timeout: 10_000 }, async () => {
  const { promise, resolve } = Promise.withResolvers<number[]>()
  const write = async (batch: number[]) => resolve(batch)
  createBatchWriter<number>({ ...never, ...unexpected, write, delayMs: 1 }).add(1)
  // The timer of the batch alone does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  assert.deepEqual(await promise, [1])
  clearInterval(alive)
})

test('a flush waits for a running write, and batches keep their order', async () => {
  const gate = Promise.withResolvers<void>()
  const { written, write } = recordBatches()
  const { add, flush } = createBatchWriter<number>({
    ...never,
    ...unexpected,
    write: (batch) => gate.promise.then(() => write(batch)),
  })
  add(1)
  void flush()
  add(2)
  const flushed = flush()
  gate.resolve()
  await flushed
  assert.deepEqual(written, [[1], [2]])
})

test('a failed write is reported, and the next batch is written', async () => {
  const errors: unknown[] = []
  const { written, write } = recordBatches()
  const refused = new Error('refused')
  let tries = 0
  const { add, flush } = createBatchWriter<number>({
    ...never,
    write: (batch) => (++tries === 1 ? Promise.reject(refused) : write(batch)),
    onError: (error) => errors.push(error),
  })
  add(1)
  await flush()
  add(2)
  await flush()
  assert.deepEqual([errors, written], [[refused], [[2]]])
})

test('items beyond the limit are dropped and counted', async () => {
  const dropped: number[] = []
  const { written, write } = recordBatches()
  const onDropped = (count: number) => dropped.push(count)
  const { add, flush } = createBatchWriter<number>({ ...never, ...unexpected, write, maxPending: 2, onDropped })
  for (let item = 1; item <= 5; item++) add(item)
  await flush()
  add(6)
  await flush()
  assert.deepEqual([written, dropped], [[[1, 2], [6]], [3]])
})

test('items with the same key become one, even when the batch is full', async () => {
  const { written, write } = recordBatches()
  const merging = {
    keyOf: ({ name }: { name: string }) => name,
    merge: (pending: { name: string; count: number }, { count }: { count: number }) => ({
      ...pending,
      count: pending.count + count,
    }),
  }
  const { add, flush } = createBatchWriter<{ name: string; count: number }>({
    ...never,
    ...unexpected,
    write,
    maxPending: 1,
    merging,
  })
  for (const name of ['a', 'b', 'a']) add({ name, count: 1 })
  await flush()
  assert.deepEqual(written, [[{ name: 'a', count: 2 }]])
})
