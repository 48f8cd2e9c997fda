// Works with few file descriptors, and at times with none: `out-of-files.ts <dir>`. Exits with an error if an
// expectation fails.
import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { accessForPerson } from '../../src/domain/access.ts'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { embed } from '../contract/embedding.ts'
import { waitFor } from '../server.ts'

const [dir = ''] = process.argv.slice(2)
const VECTORS = { model: 'test', dimension: 16 }
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const small = { memoryPassages: 24, mergeFloor: 4, flushAfterMs: 100 }
const open = () =>
  openEmbeddedIndex({ dir: join(dir, 'index'), logger: silent, onFatal, vectors: VECTORS, readers: 2, ...small })
const documentOf = (id: number) => ({
  document_id: `d${id}`,
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  cc_pair_ids: [],
  authors: [],
  access: ['public'],
  chunks: [{ chunk_ind: 0, content: `fox number${id}`, link: null }],
})
const asked = { access: accessForPerson({ email: null, groups: [] }, []), filters: {}, offset: 0, limit: 10 }
const nearest = async () => (await index.nearest({ ...asked, vector: embed('', 'fox', VECTORS.dimension) })).hits
let written = 0
/** Updates one of the previous ten documents, so that files on disk are read. */
const apply = async () => {
  const ids = Array.from({ length: 10 }, (_, at) => written + at)
  const again = written === 0 ? [] : [documentOf(written - 5)]
  await index.apply({ upserts: [...again, ...ids.map(documentOf)], deletes: [], position: written + 10 })
  written += 10
  assert.equal((await index.stats()).documents, written)
}

const taken: number[] = []
const takeAll = () => {
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EMFILE')
      return
    }
  }
}
const release = (count: number) => {
  for (const file of taken.splice(0, count)) closeSync(file)
}
const stalled = async () => (await index.stats()).stalled

let index = await open()
takeAll()
// The builder thread has to be started.
await assert.rejects(apply(), { code: 'OUT_OF_FILES' })
await assert.rejects(nearest(), { code: 'OUT_OF_FILES' })
assert.equal((await index.stats()).documents, 0)
release(Infinity)
await apply()
await index.flush()

takeAll()
for (let batch = 0; batch < 5; batch++) await apply()
assert.match(
  await waitFor(async () => (await stalled()) ?? undefined, 'the index to stall'),
  /no file descriptors left/,
)
// Frees one descriptor at a time: enough for the writer, then for a reader, then for all.
let isFlushed = false
const flushed = index.flush().then(() => {
  isFlushed = true
})
while (!isFlushed) {
  release(1)
  await nearest().catch((error) => assert.equal(error.code, 'OUT_OF_FILES'))
  for (let turn = 0; turn < 100; turn++) assert.equal((await index.stats()).documents, written)
}
await flushed
release(Infinity)
for (let batch = 0; batch < 5; batch++) await apply()
await waitFor(async () => (await stalled()) === null, 'the index to resume')
await index.close()

index = await open()
const { documents, position } = await index.stats()
assert.deepEqual([documents, position], [written, written])
await index.close()
process.exit(0)
