// Batches derived from a seed, so that a process and the test that kills it use the same ones.
import type { IndexBatch, IndexDocument } from '../../src/search-index/search-index.ts'
import { type Random, seeded } from '../random.ts'

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'PROJ-123', 'réunion', 'laufen', 'zebra', 'budget', 'plan']

export function batchesOf(seed: number, count: number): IndexBatch[] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, at) => ({
    upserts: Array.from({ length: random.below(6) }, () => documentOf(random)),
    deletes: Array.from({ length: random.below(3) }, () => `d${random.below(40)}`),
    position: at + 1,
  }))
}

function documentOf(random: Random): IndexDocument {
  const text = (words: number) => Array.from({ length: words }, () => WORDS[random.below(WORDS.length)]).join(' ')
  return {
    document_id: `d${random.below(40)}`,
    title: text(3),
    source_type: 'web',
    updated_at: null,
    tags: [],
    authors: [],
    cc_pair_ids: [1],
    access: ['public'],
    chunks: Array.from({ length: random.below(4) }, (_, chunk_ind) => ({ chunk_ind, content: text(20), link: null })),
  }
}
