// A process that fills an index and is killed at a failpoint: `doomed.ts <dir> <seed> <batches> <failpoint>`.
import { openEmbeddedIndex } from '../../src/search-index/embedded.ts'
import { batchesOf } from './company.ts'

const [dir = '', seed, count, failpoint = ''] = process.argv.slice(2)
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, failpoint, memoryEntries: 24, mergeFloor: 4 })
for (const batch of batchesOf(Number(seed), Number(count))) {
  await index.apply(batch)
  if (batch.position % 3 === 0) await index.flush()
}
await index.close()
process.exit(0)
