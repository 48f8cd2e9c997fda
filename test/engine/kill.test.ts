// Kills a process with all its threads at each step of a flush and of a merge.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { MODEL } from '../contract/embedding.ts'
import { embedAll } from '../contract/vectors.ts'
import { chooseSeed, seeded } from '../random.ts'
import { assertOwnVectors, assertSameIndex, assertSameVectors } from './random-operations.ts'
import { batchesOf } from './seeded-batches.ts'

const POINTS = [
  ...['flush-started', 'flush-merged', 'flush-synced', 'flush-done', 'merge-started', 'merge-merged', 'merge-synced'],
  ...['merge-done', 'manifest-written', 'manifest-synced', 'manifest-renamed', 'floats-synced', 'rows-written'],
  'rows-synced',
]
const BATCHES = 60
const seed = chooseSeed((line) => process.stdout.write(`${line}\n`))
const random = seeded(seed)
const onFatal = (error: Error) => {
  throw error
}

for (const point of POINTS) {
  const nth = 1 + random.below(point.startsWith('merge') ? 2 : 6)
  test(`a kill -9 at ${point}, pass ${nth}, loses nothing before the position`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pharos-kill-'))
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'killed-process.ts'),
      dir,
      `${seed}`,
      `${BATCHES}`,
      `${point}:${nth}`,
    ])
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    assert.equal(signal, 'SIGKILL')
    const batches = batchesOf(seed, BATCHES)
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, warn: (_: object, message: string) => warnings.push(message), error() {} }
    const small = { memoryPassages: 24, mergeFloor: 4 }
    const index = await openEmbeddedIndex({ dir, logger, onFatal, vectors: MODEL, ...small })
    assert.deepEqual(warnings, [])
    const { position } = await index.stats()
    const plain = openPlainIndex({ vectors: MODEL })
    for (const batch of batches.slice(0, position)) await plain.apply(batch)
    await assertSameIndex(index, plain)
    await assertOwnVectors(index, batches.slice(0, position))
    for (const batch of batches.slice(position)) await Promise.all([index.apply(batch), plain.apply(batch)])
    await assertSameIndex(index, plain)
    await Promise.all([embedAll(index), embedAll(plain)])
    await assertSameVectors(index, plain)
    await index.close()
    rmSync(dir, { recursive: true })
  })
}
