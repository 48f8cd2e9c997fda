// A process that fills an index and is killed at a failpoint: `doomed.ts <dir> <seed> <batches> <failpoint>`.
import { openEmbeddedIndex } from '../../src/search-index/embedded.ts'
import { MODEL } from '../contract/embedding.ts'
import { embedAll } from '../contract/vectors.ts'
import { batchesOf } from './company.ts'

const [dir = '', seed, count, failpoint = ''] = process.argv.slice(2)
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const small = { memoryEntries: 24, mergeFloor: 4 }
const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, failpoint, vectors: MODEL, ...small })
for (const batch of batchesOf(Number(seed), Number(count))) {
  await index.apply(batch)
  if (batch.position % 4 !== 0) await embedAll(index)
  if (batch.position % 3 === 0) await index.flush()
}
await index.close()
process.exit(0)
