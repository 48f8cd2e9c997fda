// Random operations on an index in one thread: batches between the steps of flushes and merges, and crashes.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import type { IndexBatch, SearchIndex } from '../../src/search-index/search-index.ts'
import { MODEL } from '../contract/embedding.ts'
import { embedAll } from '../contract/vectors.ts'
import { Crash, type LocalIndex, openLocalIndex } from './local-index.ts'
import {
  assertAlike,
  assertOwnVectors,
  assertSameIndex,
  assertSameVectors,
  type Step,
  sequence,
} from './random-operations.ts'

const runs = Number(process.env.RUNS ?? 150)

async function inFolder(action: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-engine-'))
  try {
    await action(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const batchesOf = (steps: readonly Step[]): IndexBatch[] =>
  steps.filter((it) => 'batch' in it).map((it, at) => ({ ...it.batch, position: at + 1 }))

test('batches between the steps of flushes and merges lose nothing', async () => {
  const life = (steps: Step[]) =>
    inFolder(async (dir) => {
      const plain = openPlainIndex({ vectors: MODEL })
      let index = openLocalIndex(dir, { vectors: MODEL })
      const batches = batchesOf(steps)
      const next = () => {
        const batch = batches.shift()
        if (batch === undefined) return
        index.applyNow(batch)
        if (batch.position % 3 !== 0) index.embedNow()
        void plain.apply(batch)
      }
      const compareVectors = async () => {
        index.embedNow()
        await embedAll(plain)
        await assertSameVectors(index, plain)
      }
      for (const step of steps) {
        if ('batch' in step) next()
        else if ('query' in step) {
          assertAlike(await index.search(step.query), await plain.search(step.query))
          await compareVectors()
        } else if ('flush' in step) index.flush(next)
        else {
          index.merge(next)
          index.flush()
          const before = await index.stats()
          await index.close()
          index = openLocalIndex(dir, { vectors: MODEL })
          assert.deepEqual(await index.stats(), before)
        }
      }
      while (batches.length > 0) next()
      await assertSameIndex(index, plain)
      await compareVectors()
      await index.close()
    })
  await fc.assert(fc.asyncProperty(sequence, life), { numRuns: runs })
})

const POINTS = [
  ...['flush-started', 'flush-merged', 'flush-synced', 'flush-done', 'merge-started', 'merge-merged', 'merge-synced'],
  ...['merge-done', 'manifest-written', 'manifest-synced', 'manifest-renamed', 'floats-synced', 'rows-written'],
  'rows-synced',
]

for (const point of POINTS) {
  test(`after a crash at ${point}, the index has every change up to its position`, async () => {
    const life = (steps: Step[], nth: number) => inFolder((dir) => crashAndFollow(dir, steps, point, nth))
    await fc.assert(fc.asyncProperty(sequence, fc.integer({ min: 1, max: 4 }), life), { numRuns: Math.ceil(runs / 5) })
  })
}

async function crashAndFollow(dir: string, steps: readonly Step[], point: string, nth: number): Promise<void> {
  const batches = batchesOf(steps)
  let passings = 0
  const failpoint = (name: string) => {
    if (name === point && ++passings === nth) throw new Crash(name)
  }
  const index = openLocalIndex(dir, { failpoint, vectors: MODEL })
  try {
    for (const batch of batches) {
      await index.apply(batch)
      if (batch.position % 4 !== 0) index.embedNow()
      if (batch.position % 2 === 0) index.flush()
      if (batch.position % 3 === 0) index.merge()
    }
    index.flush()
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
  const again = openLocalIndex(dir, { vectors: MODEL })
  assert.deepEqual(again.writer.vectorDropReasons, [])
  const { position } = await again.stats()
  await assertSameIndex(again, await plainAt(batches, position))
  await assertOwnVectors(again, batches.slice(0, position))
  for (const batch of batches.slice(position)) await again.apply(batch)
  again.flush()
  const whole = await plainAt(batches, batches.length)
  await assertSameIndex(again, whole)
  again.embedNow()
  await embedAll(whole)
  await assertSameVectors(again, whole)
  assertNoLeftovers(dir, again)
  await again.close()
}

async function plainAt(batches: readonly IndexBatch[], position: number): Promise<SearchIndex> {
  const plain = openPlainIndex({ vectors: MODEL })
  for (const batch of batches.slice(0, position)) await plain.apply(batch)
  return plain
}

function assertNoLeftovers(dir: string, index: LocalIndex): void {
  const files = readdirSync(dir).filter((it) => it.endsWith('.seg'))
  assert.deepEqual(files.sort(), index.writer.files().sort())
}
