// Vectors for the chunks of an index that is on disk, scanned with filters.
import { join } from 'node:path'
import { IndexView } from '../../src/engine/index-view.ts'
import { IndexWriter } from '../../src/engine/index-writer.ts'
import { keyOf } from '../../src/engine/segment.ts'
import { openVectorFile } from '../../src/engine/vector-file.ts'
import { VectorRows } from '../../src/engine/vector-rows.ts'
import { dot, VectorSearch } from '../../src/engine/vector-search.ts'
import { B } from '../../src/search-index/bm25.ts'
import { DIMENSIONS, textQueryOf } from '../../src/search-index/embedded-group.ts'
import { type Random, seeded } from '../../test/random.ts'
import type { Corpus } from './corpus.ts'
import { percentiles, type Row, timedNow } from './measure.ts'

const CENTRES = 400
const LATENT = 16
const QUERIES = 100
const RECALL_QUERIES = 5
const LIMIT = 10

export function measureVectors(dir: string, corpus: Corpus, dimension: number): Row[] {
  const policy = { fanIn: 5, floor: 1, maxEntries: 1 }
  const writer = new IndexWriter({ dir, b: B, dimensions: DIMENSIONS, memoryEntries: 1, policy, failpoint() {} })
  const view = new IndexView()
  view.apply(writer.opening)
  const rows = new VectorRows(dimension)
  const file = openVectorFile(join(dir, 'vectors'), dimension, 'new')
  const make = vectorsOf(dimension)
  const random = seeded(2)
  const addRow = (vector: Float32Array) => {
    const slot = rows.add(vector)
    file.write(slot, vector)
    return slot
  }
  const fillMs = timedNow(() => {
    for (const live of view.segments) {
      const { segment } = live
      for (let group = 0; group < segment.meta.groups; group++) {
        if (live.isDeleted(group)) continue
        const key = keyOf(segment, group)
        const parts = segment.groupStarts[group + 1]! - segment.groupStarts[group]!
        view.apply(
          writer.setVectors(
            Array.from({ length: parts }, (_, part) => ({ key, part, vector: make(random) })),
            addRow,
          ),
        )
      }
    }
  })
  const search = new VectorSearch({ image: rows.image, file, scanner: 0 })
  const queries = corpus.queries(QUERIES, 'filtered').map((query) => ({
    vector: make(random),
    filter: textQueryOf(query, ['en']).filter,
    offset: 0,
    limit: LIMIT,
  }))
  const unfiltered = queries.map((it) => ({ ...it, filter: { labels: [] } }))
  const entries = view.segments.reduce((sum, it) => sum + it.liveEntries, 0)
  const timesOf = (asked: typeof queries) => asked.map((it) => timedNow(() => search.search(view.segments, it)))
  timesOf(queries.slice(0, 20))
  const result: Row[] = [
    [`vector ${dimension}, filtered`, percentiles(timesOf(queries))],
    [`vector ${dimension}, unfiltered`, percentiles(timesOf(unfiltered))],
    [`vector ${dimension}, unfiltered, recall@${LIMIT}`, recall(view, search, file, unfiltered).toFixed(3)],
    ['vectors taken', `${Math.round((entries / fillMs) * 1000)} a second`],
  ]
  file.close()
  view.close()
  writer.close()
  return result
}

function recall(
  view: IndexView,
  search: VectorSearch,
  file: { read(slot: number): Float32Array },
  queries: Parameters<VectorSearch['search']>[1][],
): number {
  let common = 0
  for (const query of queries.slice(0, RECALL_QUERIES)) {
    const best = new Map<string, number>()
    for (const live of view.segments) {
      for (let group = 0; group < live.segment.meta.groups; group++) {
        if (live.isDeleted(group)) continue
        const { groupStarts } = live.segment
        for (let entry = groupStarts[group]!; entry < groupStarts[group + 1]!; entry++) {
          const score = dot(query.vector, file.read(live.slots![entry]!))
          const key = keyOf(live.segment, group)
          if (score > (best.get(key) ?? -Infinity)) best.set(key, score)
        }
      }
    }
    const wanted = [...best]
      .sort((a, b) => b[1] - a[1])
      .slice(0, LIMIT)
      .map(([key]) => key)
    common += search.search(view.segments, query).filter((it) => wanted.includes(it.key)).length
  }
  return common / (RECALL_QUERIES * LIMIT)
}

/** A topic's centre, a few directions in which texts of a topic differ, and noise; of length 1. */
function vectorsOf(dimension: number): (random: Random) => Float32Array {
  const source = seeded(4)
  const gaussian = (random: Random) => random() + random() + random() + random() - 2
  const vector = () => Float32Array.from({ length: dimension }, () => gaussian(source))
  const centres = Array.from({ length: CENTRES }, vector)
  const directions = Array.from({ length: LATENT }, vector)
  return (random) => {
    const values = centres[random.below(CENTRES)]!.map((it) => it + 0.2 * gaussian(random))
    for (const direction of directions) {
      const weight = 0.5 * gaussian(random)
      for (let at = 0; at < dimension; at++) values[at]! += weight * direction[at]!
    }
    const length = Math.sqrt(dot(values, values))
    return values.map((it) => it / length)
  }
}
