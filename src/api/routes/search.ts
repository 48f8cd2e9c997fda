import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isTimeZone } from '../../domain/date-time.ts'
import { AppError } from '../../domain/errors.ts'
import type { Filters } from '../../domain/query.ts'
import { MAX_SHOWN } from '../../domain/relevance.ts'
import type { Subject } from '../../domain/subject.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireString,
} from '../../domain/wire.ts'
import type { Passage, Result, Results } from '../../retrieval/retrieve.ts'
import { highlightedHtml } from '../../retrieval/snippet.ts'
import type { Database } from '../../store/database.ts'
import { listPairsOfSets } from '../../store/document-sets.ts'
import { addRecentQuery } from '../../store/recent-queries.ts'
import { getSettings } from '../../store/settings.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'

const MAX_QUERY = 2_048
const MAX_HITS = 1_000
const MAX_OFFSET = 10_000
const DEFAULT_HITS = 10

export const filterFields = {
  sources: nullish(wireArray(wireString({ max: 100 }), { max: 100 })),
  tags: nullish(
    wireArray(z.object({ tag_key: wireString({ max: 10_000 }), tag_value: wireString({ max: 10_000 }) }), { max: 100 }),
  ),
  document_sets: nullish(wireArray(wireString({ max: 1_000, pattern: WITHOUT_NUL }), { max: 100 })),
  time_cutoff: nullish(wireDateTime()),
}

const SearchRequest = z
  .object({
    query: wireString({ min: 1, max: MAX_QUERY }),
    num_hits: nullish(wireInteger({ min: 1, max: MAX_HITS })),
    offset: nullish(wireInteger({ min: 0, max: MAX_OFFSET })),
    ...filterFields,
    authors: nullish(wireArray(wireString({ max: 500 }), { max: 100 })).describe(
      'Names, words of names or e-mail addresses of authors; one of them is enough.',
    ),
    sort: nullish(wireEnum(['relevance', 'date'])).describe('`relevance` if absent; `date`: the newest first.'),
    cursor: nullish(wireString({ max: 4_096 })).describe('The `next_cursor` of the page before; `offset` counts not.'),
    tz: nullish(wireString({ max: 100 })).describe(
      'Time zone of dates in the query, such as Europe/Berlin; UTC if absent.',
    ),
    facets: nullish(wireBoolean()).describe(
      'Count documents by source, set, author, tag and time, and count all of them.',
    ),
    remember: nullish(wireBoolean()).describe('Offer the query to the asker again, in `POST /search/suggest`.'),
    record: nullish(wireBoolean()).describe(
      'False for what somebody has not finished typing: it stays out of the analytics and has no `search_id`. True if absent.',
    ),
    explain: nullish(wireBoolean()).describe('Say of each result why it stands where it stands.'),
  })
  .meta({ id: 'SearchRequest' })
type SearchRequest = z.infer<typeof SearchRequest>

const passageFields = {
  chunk_ind: z.int(),
  content: z.string(),
  link: z.string().nullable(),
  blurb: z.string(),
  highlights: z.array(z.array(z.int())).describe('Offsets in `blurb`, in UTF-16 units, end exclusive.'),
  match_highlights: z.array(z.string()).describe('`blurb` as safe HTML, the words that matched in <mark>.'),
}

const Explanation = z
  .object({
    words: z.array(z.string()).describe('Why the document stands here, the strongest reason first.'),
    score: z.number().nullable().describe('The sum of `parts`, not rounded; null where `parts` is.'),
    parts: z
      .array(z.object({ name: z.string(), value: z.number(), from: z.number().nullable() }))
      .nullable()
      .describe('What adds to the score; null for who does not look after connectors.'),
  })
  .meta({ id: 'SearchExplanation' })

const SearchResult = z
  .object({
    citation_id: z.int(),
    document_id: z.string(),
    semantic_identifier: z.string(),
    title: z.string(),
    source_type: z.string(),
    ...passageFields,
    passages: z
      .array(z.object(passageFields).meta({ id: 'SearchPassage' }))
      .describe('Where another passage is the best by its meaning: that one.'),
    score: z.number().describe('From 0 to about 1; comparable within one answer only.'),
    updated_at: z.iso.datetime(),
    metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    explanation: Explanation.nullable().describe('Null unless `explain` was sent.'),
  })
  .meta({ id: 'SearchResult' })

const Understood = z
  .object({
    text: z.string().describe('The words that were looked for, after corrections those of `corrected_query` instead.'),
    phrases: z.array(z.string()),
    excluded: z.array(z.string()),
    title: z.array(z.string()),
    sources: z.array(z.string()),
    authors: z.array(z.string()),
    document_sets: z.array(z.string()),
    tags: z.array(z.object({ tag_key: z.string(), tag_value: z.string() })),
    updated_from: z.iso.datetime().nullable(),
    updated_until: z.iso.datetime().nullable(),
    not_understood: z
      .array(z.object({ text: z.string(), reason: z.string() }))
      .describe('What looked like an operator and was taken as words, with the way out.'),
  })
  .meta({ id: 'SearchUnderstood' })

const Facet = z
  .object({
    field: z.enum(['source_type', 'author', 'document_set', 'tag', 'time']),
    values: z.array(z.object({ value: z.string(), count: z.int() })),
    count_relation: z.enum(['eq', 'gte']),
  })
  .meta({ id: 'SearchFacet' })

const SearchResponse = z
  .object({
    results: z.array(SearchResult),
    total: z.int(),
    total_relation: z.enum(['eq', 'gte']),
    understood: Understood.describe('What was made of the query.'),
    corrected_query: z
      .string()
      .nullable()
      .describe('The query without the typing mistakes in it, for which the results are; null where there were none.'),
    facets: z
      .array(Facet)
      .nullable()
      .describe('Null unless asked for. They count documents that hold words of the query.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null after the last one.'),
    ranked_by: z
      .enum(['both', 'words', 'date'])
      .describe('`both`: words and meaning. `words` where no meaning is known; `ranked_by_reason` says why.'),
    ranked_by_reason: z.string().nullable(),
    search_id: z
      .string()
      .nullable()
      .describe(
        'For `POST /search/feedback`. Null where the search is not written down: with `record: false`, behind the first page, and where the administrator keeps no queries.',
      ),
    took_ms: z.number(),
  })
  .meta({ id: 'SearchResponse' })

/** The filters of a request, whichever; sets are looked up as the subject sees them. */
export async function filtersOf(
  {
    sources,
    tags,
    document_sets,
    time_cutoff,
    authors,
  }: Pick<SearchRequest, 'sources' | 'tags' | 'document_sets' | 'time_cutoff'> & { authors?: string[] | null },
  subject: Subject,
  db: Database,
): Promise<Filters> {
  return {
    ...(sources?.length && { source_types: sources }),
    ...(tags?.length && { tags }),
    ...(document_sets?.length && { cc_pair_ids: await listPairsOfSets(db, subject, document_sets) }),
    ...(authors?.length && { authors }),
    ...(time_cutoff !== null && { updated_from: time_cutoff }),
  }
}

const passageOf = ({ chunk, snippet }: Passage, document: Result['document']) => ({
  chunk_ind: chunk.chunk_ind,
  content: chunk.content,
  link: chunk.link ?? document.link,
  blurb: snippet.text,
  highlights: snippet.highlights,
  match_highlights: [highlightedHtml(snippet)],
})

const resultOf = (result: Result, citation_id: number, subject: Subject): z.infer<typeof SearchResult> => {
  const { document, score, passages, explanation } = result
  return {
    citation_id,
    document_id: document.id,
    semantic_identifier: document.semantic_identifier,
    title: document.title ?? document.semantic_identifier,
    source_type: document.source,
    ...passageOf(result, document),
    passages: passages.slice(1).map((it) => passageOf(it, document)),
    score: Math.round(score * 1_000) / 1_000,
    updated_at: iso(document.updated_at),
    metadata: document.metadata,
    explanation: explanation && explanationFor(subject, explanation),
  }
}

/** Numbers tell of statistics over everybody's documents. */
function explanationFor(
  subject: Subject,
  { words, parts }: NonNullable<Result['explanation']>,
): z.infer<typeof Explanation> {
  if (!subject.rights.has('connectors')) return { words, score: null, parts: null }
  return { words, score: parts.reduce((sum, it) => sum + it.value, 0), parts }
}

const dated = ({ updated_from, updated_until, ...understood }: Results['understood']): z.infer<typeof Understood> => ({
  ...understood,
  updated_from: updated_from === null ? null : iso(Math.max(updated_from, YEAR_ONE)),
  updated_until: updated_until === null ? null : iso(Math.max(updated_until, YEAR_ONE)),
})

/** What is earlier has no place in a date-time of the wire. */
const YEAR_ONE = Date.parse('0001-01-01')

async function remember({ db, now }: Services, { user_id }: Subject, query: string, days: number): Promise<void> {
  if (days > 0 && !query.includes('\u0000')) await addRecentQuery(db, user_id, query, now())
}

/** First pages alone are written down: what comes behind them is the same question. */
const isRecorded = ({ record, offset, cursor, query }: SearchRequest, days: number): boolean =>
  days > 0 && record !== false && (offset ?? 0) === 0 && cursor === null && !query.includes('\u0000')

/** Written down a moment later; nobody waits for it. */
function noted(
  { queryLog, now }: Services,
  { user_id }: Subject,
  { query }: SearchRequest,
  {
    filters,
    results,
    took_ms,
    ...found
  }: Pick<Results, 'results' | 'total' | 'ranked_by'> & {
    filters: Filters
    took_ms: number
  },
): string {
  const search_id = randomUUID()
  queryLog.note({
    search_id,
    user_id,
    query,
    filters,
    document_ids: results.slice(0, MAX_SHOWN).map((it) => it.document.id),
    total: found.total,
    ranked_by: found.ranked_by,
    took_ms: Math.round(took_ms),
    asked_at: now(),
  })
  return search_id
}

function checkTimeZone(tz: string | null): void {
  if (tz === null || isTimeZone(tz)) return
  throw new AppError('INVALID_INPUT', {
    reason: '`tz` is no time zone: send one such as Europe/Berlin, or none for UTC.',
  })
}

const DESCRIPTION = `Documents that the key may read, best first, each with its best passage. The query may hold
\`"a phrase"\`, \`-word\`, \`title:word\`, \`source:web\`, \`author:ada\`, \`set:"Handbook"\`, \`tag:key=value\`,
\`after:2026-05\` and \`before:7d\`; what is no operator is a word, and nothing is an error. \`understood\` says what was made
of it.`

export const searchRoutes = [
  route({
    method: 'POST',
    path: '/search',
    access: 'search',
    lane: 'search',
    tag: 'Search',
    summary: 'Search',
    description: DESCRIPTION,
    body: SearchRequest,
    reply: SearchResponse,
    errors: ['INVALID_INPUT'],
    handle: async ({ body, subject, services }) => {
      const started = performance.now()
      checkTimeZone(body.tz)
      const [filters, settings] = await Promise.all([filtersOf(body, subject, services.db), getSettings(services.db)])
      const { results, place, understood, ...found } = await services.retrieve(subject, {
        query: body.query,
        filters,
        offset: body.offset ?? 0,
        limit: body.num_hits ?? DEFAULT_HITS,
        cursor: body.cursor ?? undefined,
        sort: body.sort ?? 'relevance',
        tz: body.tz ?? undefined,
        isCounted: body.facets === true,
        isExplained: body.explain === true,
      })
      if (body.remember === true) await remember(services, subject, body.query, settings.recent_query_retention_days)
      const took_ms = performance.now() - started
      const search_id = isRecorded(body, settings.recorded_query_retention_days)
        ? noted(services, subject, body, { ...found, results, filters, took_ms })
        : null
      return {
        ...found,
        results: results.map((it, at) => resultOf(it, place + at + 1, subject)),
        understood: dated(understood),
        search_id,
        took_ms: Math.round(took_ms * 100) / 100,
      }
    },
  }),
]
