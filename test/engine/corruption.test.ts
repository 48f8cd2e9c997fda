import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessForPerson } from '../../src/domain/access.ts'
import { CorruptIndexError } from '../../src/engine/codec/corrupt-index-error.ts'
import { removeIndexFiles } from '../../src/engine/write/index-folder.ts'
import { openEmbeddedIndex } from '../../src/search-index/embedded/embedded-index.ts'
import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { similarityOf } from '../contract/candidates.ts'
import { embed, MODEL } from '../contract/embedding.ts'
import { embedAll } from '../contract/vectors.ts'
import { seeded } from '../random.ts'
import { type LocalIndex, openLocalIndex } from './local-index.ts'
import { assertOwnVectors, assertSameIndex, assertSameVectors } from './random-operations.ts'
import { batchesOf } from './seeded-batches.ts'

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

test('a flipped bit anywhere in a segment or the manifest is detected when the index opens', () =>
  withIndex((dir, segment) => {
    const random = seeded(5)
    for (const path of [segment, join(dir, 'manifest')]) {
      const { length } = readFileSync(path)
      for (let round = 0; round < 100; round++) {
        const at = random.below(length)
        flip(path, at)
        assert.throws(() => openLocalIndex(dir), CorruptIndexError, `${path} at ${at}`)
        flip(path, at)
      }
    }
  }))

const harms: [string, (segment: string, dir: string) => void][] = [
  ['a missing segment', (segment) => rmSync(segment)],
  ['an empty segment', (segment) => truncateSync(segment, 0)],
  ['a truncated segment', (segment) => truncateSync(segment, 1000)],
  ['a foreign segment', (segment) => writeFileSync(segment, 'x'.repeat(5000))],
  ['an empty manifest', (_, dir) => writeFileSync(join(dir, 'manifest'), '')],
  ['a foreign manifest', (_, dir) => writeFileSync(join(dir, 'manifest'), '{}\n{}')],
]
for (const [name, harm] of harms) {
  test(`${name} is detected`, () =>
    withIndex((dir, segment) => {
      harm(segment, dir)
      assert.throws(() => openLocalIndex(dir), CorruptIndexError)
      removeIndexFiles(dir)
      assert.equal(openLocalIndex(dir).writer.position, 0)
    }))
}

test('a damaged index opens empty at position 0, reports it, and can be rebuilt', () =>
  withIndex(async (dir, segment) => {
    flip(segment, 100)
    const said: string[] = []
    const logger = { debug() {}, info() {}, warn: (_: object, message: string) => said.push(message), error() {} }
    const onFatal = (error: Error) => {
      throw error
    }
    const index = await openEmbeddedIndex({ dir, logger, onFatal })
    const { documents, chunks, position } = await index.stats()
    assert.deepEqual({ documents, chunks, position }, { documents: 0, chunks: 0, position: 0 })
    assert.equal(said.length, 1)
    const plain = openPlainIndex()
    for (const batch of batches) await Promise.all([index.apply(batch), plain.apply(batch)])
    await assertSameIndex(index, plain)
    await index.close()
  }))

async function withVectors(action: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-damage-'))
  const index = openLocalIndex(dir, { vectors: MODEL })
  for (const batch of batches) index.applyNow(batch)
  index.embedNow()
  index.flush()
  await index.close()
  await action(dir)
  rmSync(dir, { recursive: true })
}

/** Asserts that the text is intact, that no vector is wrong, and that lost vectors are listed as missing. */
async function assertRecovers(index: LocalIndex): Promise<void> {
  const plain = openPlainIndex({ vectors: MODEL })
  for (const batch of batches) await plain.apply(batch)
  await assertSameIndex(index, plain)
  await assertOwnVectors(index, batches)
  await Promise.all([embedAll(index), embedAll(plain)])
  await assertSameVectors(index, plain)
}

const HEADER_BYTES = 4096

test('a flipped bit in a row drops that vector and is reported', () =>
  withVectors(async (dir) => {
    const random = seeded(8)
    const path = join(dir, 'vectors.rows')
    const { length } = readFileSync(path)
    for (let round = 0; round < 20; round++) {
      const at = HEADER_BYTES + random.below(length - HEADER_BYTES)
      flip(path, at)
      const index = openLocalIndex(dir, { vectors: MODEL })
      assert.equal((await index.stats()).vectors_missing, 1, `at ${at}`)
      assert.match(index.writer.vectorDropReasons.join(), /^1 of \d+ vectors are damaged$/)
      await assertRecovers(index)
      index.flush()
      await index.close()
    }
  }))

test('a flipped bit in the floats drops that vector when it is read and is reported', () =>
  withVectors(async (dir) => {
    const path = join(dir, 'vectors.floats')
    const { length } = readFileSync(path)
    flip(path, HEADER_BYTES + seeded(9).below(length - HEADER_BYTES))
    const dropped: number[] = []
    const index = openLocalIndex(dir, { vectors: MODEL, dropped: (count) => dropped.push(count) })
    assert.equal((await index.stats()).vectors_missing, 0)
    for (const { upserts } of batches) {
      for (const { document_id, title } of upserts) {
        const access = accessForPerson({ email: null, groups: [] }, [])
        const found = await similarityOf(index, { vector: embed('', title), access }, [document_id])
        // Where floats are damaged, the int8 score that replaces them is close.
        for (const score of found.values()) assert.ok(Math.abs(score) < 1.01)
      }
    }
    await index.nearest({ vector: embed('', 'alpha'), ...everything })
    assert.deepEqual(dropped, [1])
    assert.equal((await index.stats()).vectors_missing, 1)
    await assertRecovers(index)
    await index.close()
  }))

const everything = { access: accessForPerson({ email: null, groups: [] }, []), filters: {}, offset: 0, limit: 1_000 }

const vectorHarms: [string, (rows: string, floats: string) => void, RegExp | null][] = [
  ['missing rows', (rows) => rmSync(rows), /vectors.rows is missing/],
  ['missing floats', (_, floats) => rmSync(floats), /vectors.floats is missing/],
  ['empty rows', (rows) => truncateSync(rows, 0), /vectors.rows is damaged or not a vector file/],
  ['a damaged header', (rows) => flip(rows, 20), /vectors.rows is damaged or not a vector file/],
  [
    'foreign floats',
    (_, floats) => writeFileSync(floats, 'x'.repeat(50_000)),
    /vectors.floats is damaged or not a vector file/,
  ],
  // Rows missing at the end may never have been written, so there is nothing to report.
  ['truncated rows', (rows) => truncateSync(rows, HEADER_BYTES + 485), null],
  ['truncated floats', (_, floats) => truncateSync(floats, HEADER_BYTES + 485), /\d+ vectors have no floats/],
]
for (const [name, harm, told] of vectorHarms) {
  test(`with ${name}, the text is kept and the vectors are listed as missing`, () =>
    withVectors(async (dir) => {
      harm(join(dir, 'vectors.rows'), join(dir, 'vectors.floats'))
      const index = openLocalIndex(dir, { vectors: MODEL })
      assert.ok((await index.stats()).vectors_missing > 0)
      if (told === null) assert.deepEqual(index.writer.vectorDropReasons, [])
      else assert.match(index.writer.vectorDropReasons.join(), told)
      await assertRecovers(index)
      await index.close()
    }))
}

test('an index that lost its text reuses its vectors for the same texts', () =>
  withVectors(async (dir) => {
    const index = openLocalIndex(dir, { vectors: MODEL })
    const before = await index.stats()
    await index.close()
    removeIndexFiles(dir)
    const again = openLocalIndex(dir, { vectors: MODEL })
    for (const batch of batches) again.applyNow(batch)
    assert.deepEqual(await again.stats(), before)
    await assertOwnVectors(again, batches)
    await assertRecovers(again)
    assert.equal(again.writer.vectors!.hasOrphans, true)
    again.writer.vectors!.dropOrphans()
    again.flush()
    await assertRecovers(again)
    again.flush()
    await again.close()
    const third = openLocalIndex(dir, { vectors: MODEL })
    assert.deepEqual(await third.stats(), before)
    await third.close()
  }))

test('dropped vectors are logged by an index with threads too', () =>
  withVectors(async (dir) => {
    flip(join(dir, 'vectors.rows'), HEADER_BYTES)
    const said: object[] = []
    const logger = { debug() {}, info() {}, warn: (facts: object) => said.push(facts), error() {} }
    const onFatal = (error: Error) => {
      throw error
    }
    const index = await openEmbeddedIndex({ dir, logger, onFatal, vectors: MODEL })
    const { vectors } = await index.stats()
    assert.deepEqual(said, [{ reason: `1 of ${vectors + 1} vectors are damaged` }])
    await embedAll(index)
    flip(join(dir, 'vectors.floats'), HEADER_BYTES)
    await index.nearest({ vector: embed('', 'alpha'), ...everything })
    assert.deepEqual(said.slice(1), [{ dropped: 1 }])
    assert.equal((await index.stats()).vectors_missing, 1)
    await index.close()
  }))
