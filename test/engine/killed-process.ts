// Fills an index and is killed at a failpoint: `killed-process.ts <dir> <seed> <batches> <failpoint>`.
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { MODEL } from '../contract/embedding.ts'
import { embedAll } from '../contract/vectors.ts'
import { batchesOf } from './seeded-batches.ts'

const [dir = '', seed, count, failpoint = ''] = process.argv.slice(2)
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const small = { memoryPassages: 24, mergeFloor: 4 }
const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, failpoint, vectors: MODEL, ...small })
for (const batch of batchesOf(Number(seed), Number(count))) {
  await index.apply(batch)
  if (batch.position % 4 !== 0) await embedAll(index)
  if (batch.position % 3 === 0) await index.flush()
}
await index.close()
process.exit(0)
