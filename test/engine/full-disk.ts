// Works on a disk that fills up: `full-disk.ts <dir>`. Exits with an error if an expectation fails.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessForPerson } from '../../src/domain/access.ts'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { embed } from '../contract/embedding.ts'

const [dir = ''] = process.argv.slice(2)
const VECTORS = { model: 'test', dimension: 768 }
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const open = () => openEmbeddedIndex({ dir: join(dir, 'index'), logger: silent, onFatal, vectors: VECTORS })
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
const vectorOf = (content: string) => embed('', content, VECTORS.dimension)
const asked = { access: accessForPerson({ email: null, groups: [] }, []), filters: {}, offset: 0, limit: 10 }
const best = async () => (await index.nearest({ ...asked, vector: vectorOf('fox number3') })).hits[0]?.document_id

let index = await open()
await index.apply({ upserts: Array.from({ length: 500 }, (_, id) => documentOf(id)), deletes: [], position: 1 })
await index.flush()
const first = await index.chunksWithoutVector({ limit: 100 })
await index.setVectors(first.chunks.map((it) => ({ ...it, vector: vectorOf(it.content) })))
await index.flush()

fill()
const rest = await index.chunksWithoutVector({ limit: 1_000 })
const given = rest.chunks.map((it) => ({ ...it, vector: vectorOf(it.content) }))
await assert.rejects(index.setVectors(given), /the index cannot store the vectors: .*ENOSPC/)
assert.equal((await index.stats()).vectors, 100)
assert.equal(await best(), 'd3')

rmSync(join(dir, 'ballast'))
await index.setVectors(given)
assert.deepEqual([(await index.stats()).vectors, (await index.stats()).vectors_missing], [500, 0])
await index.close()
index = await open()
assert.deepEqual([(await index.stats()).vectors, await best()], [500, 'd3'])
await index.close()
process.exit(0)

/** Fills all but a few pages, so that a write fails in the middle of a call. */
function fill(): void {
  for (const step of [1 << 20, 1 << 16, 1 << 12]) {
    for (;;) {
      try {
        writeFileSync(join(dir, 'ballast'), Buffer.alloc(step), { flag: 'a' })
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        break
      }
    }
  }
}
