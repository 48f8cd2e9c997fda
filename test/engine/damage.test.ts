import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DamageError } from '../../src/engine/damage.ts'
import { clearIndex } from '../../src/engine/index-writer.ts'
import { openEmbeddedIndex } from '../../src/search-index/embedded.ts'
import { openPlainIndex } from '../../src/search-index/plain.ts'
import { seeded } from '../random.ts'
import { batchesOf } from './company.ts'
import { openLocalIndex } from './local-index.ts'
import { assertSameIndex } from './sequences.ts'

const batches = batchesOf(11, 20)

async function withIndex(action: (dir: string, segment: string) => void | Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-damage-'))
  const index = openLocalIndex(dir)
  for (const batch of batches) index.applyNow(batch)
  index.flush()
  await index.close()
  await action(dir, join(dir, readdirSync(dir).find((it) => it.endsWith('.seg'))!))
  rmSync(dir, { recursive: true })
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at]! ^= 1
  writeFileSync(path, bytes)
}

test('a flipped bit anywhere in a segment or the manifest is noticed when the index opens', () =>
  withIndex((dir, segment) => {
    const random = seeded(5)
    for (const path of [segment, join(dir, 'manifest')]) {
      const { length } = readFileSync(path)
      for (let round = 0; round < 100; round++) {
        const at = random.below(length)
        flip(path, at)
        assert.throws(() => openLocalIndex(dir), DamageError, `${path} at ${at}`)
        flip(path, at)
      }
    }
  }))

const harms: [string, (segment: string, dir: string) => void][] = [
  ['a missing segment', (segment) => rmSync(segment)],
  ['an empty segment', (segment) => truncateSync(segment, 0)],
  ['a cut segment', (segment) => truncateSync(segment, 1000)],
  ['a foreign segment', (segment) => writeFileSync(segment, 'x'.repeat(5000))],
  ['an empty manifest', (_, dir) => writeFileSync(join(dir, 'manifest'), '')],
  ['a foreign manifest', (_, dir) => writeFileSync(join(dir, 'manifest'), '{}\n{}')],
]
for (const [name, harm] of harms) {
  test(`${name} is noticed`, () =>
    withIndex((dir, segment) => {
      harm(segment, dir)
      assert.throws(() => openLocalIndex(dir), DamageError)
      clearIndex(dir)
      assert.equal(openLocalIndex(dir).writer.position, 0)
    }))
}

test('a damaged index opens empty at position 0, says so, and can be filled again', () =>
  withIndex(async (dir, segment) => {
    flip(segment, 100)
    const said: string[] = []
    const logger = { debug() {}, info() {}, warn: (_: object, message: string) => said.push(message), error() {} }
    const onFatal = (error: Error) => {
      throw error
    }
    const index = await openEmbeddedIndex({ dir, logger, onFatal })
    assert.deepEqual(await index.stats(), { documents: 0, chunks: 0, position: 0 })
    assert.equal(said.length, 1)
    const plain = openPlainIndex()
    for (const batch of batches) await Promise.all([index.apply(batch), plain.apply(batch)])
    await assertSameIndex(index, plain)
    await index.close()
  }))
