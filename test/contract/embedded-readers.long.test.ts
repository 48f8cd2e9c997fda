import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { searchIndexContract } from './search-index.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}

searchIndexContract(
  'embedded, two readers',
  (dir) => openEmbeddedIndex({ dir, logger: silent, onFatal, readers: 2, memoryPassages: 24, mergeFloor: 4 }),
  { isPersistent: true, runs: 40 },
)
