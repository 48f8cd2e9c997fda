// Random sequences of batches, searches and restarts.
import fc from 'fast-check'
import { accessForPerson } from '../../src/domain/access.ts'
import type { Cursor, FacetRequest, Filters, Query, TermsQuery } from '../../src/domain/search/query.ts'
import type { IndexBatch, IndexDocument } from '../../src/search-index/search-index.ts'

export type Step =
  | { batch: Omit<IndexBatch, 'position'> }
  | { query: Query }
  | { terms: TermsQuery }
  | { restart: true }

const words = [
  'report',
  'reports',
  'budget',
  'the',
  'PROJ-123',
  'PROJ',
  'naïve',
  'Haus',
  'Häuser',
  'отчёт',
  '東京',
  'of',
]
const english = 'The résumé of the report was not in the budget and this is what it says'
const german = 'Die Häuser und der Vertrag sind nicht mehr in der Stadt'
export const text = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((it) => it.join(' ')) },
  { weight: 2, arbitrary: fc.constantFrom(english, german) },
)
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'Z', '😀', 'ﬀ')
const tag = fc.record(
  { tag_key: fc.constantFrom('team', 'year'), tag_value: fc.constantFrom('red', 'blue') },
  { noNullPrototype: true },
)
const time = fc.integer({ min: 0, max: 5 })

const author = fc.constantFrom(
  { name: 'Ada Lovelace', email: 'ada@example.com' },
  { name: 'Zoë Lovelace', email: null },
  { name: 'bob', email: 'bob@example.com' },
)

const document: fc.Arbitrary<IndexDocument> = fc.record({
  document_id: id,
  title: text,
  source_type: fc.constantFrom('web', 'file'),
  updated_at: fc.option(time),
  tags: fc.array(tag, { maxLength: 2 }),
  authors: fc.array(author, { maxLength: 2 }),
  cc_pair_ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  access: fc.subarray(['public', 'user:ada@example.com', 'group:red', 'pair:1']),
  chunks: fc
    .array(text, { maxLength: 4 })
    .map((contents) => contents.map((content, chunk_ind) => ({ chunk_ind, content, link: `#${chunk_ind}` }))),
})

const phrase = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((it) => it.join(' ')),
  fc.constantFrom('report of the', 'in the budget', 'Verträge', '123 PROJ', '-'),
)
/** Mostly none, because few documents meet several conditions. */
const phrases = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(phrase, { maxLength: 2 }) },
)
const cursor: fc.Arbitrary<Cursor> = fc.record({
  score: fc.constantFrom(0, 0.31, 0.77, 1.3),
  updated_at: fc.option(time),
  document_id: id,
})
const facet: fc.Arbitrary<FacetRequest> = fc.oneof(
  fc.record({
    field: fc.constantFrom('source_type' as const, 'author' as const, 'cc_pair' as const, 'tag' as const),
    size: fc.integer({ min: 0, max: 4 }),
  }),
  fc.constant({
    field: 'time' as const,
    spans: [{ value: 'new', from: 3 }, { value: 'all' }, { value: 'old', until: 2 }],
  }),
)

const access = fc
  .tuple(fc.option(fc.constant('ada@example.com')), fc.subarray(['red', 'blue']), fc.subarray([1, 2]))
  .map(([email, groups, pairs]) => accessForPerson({ email, groups }, pairs))
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    source_types: fc.subarray(['web', 'file']),
    cc_pair_ids: fc.subarray([1, 2, 3]),
    tags: fc.array(tag, { maxLength: 2 }),
    authors: fc.subarray(['ADA', 'lovelace', 'zoe lovelace', 'Bob@example.com']),
    updated_from: time,
    updated_until: time,
    document_ids: fc.array(id, { maxLength: 6 }),
  },
  { requiredKeys: [] },
)

/** The caller and the filters: the part that text and vector queries have in common. */
export const asker = {
  access,
  filters,
  offset: fc.integer({ min: 0, max: 3 }),
  limit: fc.integer({ min: 0, max: 12 }),
}

const few = { access, filters, limit: fc.constantFrom(0, 1, 3, 100) }
const termsQuery: fc.Arbitrary<TermsQuery> = fc.oneof(
  fc.record({ prefix: fc.constantFrom('', 'r', 'RE', 'haus', 'nai', 'proj', '東', 'x'), ...few }),
  fc.record({
    near: fc.constantFrom('reports', 'budjet', 'Häusern', 'naive', 'отчет', 'teh', 'PROJ-124'),
    max_edits: fc.constantFrom(1 as const, 2 as const),
    ...few,
  }),
)

/** The conditions on words, for text and vector queries. */
export const conditions = { phrases, required: phrases, excluded: phrases, titleWords: phrases }

const query: fc.Arbitrary<Query> = fc.record(
  {
    text,
    ...asker,
    ...conditions,
    sort: fc.constantFrom('relevance' as const, 'newest' as const),
    after: cursor,
    facets: fc.array(facet, { maxLength: 3 }),
  },
  { requiredKeys: ['text', 'access', 'filters', 'offset', 'limit'] },
)

export const batch = fc.record({
  upserts: fc.array(document, { maxLength: 5 }),
  deletes: fc.array(id, { maxLength: 3 }),
})

export const randomSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: batch.map((it) => ({ batch: it })) },
    { weight: 6, arbitrary: query.map((it) => ({ query: it })) },
    { weight: 2, arbitrary: termsQuery.map((it) => ({ terms: it })) },
    { weight: 1, arbitrary: fc.constant({ restart: true } as const) },
  ),
  { minLength: 2, maxLength: 16 },
)
