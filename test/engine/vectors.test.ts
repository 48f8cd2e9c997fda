import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildWasm, wasmPath } from '../../docs/generate-wasm.ts'
import { NO_CONDITIONS } from '../../src/engine/query/conditions.ts'
import { IndexView, type ViewChange } from '../../src/engine/segment/index-view.ts'
import type { PassageGroup } from '../../src/engine/segment/passage-group.ts'
import { createDotProducts } from '../../src/engine/vectors/dot-products.ts'
import { openRowFile } from '../../src/engine/vectors/row-file.ts'
import { createFloatReader, floatRowBytes, floatsPath } from '../../src/engine/vectors/vector-files.ts'
import { createVectorImage, VectorRows } from '../../src/engine/vectors/vector-rows.ts'
import { dot, VectorSearch } from '../../src/engine/vectors/vector-search.ts'
import { IndexWriter, runToEnd } from '../../src/engine/write/index-writer.ts'
import { type Random, seeded } from '../random.ts'

const DIMENSION = 40

function unitVector(random: Random, dimension = DIMENSION): Float32Array {
  const values = Float32Array.from({ length: dimension }, () => random() + random() + random() - 1.5)
  const length = Math.sqrt(dot(values, values))
  return values.map((it) => it / length)
}

/** Half of the vectors lie near one of a few centres, as vectors of texts do. */
function clustered(random: Random, centres: readonly Float32Array[]): Float32Array {
  const centre = centres[random.below(centres.length)]!
  const other = unitVector(random)
  const values = centre.map((it, at) => it + other[at]! * 0.6)
  const length = Math.sqrt(dot(values, values))
  return values.map((it) => it / length)
}

const groupOf = (number: number, random: Random): PassageGroup => ({
  key: `k${number}`,
  language: 'en',
  time: null,
  labels: [[`s${random.below(3)}`]],
  passages: Array.from({ length: 1 + random.below(5) }, (_, part) => ({
    fields: [{ terms: ['word'], weight: 1 }],
    stored: `${number}/${part}`,
    contentHash: random
      .below(2 ** 32)
      .toString(16)
      .padStart(16, '1'),
  })),
})

const entryVectors = ({ key, passages }: PassageGroup, vectors: readonly Float32Array[]) =>
  vectors.map((vector, part) => ({ key, part, vector, contentHash: passages[part]!.contentHash! }))

function openAll(dir: string, maxPages = 1_000) {
  const policy = { fanIn: 3, floor: 16, maxPassages: 10_000 }
  const image = createVectorImage(DIMENSION, maxPages)
  const vectors = { model: 'test', image }
  const options = { dir, b: 0.75, dimensions: ['source'], memoryPassages: 1_000, policy, vectors, failpoint() {} }
  const writer = new IndexWriter(options)
  const view = new IndexView()
  view.apply(writer.takeInitialChange())
  const file = openRowFile(floatsPath(dir), 'r', floatRowBytes(DIMENSION))
  const search = new VectorSearch({ image, floats: createFloatReader(file, DIMENSION), scanner: 0 })
  const flush = () => {
    const { change, retiredSlots, error } = runToEnd(writer.flush())
    view.apply(change)
    assert.equal(error, undefined)
    writer.vectors!.free(retiredSlots)
  }
  const close = () => {
    view.close()
    file.close()
    writer.close()
  }
  return { writer, view, search, image, take: (change: ViewChange) => view.apply(change), flush, close }
}

test('recall is at least .99 and scores are exact, with filters, deletes, replacements and merges', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const random = seeded(3)
  const { writer, view, search, take, flush } = openAll(dir)
  const centres = Array.from({ length: 12 }, () => unitVector(random))
  const live = new Map<string, { group: PassageGroup; vectors: Float32Array[] }>()
  const groups = Array.from({ length: 1_500 }, (_, number) => groupOf(number, random))
  for (let from = 0, position = 1; from < groups.length; from += 100, position++) {
    const batch = groups.slice(from, from + 100)
    const again = batch.slice(0, 5).map((it) => groupOf(Number(it.key.slice(1)) % 50, random))
    const gone = batch.slice(50, 55).map((it) => `k${Math.max(0, Number(it.key.slice(1)) - 70)}`)
    take(writer.apply({ groups: [...again, ...batch], deletes: gone, position }))
    for (const key of gone) live.delete(key)
    for (const group of [...again, ...batch]) {
      const vectors = group.passages.map(() => clustered(random, centres))
      live.set(group.key, { group, vectors })
      take(writer.setVectors(entryVectors(group, vectors)))
    }
    if (position % 3 === 0) flush()
    const merged = runToEnd(writer.merge())
    if (merged !== undefined) take(merged)
  }
  let common = 0
  let wanted = 0
  for (let round = 0; round < 60; round++) {
    const vector = clustered(random, centres)
    const labels = round % 2 === 0 ? [] : [{ dimension: 'source', any: ['s1'] }]
    const hits = search.search(view.segments, {
      vector,
      filter: { labels },
      conditions: NO_CONDITIONS,
      offset: 0,
      limit: 10,
      texts: 10,
    })
    const expected = nearest(live.values(), vector, round % 2 === 0 ? undefined : 's1').slice(0, 10)
    wanted += expected.length
    for (const { key, score, stored } of hits) {
      const same = expected.find((it) => it.key === key)
      if (same === undefined) continue
      common++
      assert.deepEqual({ score, stored }, { score: same.score, stored: same.stored })
    }
  }
  assert.ok(common / wanted >= 0.99, `recall ${common / wanted}`)
  rmSync(dir, { recursive: true })
})

function nearest(
  live: Iterable<{ group: PassageGroup; vectors: Float32Array[] }>,
  vector: Float32Array,
  source?: string,
) {
  const found: { key: string; score: number; stored: string }[] = []
  for (const { group, vectors } of live) {
    if (source !== undefined && group.labels[0]![0] !== source) continue
    const scores = vectors.map((it) => dot(vector, it))
    const best = scores.indexOf(Math.max(...scores))
    found.push({ key: group.key, score: scores[best]!, stored: group.passages[best]!.stored })
  }
  return found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
}

test('a vector for a passage that does not exist is skipped', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const { writer, view, search, take } = openAll(dir)
  const vector = unitVector(seeded(1))
  take(writer.setVectors([{ key: 'none', part: 0, vector, contentHash: '0'.repeat(16) }]))
  assert.deepEqual(
    search.search(view.segments, {
      vector,
      filter: { labels: [] },
      conditions: NO_CONDITIONS,
      offset: 0,
      limit: 5,
      texts: 5,
    }),
    [],
  )
  rmSync(dir, { recursive: true })
})

test('rows are reused under constant replacement, in memory and on disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const random = seeded(4)
  const { writer, image, take, flush, close } = openAll(dir)
  const sizes: number[] = []
  for (let round = 1; round <= 60; round++) {
    const groups = Array.from({ length: 200 }, (_, number) => groupOf(number, random))
    take(writer.apply({ groups, deletes: [], position: round }))
    for (const it of groups)
      take(
        writer.setVectors(
          entryVectors(
            it,
            it.passages.map(() => unitVector(random)),
          ),
        ),
      )
    flush()
    sizes.push(statSync(floatsPath(dir)).size)
  }
  // Each round frees at most 1,000 rows; replaced rows are reusable two flushes later.
  assert.ok(Math.max(...sizes) < 4096 + 3_500 * floatRowBytes(DIMENSION), `${Math.max(...sizes)} bytes`)
  assert.ok(image.memory.buffer.byteLength <= 5 << 20)
  close()
  rmSync(dir, { recursive: true })
})

test('nothing of a deleted vector stays on disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const random = seeded(6)
  const { writer, take, flush, close } = openAll(dir)
  const groups = Array.from({ length: 50 }, (_, number) => groupOf(number, random))
  take(writer.apply({ groups, deletes: [], position: 1 }))
  for (const it of groups)
    take(
      writer.setVectors(
        entryVectors(
          it,
          it.passages.map(() => unitVector(random)),
        ),
      ),
    )
  flush()
  take(writer.apply({ groups: [], deletes: groups.map((it) => it.key), position: 2 }))
  flush()
  flush()
  for (const file of ['vectors.rows', 'vectors.floats']) {
    const bytes = readFileSync(join(dir, file)).subarray(4096)
    assert.ok(bytes.length > 0)
    assert.ok(
      bytes.every((it) => it === 0),
      file,
    )
  }
  close()
  rmSync(dir, { recursive: true })
})

test('when the vectors do not fit, none of the call is stored, and freed rows are reused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const random = seeded(7)
  // One page of rows: 1,024 rows of 64 bytes.
  const { writer, view, image, take, flush, close } = openAll(dir, 17)
  assert.equal(image.capacity, 1_024)
  const group = (key: string, count: number): PassageGroup => ({
    ...groupOf(0, random),
    key,
    passages: Array.from({ length: count }, (_, part) => ({
      fields: [],
      stored: '',
      contentHash: `${key}${part.toString(16).padStart(15, '0')}`,
    })),
  })
  const vectors = (it: PassageGroup) =>
    entryVectors(
      it,
      it.passages.map(() => unitVector(random)),
    )
  const [a, b] = [group('a', 1_000), group('b', 30)]
  take(writer.apply({ groups: [a, b], deletes: [], position: 1 }))
  take(writer.setVectors(vectors(a)))
  assert.throws(() => writer.setVectors(vectors(b)), /holds at most 1024 vectors of dimension 40/)
  assert.equal(
    view.segments.reduce((sum, it) => sum + it.vectors, 0),
    1_000,
  )
  take(writer.apply({ groups: [], deletes: ['a'], position: 2 }))
  flush()
  flush()
  take(writer.setVectors(vectors(b)))
  assert.equal(
    view.segments.reduce((sum, it) => sum + it.vectors, 0),
    30,
  )
  close()
  rmSync(dir, { recursive: true })
})

test('the best 60 have exact scores, the others nearly, and a group has one place on all pages', () => {
  const random = seeded(15)
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const { writer, search, view, take, close } = openAll(dir)
  const groups = Array.from({ length: 300 }, (_, at) => groupOf(at, random))
  take(writer.apply({ groups, deletes: [], position: 1 }))
  const vectors = new Map(groups.map((it) => [it.key, it.passages.map(() => unitVector(random))]))
  take(writer.setVectors(groups.flatMap((it) => entryVectors(it, vectors.get(it.key) ?? []))))
  const vector = unitVector(random)
  const page = (offset: number, limit: number) =>
    search.search(view.segments, {
      ...{ vector, filter: { labels: [] }, conditions: NO_CONDITIONS },
      ...{ offset, limit, texts: 0 },
    })
  const whole = page(0, 200)
  assert.equal(whole.length, 200)
  for (const [rank, { key, score }] of whole.entries()) {
    const exact = Math.max(...(vectors.get(key) ?? []).map((it) => dot(it, vector)))
    assert.ok(Math.abs(score - exact) <= (rank < 60 ? 0 : 0.01), `rank ${rank}: ${score} instead of ${exact}`)
  }
  const pages = Array.from({ length: 20 }, (_, at) => page(at * 10, 10))
  assert.deepEqual(pages.flat(), whole)
  close()
  rmSync(dir, { recursive: true })
})

test('the plain loop and the SIMD loop compute the same products', () => {
  const random = seeded(9)
  const image = createVectorImage(DIMENSION, 1_000)
  const rows = new VectorRows(image)
  for (let slot = 0; slot < 300; slot++) rows.write(slot, unitVector(random), 0, slot)
  const query = unitVector(random)
  const [simd, plain] = [true, false].map((mayUseSimd) => {
    const dots = createDotProducts(image, 1, mayUseSimd)
    dots.setQuery(query)
    for (let at = 0; at < 300; at++) dots.slots[at] = 299 - at
    dots.run(300)
    return [...dots.out.subarray(0, 300)]
  })
  assert.deepEqual(simd, plain)
})

test('the committed WASM equals the build of its source', async () => {
  assert.deepEqual(new Uint8Array(readFileSync(wasmPath)), await buildWasm())
})
