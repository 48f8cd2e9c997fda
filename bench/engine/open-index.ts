// A new process that opens the index and runs a few searches, to measure time and memory.
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { createCorpus } from './corpus.ts'

const [dir = '', dimension] = process.argv.slice(2)
const vectors = dimension === undefined ? undefined : { model: 'made up', dimension: Number(dimension) }
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const queries = createCorpus(1).queries(200, 'plain')
const start = performance.now()
const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, vectors })
const openMs = performance.now() - start
for (const query of queries) await index.search(query)
process.stdout.write(JSON.stringify({ openMs, rss: process.memoryUsage.rss() }))
await index.close()
