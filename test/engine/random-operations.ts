// Random sequences of operations for two implementations that must give the same results.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { accessForPerson } from '../../src/domain/access.ts'
import type { Query } from '../../src/domain/search/query.ts'
import type { IndexBatch, IndexDocument, SearchIndex, SearchResult } from '../../src/search-index/search-index.ts'
import { dot, embed } from '../contract/embedding.ts'
import { documentsAfter } from '../contract/exhaustive-index.ts'

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'the', 'PROJ-123', 'réunion', 'laufen', 'läuft', '中文', 'zebra']
const GERMAN = 'Der Hund läuft schnell und die Katze schläft auf dem Sofa'
const word = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('alpha', 'beta') }, fc.constantFrom(...WORDS))
const text = fc.oneof(
  { weight: 8, arbitrary: fc.array(word, { maxLength: 12 }).map((it) => it.join(' ')) },
  { weight: 1, arbitrary: fc.constant(GERMAN) },
)
const id = fc.constantFrom(...Array.from({ length: 14 }, (_, at) => `d${at}`), 'D', '\ud83d\ude00', '\uffee')
const tag = fc.record({ tag_key: fc.constantFrom('a', 'b'), tag_value: fc.constantFrom('x', 'y') })

const document: fc.Arbitrary<IndexDocument> = fc.record({
  document_id: id,
  title: text,
  source_type: fc.constantFrom('web', 'file', 'jira'),
  updated_at: fc.option(fc.integer({ min: 0, max: 20 })),
  tags: fc.array(tag, { maxLength: 2 }),
  authors: fc.constant([]),
  cc_pair_ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  access: fc.subarray(['public', 'user:a@b.c', 'group:g', 'pair:1']),
  chunks: fc
    .array(text, { maxLength: 4 })
    .map((all) =>
      all.map((content, chunk_ind) => ({ chunk_ind, content, link: chunk_ind === 0 ? null : `#${chunk_ind}` })),
    ),
})

const batch = fc.record({ upserts: fc.array(document, { maxLength: 6 }), deletes: fc.array(id, { maxLength: 3 }) })

const query: fc.Arbitrary<Query> = fc.record({
  text,
  access: fc
    .record({ email: fc.option(fc.constant('a@b.c')), groups: fc.subarray(['g', 'h']) })
    .map((person) => accessForPerson(person, [1])),
  filters: fc.record(
    {
      source_types: fc.subarray(['web', 'file']),
      cc_pair_ids: fc.subarray([1, 2]),
      tags: fc.array(tag, { maxLength: 2 }),
      updated_from: fc.integer({ min: 0, max: 20 }),
      updated_until: fc.integer({ min: 0, max: 20 }),
    },
    { requiredKeys: [] },
  ),
  offset: fc.integer({ min: 0, max: 3 }),
  limit: fc.integer({ min: 0, max: 20 }),
})

export type Step = { batch: Omit<IndexBatch, 'position'> } | { query: Query } | { flush: true } | { restart: true }

export const sequence: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: batch.map((it) => ({ batch: it })) },
    { weight: 5, arbitrary: query.map((it) => ({ query: it })) },
    { weight: 1, arbitrary: fc.constant({ flush: true } as const) },
    { weight: 1, arbitrary: fc.constant({ restart: true } as const) },
  ),
  { minLength: 3, maxLength: 25 },
)

/** The same hits in the same order, with scores that differ by less than a millionth. */
export function assertAlike(found: SearchResult, expected: SearchResult): void {
  const bare = ({ hits, ...rest }: SearchResult) => ({
    ...rest,
    hits: hits.map(({ document_id, chunk }) => ({ document_id, chunk })),
  })
  assert.deepEqual(bare(found), bare(expected))
  for (const [at, { score }] of found.hits.entries()) assert.ok(Math.abs(score - expected.hits[at]!.score) < 1e-6)
}

const basis = { access: accessForPerson({ email: 'a@b.c', groups: ['g'] }, [1]), filters: {}, offset: 0, limit: 50 }

/** Compares the text of two indexes; one of them may lack vectors. */
export async function assertSameIndex(one: SearchIndex, other: SearchIndex): Promise<void> {
  assert.deepEqual(await textCounts(one), await textCounts(other))
  for (const text of WORDS) assertAlike(await one.search({ ...basis, text }), await other.search({ ...basis, text }))
}

async function textCounts(index: SearchIndex) {
  const { documents, chunks, languages, position } = await index.stats()
  return { documents, chunks, languages, position }
}

/** Compares the vectors of two indexes, neither of which lacks any. */
export async function assertSameVectors(one: SearchIndex, other: SearchIndex): Promise<void> {
  const [stats, expected] = [await one.stats(), await other.stats()]
  assert.deepEqual([stats.vectors, stats.vectors_missing], [expected.vectors, 0])
  assert.deepEqual(await textCounts(one), await textCounts(other))
  for (const text of WORDS) {
    const asked = { ...basis, vector: embed('', text) }
    assert.deepEqual(await one.nearest(asked), await other.nearest(asked))
  }
}

/** Each vector that the index has must be that of its chunk's text. */
export async function assertOwnVectors(index: SearchIndex, batches: readonly IndexBatch[]): Promise<void> {
  const titles = new Map(documentsAfter(batches).map((it) => [it.document_id, it.title]))
  for (const text of WORDS) {
    const vector = embed('', text)
    for (const { document_id, score, chunk } of (await index.nearest({ ...basis, vector })).hits) {
      assert.equal(score, dot(vector, embed(titles.get(document_id)!, chunk.content)))
    }
  }
}
