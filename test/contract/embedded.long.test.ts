import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { openBusyIndex } from '../engine/local-index.ts'
import { compareWithPlain, runRandomOperations, searchIndexContract } from './search-index.ts'
import { runRandomVectorOperations } from './vectors.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
searchIndexContract(
  'embedded, with threads',
  (dir) => openEmbeddedIndex({ dir, logger: silent, onFatal, readers: 1, memoryPassages: 24, mergeFloor: 4 }),
  { isPersistent: true, runs: 50 },
)

for (const part of [1, 2, 3, 4]) {
  test(`embedded: gives the same results as a scorer without an index in 10,000 random runs, part ${part} of 4`, () =>
    runRandomOperations((dir) => openBusyIndex(dir), { isPersistent: true, runs: 2_500 }))
}

for (const part of [1, 2, 3, 4]) {
  test(`embedded: nearest gives the same result as an exact scan in 4,000 random runs, part ${part} of 4`, () =>
    runRandomVectorOperations(openBusyIndex, { isPersistent: true, runs: 1_000 }))
}

for (const seed of [1, 2, 3]) {
  test(`embedded: gives the same results as the exact index on 20,000 documents, seed ${seed}`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pharos-index-'))
    const other = await openBusyIndex(dir)
    await compareWithPlain({ plain: openPlainIndex(), other }, { documents: 20_000, queries: 500, seed })
    await other.close()
    rmSync(dir, { recursive: true })
  })
}
