import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded.ts'
import type { VectorOptions } from '../../src/search-index/search-index.ts'
import { openBusyIndex } from '../engine/local-index.ts'
import { randomVectorLives, vectorContract } from './vectors.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
/** Small limits, so that little text and time are enough for flushes and merges. */
const open = (dir: string, vectors: VectorOptions | undefined, readers: number) =>
  openEmbeddedIndex({
    dir,
    logger: silent,
    onFatal,
    readers,
    vectors,
    memoryEntries: 24,
    mergeFloor: 4,
    flushAfterMs: 20,
  })

vectorContract('embedded', (dir, vectors) => open(dir, vectors, 1), { isPersistent: true, runs: 10 })
// The same code in one thread lives many more lives in the same time.
vectorContract('embedded, one thread', openBusyIndex, { isPersistent: true, runs: 200 })

test('embedded, two readers: nearest answers as looking at every vector does', () =>
  randomVectorLives((dir, vectors) => open(dir, vectors, 2), { isPersistent: true, runs: 4 }))
