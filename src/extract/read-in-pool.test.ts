import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from './extraction.ts'
import type { PoolJob, ReaderPool, ReadResult } from './process/reader-pool.ts'
import { readPictureInPool } from './read-in-pool.ts'
import type { ReaderEvent } from './reader.ts'

const job: PoolJob = {
  ...{ source: { bytes: Buffer.from('x') }, name: 'a', mediaType: null, as: null, password: null },
  ...{ limits: DEFAULT_LIMITS, picturePage: 0, keepsPictures: false, signal: new AbortController().signal },
}
const picture = { width: 1, height: 1, pixels: Uint8Array.of(7) }
const ok: ReadResult = { end: { verdict: 'ok' }, wasNewProcess: false }
const failed = (verdict: 'limit' | 'damaged', detail: string, wasNewProcess = true): ReadResult => ({
  end: { verdict, detail },
  wasNewProcess,
})

/** A pool whose readings end one after another. Records whether each wanted a new process. */
function poolOf(...readings: { result: ReadResult; events?: ReaderEvent[] }[]): ReaderPool & { wanted: boolean[] } {
  const wanted: boolean[] = []
  return {
    wanted,
    async read({ needsNewProcess = false }, onEvent) {
      wanted.push(needsNewProcess)
      const reading = readings.shift() ?? assert.fail('No more readings are expected.')
      for (const event of reading.events ?? []) onEvent(event)
      return reading.result
    },
    close: async () => {},
  }
}

const events: ReaderEvent[] = [{ event: 'picture', id: 0, picture }]

test('the picture of a reading is returned', async () => {
  assert.equal(await readPictureInPool(poolOf({ result: ok, events }), job), picture)
})

for (const [name, result, reason] of [
  ['too much time', failed('limit', 'time', false), /took too long/],
  ['too much memory', failed('limit', 'memory'), /more memory/],
  ['a crash', failed('damaged', 'The reader process crashed.'), /damaged: The reader process crashed/],
] as const)
  test(`${name} is the reason for no picture`, async () => {
    const found = await readPictureInPool(poolOf({ result }), job)
    assert.match('reason' in found ? found.reason : 'pixels', reason)
  })

test('a picture that fails in a used process is read again in a new one', async () => {
  const pool = poolOf({ result: failed('limit', 'memory', false) }, { result: ok, events })
  assert.equal(await readPictureInPool(pool, job), picture)
  assert.deepEqual(pool.wanted, [false, true])
})
