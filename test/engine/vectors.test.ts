import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildWasm, wasmPath } from '../../docs/generate-wasm.ts'
import { createDots } from '../../src/engine/dots.ts'
import type { Group } from '../../src/engine/group.ts'
import { IndexView, type ViewChange } from '../../src/engine/index-view.ts'
import { finished, IndexWriter } from '../../src/engine/index-writer.ts'
import { openVectorFile } from '../../src/engine/vector-file.ts'
import { VectorRows } from '../../src/engine/vector-rows.ts'
import { dot, VectorSearch } from '../../src/engine/vector-search.ts'
import { type Random, seeded } from '../random.ts'

const DIMENSION = 40

function unitVector(random: Random, dimension = DIMENSION): Float32Array {
  const values = Float32Array.from({ length: dimension }, () => random() + random() + random() - 1.5)
  const length = Math.sqrt(dot(values, values))
  return values.map((it) => it / length)
}

/** Half of the vectors lie near one of a few centres, as those of texts do. */
function clustered(random: Random, centres: readonly Float32Array[]): Float32Array {
  const centre = centres[random.below(centres.length)]!
  const other = unitVector(random)
  const values = centre.map((it, at) => it + other[at]! * 0.6)
  const length = Math.sqrt(dot(values, values))
  return values.map((it) => it / length)
}

const groupOf = (number: number, random: Random): Group => ({
  key: `k${number}`,
  language: 'en',
  time: null,
  labels: [[`s${random.below(3)}`]],
  entries: Array.from({ length: 1 + random.below(5) }, (_, part) => ({
    fields: [{ terms: ['word'], weight: 1 }],
    stored: `${number}/${part}`,
  })),
})

function openAll(dir: string) {
  const policy = { fanIn: 3, floor: 16, maxEntries: 10_000 }
  const options = { dir, b: 0.75, dimensions: ['source'], memoryEntries: 1_000, policy, failpoint() {} }
  const writer = new IndexWriter(options)
  const view = new IndexView()
  const rows = new VectorRows(DIMENSION)
  const file = openVectorFile(join(dir, 'vectors'), DIMENSION, 'new')
  const search = new VectorSearch({ image: rows.image, file, scanner: 0 })
  const take = (change: ViewChange) => {
    view.apply(change)
    for (const slot of writer.takeLeftSlots()) rows.free(slot)
  }
  const addRow = (vector: Float32Array) => {
    const slot = rows.add(vector)
    file.write(slot, vector)
    return slot
  }
  return { writer, view, search, take, addRow }
}

test('recall is at least .99 and common scores are equal, with filters, deletes, replacements and merges', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const random = seeded(3)
  const { writer, view, search, take, addRow } = openAll(dir)
  const centres = Array.from({ length: 12 }, () => unitVector(random))
  const live = new Map<string, { group: Group; vectors: Float32Array[] }>()
  const groups = Array.from({ length: 1_500 }, (_, number) => groupOf(number, random))
  for (let from = 0, position = 1; from < groups.length; from += 100, position++) {
    const batch = groups.slice(from, from + 100)
    const again = batch.slice(0, 5).map((it) => groupOf(Number(it.key.slice(1)) % 50, random))
    const gone = batch.slice(50, 55).map((it) => `k${Math.max(0, Number(it.key.slice(1)) - 70)}`)
    take(writer.apply({ groups: [...again, ...batch], deletes: gone, position }))
    for (const key of gone) live.delete(key)
    for (const group of [...again, ...batch]) {
      const vectors = group.entries.map(() => clustered(random, centres))
      live.set(group.key, { group, vectors })
      take(
        writer.setVectors(
          vectors.map((vector, part) => ({ key: group.key, part, vector })),
          addRow,
        ),
      )
    }
    if (position % 3 === 0) take(finished(writer.flush()).change)
    const merged = finished(writer.merge())
    if (merged !== undefined) take(merged)
  }
  let common = 0
  let wanted = 0
  for (let round = 0; round < 60; round++) {
    const vector = clustered(random, centres)
    const labels = round % 2 === 0 ? [] : [{ dimension: 'source', any: ['s1'] }]
    const hits = search.search(view.segments, { vector, filter: { labels }, offset: 0, limit: 10 })
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

function nearest(live: Iterable<{ group: Group; vectors: Float32Array[] }>, vector: Float32Array, source?: string) {
  const found: { key: string; score: number; stored: string }[] = []
  for (const { group, vectors } of live) {
    if (source !== undefined && group.labels[0]![0] !== source) continue
    const scores = vectors.map((it) => dot(vector, it))
    const best = scores.indexOf(Math.max(...scores))
    found.push({ key: group.key, score: scores[best]!, stored: group.entries[best]!.stored })
  }
  return found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
}

test('a vector for an entry that is gone is passed over', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-vectors-'))
  const { writer, view, search, take, addRow } = openAll(dir)
  const vector = unitVector(seeded(1))
  take(writer.setVectors([{ key: 'none', part: 0, vector }], addRow))
  assert.deepEqual(search.search(view.segments, { vector, filter: { labels: [] }, offset: 0, limit: 5 }), [])
  rmSync(dir, { recursive: true })
})

test('the plain loop and the SIMD loop give the same products', () => {
  const random = seeded(9)
  const rows = new VectorRows(DIMENSION)
  for (let slot = 0; slot < 300; slot++) rows.add(unitVector(random))
  const query = unitVector(random)
  const [simd, plain] = [true, false].map((mayUseSimd) => {
    const dots = createDots(rows.image, 1, mayUseSimd)
    dots.setQuery(query)
    for (let at = 0; at < 300; at++) dots.slots[at] = 299 - at
    dots.run(300)
    return [...dots.out.subarray(0, 300)]
  })
  assert.deepEqual(simd, plain)
})

test('the committed WASM is what its source gives', async () => {
  assert.deepEqual(new Uint8Array(readFileSync(wasmPath)), await buildWasm())
})
