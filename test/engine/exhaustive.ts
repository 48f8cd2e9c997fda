// The engine's answers by the shortest way: look at every entry.
import fc from 'fast-check'
import { idf, type Ranking, saturation } from '../../src/engine/bm25.ts'
import type { Entry, Group } from '../../src/engine/group.ts'
import type { Filter } from '../../src/engine/mask.ts'
import type { TextQuery } from '../../src/engine/search.ts'

export const RANKING: Ranking = { k1: 1.5, b: 0.75 }
export const DIMENSIONS = ['source', 'access'] as const

export function exhaustive(groups: readonly Group[], query: TextQuery) {
  const entries = groups.flatMap((group) => group.entries.map((entry) => ({ group, ...countsOf(entry), entry })))
  const average = entries.reduce((sum, it) => sum + it.length, 0) / entries.length
  const best = new Map<Group, { score: number; entry: Entry }>()
  const weights = query.words.map((spellings) => {
    const found = spellings.map((term) => entries.filter((it) => it.counts.has(term)).length)
    return idf(entries.length, Math.max(0, ...found))
  })
  for (const { group, counts, length, entry } of entries) {
    if (!passes(group, query.filter)) continue
    let score = 0
    for (const [at, spellings] of query.words.entries()) {
      const count = Math.max(...spellings.map((term) => counts.get(term) ?? 0))
      if (count > 0) score += weights[at]! * saturation(RANKING, count, length, average)
    }
    if (score > (best.get(group)?.score ?? 0)) best.set(group, { score, entry })
  }
  const hits = [...best].map(([group, { score, entry }]) => ({ key: group.key, score, stored: entry.stored }))
  hits.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
  return {
    hits: hits.slice(query.offset, query.offset + query.limit),
    total: Math.min(hits.length, query.countLimit),
    isExact: hits.length <= query.countLimit,
  }
}

function countsOf({ fields }: Entry) {
  const counts = new Map<string, number>()
  let length = 0
  for (const { terms, weight } of fields) {
    length += terms.length * weight
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight)
  }
  return { counts, length }
}

function passes({ labels, time }: Group, filter: Filter): boolean {
  const hasAny = filter.labels.every(({ dimension, any }) =>
    any.some((label) => labels[(DIMENSIONS as readonly string[]).indexOf(dimension)]!.includes(label)),
  )
  const { from, until } = filter.time ?? {}
  return hasAny && (from === undefined || (time !== null && time >= from && time <= until!))
}

const TERMS = ['a', 'b', 'c', 'd', 'e', 'é', '中文', '😀', '\uffff', 'abcdef', 'abcdeg']
/** Terms of very different frequency. */
const term = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 3, arbitrary: fc.constantFrom(...TERMS) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }) },
)
const source = fc.constantFrom('web', 'mail', '')
const reader = fc.constantFrom('public', 'u1', 'u2', 'u3')

const entry = fc.record({
  fields: fc.tuple(
    fc.record({ terms: fc.array(term, { maxLength: 3 }), weight: fc.constant(2) }),
    fc.record({ terms: fc.array(term, { maxLength: 12 }), weight: fc.constant(1) }),
  ),
  stored: fc.string({ unit: 'binary' }),
})

export const groupOf = (key: fc.Arbitrary<string>): fc.Arbitrary<Group> =>
  fc.record({
    key,
    language: fc.constantFrom('en', 'de'),
    time: fc.option(fc.integer({ min: 0, max: 20 })),
    labels: fc.tuple(
      source.map((it) => [it]),
      fc.array(reader, { maxLength: 3 }),
    ),
    entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
  })

export const query: fc.Arbitrary<TextQuery> = fc.record({
  words: fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { maxLength: 5 }),
  filter: fc.record(
    {
      labels: fc.subarray([
        { dimension: 'source', any: ['web', ''] },
        { dimension: 'access', any: ['public', 'u2'] },
        { dimension: 'source', any: ['absent'] },
      ]),
      time: fc.record({ from: fc.integer({ min: 0, max: 20 }), until: fc.integer({ min: 0, max: 20 }) }),
    },
    { requiredKeys: ['labels'] },
  ),
  offset: fc.integer({ min: 0, max: 3 }),
  limit: fc.integer({ min: 0, max: 10 }),
  countLimit: fc.constantFrom(0, 3, 1000),
})
