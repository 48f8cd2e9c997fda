import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import type { VectorOptions } from '../../src/search-index/search-index.ts'
import { runRandomOperations, searchIndexContract } from './search-index.ts'
import { runRandomVectorOperations } from './vectors.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
/** Low limits, so that little text causes flushes and merges. */
const open = (
  dir: string,
  readers: number,
  more: { vectors?: VectorOptions | undefined; flushAfterMs?: number } = {},
) => openEmbeddedIndex({ dir, logger: silent, onFatal, readers, memoryPassages: 24, mergeFloor: 4, ...more })

searchIndexContract('embedded, two readers', (dir) => open(dir, 2), { isPersistent: true, runs: 40 })

test('embedded, one reader: gives the same results as a scorer without an index in 40 random runs', () =>
  runRandomOperations((dir) => open(dir, 1), { isPersistent: true, runs: 40 }))

for (const readers of [1, 2])
  test(`embedded, ${readers} readers: nearest gives the same result as an exact scan in 40 random runs`, () =>
    runRandomVectorOperations((dir, vectors) => open(dir, readers, { vectors, flushAfterMs: 20 }), {
      isPersistent: true,
      runs: 40,
    }))
