// The reference implementation of the engine: it looks at every passage.
import fc from 'fast-check'
import { type Bm25Parameters, idf, saturation } from '../../src/engine/query/bm25.ts'
import type { Condition, Conditions } from '../../src/engine/query/conditions.ts'
import type { TimeRange } from '../../src/engine/query/facets.ts'
import type { Filter } from '../../src/engine/query/filter-mask.ts'
import type { FacetCounts, FacetRequest, TextQuery } from '../../src/engine/query/text-search.ts'
import type { EnginePassage, PassageGroup } from '../../src/engine/segment/passage-group.ts'

export const RANKING: Bm25Parameters = { k1: 1.5, b: 0.75 }
export const DIMENSIONS = ['source', 'access'] as const

export function searchExhaustively(groups: readonly PassageGroup[], query: TextQuery) {
  const passages = groups.flatMap((group) =>
    group.passages.map((passage) => ({ group, ...countsOf(passage), passage })),
  )
  const average = passages.reduce((sum, it) => sum + it.length, 0) / passages.length
  const best = new Map<PassageGroup, { score: number; passage: EnginePassage }>()
  const weights = query.words.map((spellings) => {
    const found = spellings.map((term) => passages.filter((it) => it.counts.has(term)).length)
    return idf(passages.length, Math.max(0, ...found))
  })
  for (const { group, counts, length, passage } of passages) {
    if (!passes(group, query.filter) || !meets(group, query.conditions)) continue
    let score = 0
    for (const [at, spellings] of query.words.entries()) {
      const count = Math.max(...spellings.map((term) => counts.get(term) ?? 0))
      if (count > 0) score += weights[at]! * saturation(RANKING, count, length, average)
    }
    const isFound = query.words.length === 0 ? !best.has(group) : score > (best.get(group)?.score ?? 0)
    if (isFound) best.set(group, { score, passage })
  }
  const isByTime = query.words.length === 0 || query.sort === 'time'
  const value = (it: { score: number; time: number | null }) => (isByTime ? (it.time ?? -1) : it.score)
  const hits = [...best].map(([{ key, time, language, passages }, { score, passage }]) => ({
    ...{ key, score, time, language, part: passages.indexOf(passage) },
    stored: passage.stored as string | null,
  }))
  hits.sort((a, b) => value(b) - value(a) || (a.key < b.key ? -1 : 1))
  const { after, countLimit } = query
  const isBehind = (it: (typeof hits)[number]) =>
    after === undefined || value(it) < value(after) || (value(it) === value(after) && it.key > after.key)
  const limit = isByTime || query.facets.length > 0 ? Infinity : countLimit
  return {
    hits: hits
      .filter(isBehind)
      .slice(query.offset, query.offset + query.limit)
      .map((it, at) => (at < query.texts ? it : { ...it, stored: null })),
    total: Math.min(hits.length, limit),
    isExact: hits.length <= limit,
    facets: query.facets.map((it) => facetOf(groups, query, it)),
  }
}

function facetOf(groups: readonly PassageGroup[], query: TextQuery, facet: FacetRequest): FacetCounts {
  const { filter } = facet
  const { hits } = searchExhaustively(groups, { ...withoutPage(query), filter, facets: [], offset: 0, limit: Infinity })
  const found = groups.filter((group) => hits.some((it) => it.key === group.key))
  if ('spans' in facet) {
    const isIn = (time: number | null, { from, until }: TimeRange) => time !== null && time >= from && time <= until
    return {
      labels: [],
      spans: facet.spans.map((span) => found.filter((it) => isIn(it.time, span)).length),
      isExact: true,
    }
  }
  const own = found.map((it) => new Set(it.labels[(DIMENSIONS as readonly string[]).indexOf(facet.dimension)]))
  const labels = [...new Set(own.flatMap((it) => [...it]))]
    .map((label) => ({ label, count: own.filter((it) => it.has(label)).length }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
  return { labels: labels.slice(0, facet.size), spans: [], isExact: true }
}

function withoutPage({ after, ...query }: TextQuery): TextQuery {
  return query
}

function countsOf({ fields }: EnginePassage) {
  const counts = new Map<string, number>()
  let length = 0
  for (const { terms, weight } of fields) {
    length += terms.length * weight
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight)
  }
  return { counts, length }
}

function passes({ labels, time }: PassageGroup, filter: Filter): boolean {
  const hasAny = filter.labels.every(({ dimension, any }) =>
    any.some((label) => labels[(DIMENSIONS as readonly string[]).indexOf(dimension)]!.includes(label)),
  )
  const { from, until } = filter.time ?? {}
  return hasAny && (from === undefined || (time !== null && time >= from && time <= until!))
}

/** Single words only; the contract suite of the port tests phrases. */
function meets(group: PassageGroup, { required, excluded }: Conditions): boolean {
  const termsOf = (it: EnginePassage): readonly string[] => [...countsOf(it).counts.keys(), ...(it.unscored ?? [])]
  const holds = ({ passage, head }: Condition) =>
    [passage, head].some((phrase) =>
      phrase?.words[0]?.terms.some((term) => group.passages.some((it) => termsOf(it).includes(term))),
    )
  return required.every(holds) && !excluded.some(holds)
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

const passage = fc.record({
  fields: fc.tuple(
    fc.record({ terms: fc.array(term, { maxLength: 3 }), weight: fc.constant(2) }),
    fc.record({ terms: fc.array(term, { maxLength: 12 }), weight: fc.constant(1) }),
  ),
  unscored: fc.array(fc.constantFrom('#a', '#b'), { maxLength: 2 }),
  stored: fc.string({ unit: 'binary' }),
})

export const groupOf = (key: fc.Arbitrary<string>): fc.Arbitrary<PassageGroup> =>
  fc.record({
    key,
    language: fc.constantFrom('en', 'de'),
    time: fc.option(fc.integer({ min: 0, max: 20 })),
    labels: fc.tuple(
      source.map((it) => [it]),
      fc.array(reader, { maxLength: 3 }),
    ),
    passages: fc.array(passage, { minLength: 1, maxLength: 4 }),
  })

const unasked = () => {
  throw new Error('a single word must not read texts')
}
const isHeld = { isInPassage: unasked, isInHead: unasked }
const oneWord = (terms: readonly string[]) => ({ words: [{ terms, next: [] }], first: [0] })
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.array(term, { minLength: 1, maxLength: 2 }).map((terms) => ({ passage: oneWord(terms), ...isHeld })),
  fc.constantFrom('#a', '#b').map((mark) => ({ head: oneWord([mark]), ...isHeld })),
)
const conditions = fc.array(condition, { maxLength: 1 })

const filter = fc.record(
  {
    labels: fc.subarray([
      { dimension: 'source', any: ['web', ''] },
      { dimension: 'access', any: ['public', 'u2'] },
      { dimension: 'source', any: ['absent'] },
    ]),
    time: fc.record({ from: fc.integer({ min: 0, max: 20 }), until: fc.integer({ min: 0, max: 20 }) }),
  },
  { requiredKeys: ['labels'] },
)

const facet: fc.Arbitrary<FacetRequest> = fc.oneof(
  fc.record({ filter, dimension: fc.constantFrom(...DIMENSIONS), size: fc.integer({ min: 0, max: 4 }) }),
  fc.record({
    filter,
    spans: fc.constant([
      { from: 0, until: 9 },
      { from: 5, until: Infinity },
    ]),
  }),
)

const anyQuery = {
  words: fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { maxLength: 5 }),
  filter,
  conditions: fc.record({ phrases: fc.constant([]), required: conditions, excluded: conditions }),
  sort: fc.constantFrom('score' as const, 'time' as const),
  after: fc.record({
    score: fc.constantFrom(0, 0.3, 1),
    time: fc.option(fc.integer({ min: 0, max: 20 })),
    key: fc.string({ unit: 'binary', maxLength: 6 }),
  }),
  facets: fc.array(facet, { maxLength: 2 }),
  offset: fc.integer({ min: 0, max: 3 }),
  limit: fc.integer({ min: 0, max: 10 }),
  texts: fc.integer({ min: 0, max: 10 }),
  countLimit: fc.constantFrom(0, 3, 1000),
}
const always = ['words', 'filter', 'conditions', 'sort', 'facets', 'offset', 'limit', 'texts', 'countLimit'] as const

export const query: fc.Arbitrary<TextQuery> = fc.record(anyQuery, { requiredKeys: [...always] })
