import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { intersectFilters } from '../../../domain/search/intersect-filters.ts'
import type { Filters } from '../../../domain/search/query.ts'
import { MAX_RECORDED_RESULTS } from '../../../domain/search/relevance.ts'
import type { Subject } from '../../../domain/subject.ts'
import { dayRange } from '../../../retrieval/query/date-expression.ts'
import { foldSimilar } from '../../../retrieval/results/fold-similar.ts'
import type { RetrievalResults } from '../../../retrieval/retrieve.ts'
import { getPersonaScope } from '../../../store/chats/persona-scope.ts'
import type { Database } from '../../../store/database/database.ts'
import { addRecentQuery } from '../../../store/search/recent-queries.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { listPairsOfSets } from '../../../store/sources/document-sets.ts'
import { isTimeZone } from '../../../wire/date-time.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import {
  ClosestDocument,
  closestDocument,
  FoldedSearchResult,
  type ResultContext,
  resultContext,
  SearchOperator,
  SearchUnderstood,
  searchResult,
  understoodQuery,
} from '../../views/search-result.ts'

export const MAX_QUERY = 2_048
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

export const persona_id = nullish(wireInteger()).describe(
  'Restricts the search to the document sets and the start date of this persona, as in chats.',
)

const SearchRequest = z
  .object({
    query: wireString({ min: 1, max: MAX_QUERY }),
    num_hits: nullish(wireInteger({ min: 1, max: MAX_HITS })),
    offset: nullish(wireInteger({ min: 0, max: MAX_OFFSET })),
    ...filterFields,
    persona_id,
    authors: nullish(wireArray(wireString({ max: 500 }), { max: 100 })).describe(
      'Names, parts of names or email addresses of authors. Documents match if they have any of them.',
    ),
    date_from: nullish(z.iso.date().max(10)).describe(
      'Documents that changed on this day or later, in the time zone `tz`.',
    ),
    date_until: nullish(z.iso.date().max(10)).describe(
      'Documents that changed on this day or earlier, in the time zone `tz`.',
    ),
    sort: nullish(wireEnum(['relevance', 'date'])).describe('Default: `relevance`. `date`: newest first.'),
    cursor: nullish(wireString({ max: 4_096 })).describe(
      'The `next_cursor` of the previous page; `offset` is ignored.',
    ),
    tz: nullish(wireString({ max: 100 })).describe(
      'Time zone of dates in the query, such as Europe/Berlin. Default: UTC.',
    ),
    facets: nullish(wireBoolean()).describe(
      'Return document counts by source, document set, author, tag and time, and an exact total.',
    ),
    remember: nullish(wireBoolean()).describe('Store the query as a recent query for `POST /search/suggest`.'),
    record: nullish(wireBoolean()).describe(
      'Set to false for searches while typing: they are not recorded and have no `search_id`. Default: true.',
    ),
    correct_spelling: nullish(wireBoolean()).describe(
      'Set to false to search the words exactly as they are typed. Default: true.',
    ),
    relax: nullish(wireBoolean()).describe(
      'Set to false to keep the phrases of the query as conditions even if no document contains them. Default: true.',
    ),
    answers_only: nullish(wireBoolean()).describe(
      'Set to false to return what contains some of the words even if nothing answers the query. Default: true, or false if the request has filters.',
    ),
    explain: nullish(wireBoolean()).describe('Return an explanation of the rank of each result.'),
    fold_similar: nullish(wireBoolean()).describe(
      'Fold near duplicates, and results of a page with the same title and nearly the same passage, into `similar` of the best of them. `total` and ranks do not change; `offset` counts the results that remain.',
    ),
  })
  .meta({ id: 'SearchRequest' })
type SearchRequest = z.infer<typeof SearchRequest>

const SearchFacet = z
  .object({
    field: z.enum(['source_type', 'author', 'document_set', 'tag', 'time']),
    values: z.array(z.object({ value: z.string(), count: z.int() })),
    count_relation: z.enum(['eq', 'gte']),
  })
  .meta({ id: 'SearchFacet' })

const SearchResponse = z
  .object({
    results: z.array(FoldedSearchResult),
    no_match: z
      .boolean()
      .describe('True if nothing that the key may read answers the query. There are no results then.'),
    closest: z
      .array(ClosestDocument)
      .describe(
        'If nothing answers the query, up to three documents that come nearest. `answers_only: false` returns all of them as results.',
      ),
    total: z.int(),
    total_relation: z.enum(['eq', 'gte']),
    word_matches: z
      .int()
      .nullable()
      .describe(
        'Number of documents in `total` that contain words of the query. 0: all results are semantic matches only. Null if the query has no words.',
      ),
    understood: SearchUnderstood.describe('The parsed query.'),
    corrected_query: z
      .string()
      .nullable()
      .describe('The spelling-corrected query that produced the results. Null if nothing was corrected.'),
    relaxed: z
      .array(SearchOperator)
      .describe('The phrases that no document contains. The results are those without them as conditions.'),
    blocking: z
      .array(SearchOperator)
      .describe(
        'If there are no results: each operator without which there would be some, or all of them if only that is enough.',
      ),
    facets: z.array(SearchFacet).nullable().describe('Null unless requested. Counts the documents in `total`.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page. Null on the last page.'),
    ranked_by: z
      .enum(['both', 'words', 'date'])
      .describe(
        '`both`: lexical and semantic scores. `words`: lexical scores only; `ranked_by_reason` gives the reason.',
      ),
    ranked_by_reason: z.string().nullable(),
    search_id: z
      .string()
      .nullable()
      .describe(
        'For `POST /search/feedback`. Null if the search was not recorded: with `record: false`, after the first page, or if recording is disabled.',
      ),
    took_ms: z.number(),
  })
  .meta({ id: 'SearchResponse' })

/** Builds the search filters of a request. Only document sets that the subject may search are resolved. */
export async function searchFilters(
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

async function rememberQuery(
  { db, now }: RouteServices<'db' | 'now'>,
  { user_id }: Subject,
  query: string,
  days: number,
): Promise<void> {
  if (days > 0 && !query.includes('\u0000')) await addRecentQuery(db, user_id, query, now())
}

/** Records only first pages: the following pages belong to the same search. */
const shouldRecord = ({ record, offset, cursor, query }: SearchRequest, days: number): boolean =>
  days > 0 && record !== false && (offset ?? 0) === 0 && cursor === null && !query.includes('\u0000')

/** Buffers the query for the query log and returns its search id. */
function recordQuery(
  { queryLog, now }: RouteServices<'queryLog' | 'now'>,
  { user_id }: Subject,
  { query }: SearchRequest,
  {
    filters,
    results,
    took_ms,
    ...found
  }: Pick<RetrievalResults, 'results' | 'total' | 'ranked_by'> & {
    filters: Filters
    took_ms: number
  },
): string {
  const search_id = randomUUID()
  queryLog.record({
    search_id,
    user_id,
    query,
    filters,
    document_ids: results.slice(0, MAX_RECORDED_RESULTS).map((it) => it.document.id),
    total: found.total,
    ranked_by: found.ranked_by,
    took_ms: Math.round(took_ms),
    asked_at: now(),
  })
  return search_id
}

export function checkTimeZone(tz: string | null): void {
  if (tz === null || isTimeZone(tz)) return
  throw new AppError('INVALID_INPUT', {
    reason: '`tz` is not a known time zone. Send a time zone such as Europe/Berlin, or omit it for UTC.',
  })
}

/** Every result keeps its rank, also when it is folded into another one. */
function searchResults(
  { results, similar, ranks }: Pick<RetrievalResults, 'results' | 'similar' | 'ranks'>,
  { isFolded, context }: { isFolded: boolean; context: ResultContext },
): z.infer<typeof FoldedSearchResult>[] {
  const view = (it: RetrievalResults['results'][number]) => searchResult(it, ranks.get(it.document.id) ?? 0, context)
  if (!isFolded) return results.map((it) => ({ ...view(it), similar: null, similar_count: null }))
  return foldSimilar(results).map(({ similar: onPage, ...result }) => {
    const family = [result, ...onPage]
    const folded = family.flatMap((it) => similar.get(it.document.id)?.results ?? [])
    const counts = family.map((it) => similar.get(it.document.id)?.document_ids.length ?? 0)
    return {
      ...view(result),
      similar: [...folded, ...onPage].map(view).sort((one, other) => one.citation_id - other.citation_id),
      similar_count: counts.reduce((sum, it) => sum + it, onPage.length),
    }
  })
}

const SEARCH_DESCRIPTION = `Returns documents that the key may read, best first, each with its best passage. The query supports
\`"a phrase"\`, \`-word\`, \`title:word\`, \`source:web\`, \`author:ada\`, \`set:"Handbook"\`, \`tag:key=value\`,
\`after:2026-05\` and \`before:7d\`. Other text is searched as words; the query syntax has no errors. \`understood\` returns
the parsed query.`

export const searchRoutes = [
  route({
    name: 'searchDocuments',
    method: 'POST',
    path: '/search',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Search documents',
    description: SEARCH_DESCRIPTION,
    body: SearchRequest,
    reply: SearchResponse,
    errors: ['INVALID_INPUT', 'PERSONA_NOT_FOUND'],
    services: ['db', 'retrieve', 'queryLog', 'now'],
    handle: async ({ body, subject, services }) => {
      const started = performance.now()
      checkTimeZone(body.tz)
      const { db } = services
      const scope = await getPersonaScope(db, subject, body.persona_id)
      const [selected, settings] = await Promise.all([searchFilters(body, subject, db), getSettings(db)])
      const days = { from: body.date_from, until: body.date_until }
      const filters = intersectFilters(selected, dayRange(days, { now: services.now(), tz: body.tz ?? 'UTC' }))
      const {
        results,
        similar,
        ranks,
        understood,
        closest,
        offset: _,
        ...found
      } = await services.retrieve(subject, {
        query: body.query,
        filters,
        scope,
        offset: body.offset ?? 0,
        limit: body.num_hits ?? DEFAULT_HITS,
        cursor: body.cursor ?? undefined,
        sort: body.sort ?? 'relevance',
        tz: body.tz ?? undefined,
        isCounted: body.facets === true,
        isExplained: body.explain === true,
        isCorrected: body.correct_spelling !== false,
        isRelaxed: body.relax !== false,
        isAnswersOnly: body.answers_only ?? Object.keys(filters).length === 0,
        isFolded: body.fold_similar === true,
      })
      if (body.remember === true)
        await rememberQuery(services, subject, body.query, settings.recent_query_retention_days)
      const took_ms = performance.now() - started
      const search_id = shouldRecord(body, settings.recorded_query_retention_days)
        ? recordQuery(services, subject, body, {
            ...found,
            results,
            filters: intersectFilters(filters, scope),
            took_ms,
          })
        : null
      const folded = [...similar.values()].flatMap((it) => it.results)
      const context = await resultContext(services, subject, [...results, ...folded])
      return {
        ...found,
        closest: closest.map(closestDocument),
        results: searchResults({ results, similar, ranks }, { isFolded: body.fold_similar === true, context }),
        understood: understoodQuery(understood),
        search_id,
        took_ms: Math.round(took_ms * 100) / 100,
      }
    },
  }),
]
