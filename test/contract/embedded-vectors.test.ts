import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import type { VectorOptions } from '../../src/search-index/search-index.ts'
import { openBusyIndex } from '../engine/local-index.ts'
import { runRandomVectorOperations, vectorContract } from './vectors.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
/** Low limits, so that little text causes flushes and merges. */
const open = (dir: string, vectors: VectorOptions | undefined, readers: number) =>
  openEmbeddedIndex({
    dir,
    logger: silent,
    onFatal,
    readers,
    vectors,
    memoryPassages: 24,
    mergeFloor: 4,
    flushAfterMs: 20,
  })

vectorContract('embedded', (dir, vectors) => open(dir, vectors, 1), { isPersistent: true, runs: 4 })
// The same code in one thread runs many more operations in the same time. The long tests have the full numbers.
vectorContract('embedded, one thread', openBusyIndex, { isPersistent: true, runs: 40 })

test('embedded, two readers: nearest gives the same result as an exact scan', () =>
  runRandomVectorOperations((dir, vectors) => open(dir, vectors, 2), { isPersistent: true, runs: 2 }))
