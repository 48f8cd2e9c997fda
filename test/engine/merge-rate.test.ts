// Merges are rate-limited; batches and searches are not delayed by that.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { waitFor } from '../server.ts'
import { assertSameIndex } from './random-operations.ts'
import { batchesOf } from './seeded-batches.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const FLUSHES = 30
const segments = (dir: string) => readdirSync(dir).filter((it) => it.endsWith('.seg')).length

async function filled(mergeBytesPerSecond: number) {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-rate-'))
  const index = await openEmbeddedIndex({ dir, logger: silent, onFatal, mergeFloor: 1_000, mergeBytesPerSecond })
  const plain = openPlainIndex()
  for (const batch of batchesOf(3, FLUSHES)) {
    await Promise.all([index.apply(batch), plain.apply(batch)])
    await index.flush()
  }
  const end = async () => {
    await index.close()
    rmSync(dir, { recursive: true })
  }
  return { dir, index, plain, end }
}

test('without a limit, small segments are merged into one', async () => {
  const { dir, index, plain, end } = await filled(0)
  await waitFor(() => segments(dir) < FLUSHES / 2, 'merges', 30_000)
  await assertSameIndex(index, plain)
  await end()
})

test('with a limit, the next merge waits for its turn, while batches and searches continue', async () => {
  const { dir, index, plain, end } = await filled(1)
  assert.ok(segments(dir) > FLUSHES / 2, `${segments(dir)} segments are left`)
  await assertSameIndex(index, plain)
  await end()
})
