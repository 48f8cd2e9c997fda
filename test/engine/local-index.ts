// The embedded index without its threads, so that thousands of lives fit into a test, and a crash is an exception.
import { IndexView, type ViewChange } from '../../src/engine/index-view.ts'
import { IndexWriter } from '../../src/engine/index-writer.ts'
import { countGroups } from '../../src/engine/mask.ts'
import { statisticsOf, TextSearch } from '../../src/engine/search.ts'
import { B, K1 } from '../../src/search-index/bm25.ts'
import { BARE, DIMENSIONS, groupOf, searchResultOf, textQueryOf } from '../../src/search-index/embedded-group.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'

export class Crash extends Error {}

export interface LocalIndex extends SearchIndex {
  writer: IndexWriter
  flush(betweenSteps?: () => void): void
  merge(betweenSteps?: () => void): void
  applyNow(batch: Parameters<SearchIndex['apply']>[0]): void
}

export function openLocalIndex(dir: string, failpoint: (name: string) => void = () => {}): LocalIndex {
  const policy = { fanIn: 3, floor: 4, maxEntries: 200 }
  const writer = new IndexWriter({ dir, b: B, dimensions: DIMENSIONS, memoryEntries: 24, policy, failpoint })
  const view = new IndexView()
  const search = new TextSearch({ k1: K1, b: B })
  view.apply(writer.opening)
  const take = (change: ViewChange | undefined) => {
    if (change !== undefined) view.apply(change)
  }
  const applyNow: LocalIndex['applyNow'] = ({ upserts, deletes, position }) =>
    take(writer.apply({ groups: upserts.map(groupOf), deletes, position }))
  return {
    writer,
    applyNow,
    apply: async (batch) => applyNow(batch),
    search: async (query) => searchResultOf(search.search(view.segments, textQueryOf(query, view.languages())), query),
    stats: async () => ({
      documents: view.groups(),
      chunks: statisticsOf(view.segments).entries - countGroups(view.segments, 'shape', BARE),
      position: writer.position,
    }),
    flush(betweenSteps) {
      const { change, fault } = run(writer.flush(), betweenSteps)
      take(change)
      if (fault !== undefined) throw fault
      writer.removeObsolete()
    },
    merge(betweenSteps) {
      take(run(writer.merge(), betweenSteps))
    },
    close: async () => {
      view.close()
      writer.close()
    },
  }
}

function run<T>(steps: Generator<void, T>, betweenSteps = () => {}): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    betweenSteps()
  }
}

/** Flushes after every second batch and merges when it can, so that a short life sees all of it. */
export async function openBusyIndex(dir: string): Promise<SearchIndex> {
  const index = openLocalIndex(dir)
  return {
    ...index,
    async apply(batch) {
      index.applyNow(batch)
      if (batch.position % 2 === 0) index.flush()
      if (batch.position % 3 === 0) index.merge()
    },
    async close() {
      index.flush()
      await index.close()
    },
  }
}
