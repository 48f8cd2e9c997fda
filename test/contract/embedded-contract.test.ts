import { openEmbeddedIndex } from '../../src/search-index/embedded.ts'
import { searchIndexContract } from './search-index.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}

searchIndexContract(
  'embedded',
  (dir) => openEmbeddedIndex({ dir, logger, onFatal, memoryEntries: 64, mergeFloor: 8 }),
  {
    isPersistent: true,
    runs: 25,
  },
)
