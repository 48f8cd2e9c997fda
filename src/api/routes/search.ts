import { z } from 'zod'
import type { Filters } from '../../domain/query.ts'
import type { Subject } from '../../domain/subject.ts'
import { nullish, WITHOUT_NUL, wireArray, wireDateTime, wireInteger, wireString } from '../../domain/wire.ts'
import type { Result } from '../../retrieval/retrieve.ts'
import { highlightedHtml } from '../../retrieval/snippet.ts'
import type { Database } from '../../store/database.ts'
import { listPairsOfSets } from '../../store/document-sets.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

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
  })
  .meta({ id: 'SearchRequest' })
type SearchRequest = z.infer<typeof SearchRequest>

const SearchResult = z
  .object({
    citation_id: z.int(),
    document_id: z.string(),
    chunk_ind: z.int(),
    semantic_identifier: z.string(),
    title: z.string(),
    content: z.string(),
    link: z.string().nullable(),
    source_type: z.string(),
    blurb: z.string(),
    highlights: z.array(z.array(z.int())).describe('Offsets in `blurb`, in UTF-16 units, end exclusive.'),
    match_highlights: z.array(z.string()).describe('`blurb` as safe HTML, the words that matched in <mark>.'),
    score: z.number(),
    updated_at: z.iso.datetime(),
    metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  })
  .meta({ id: 'SearchResult' })

const SearchResponse = z
  .object({
    results: z.array(SearchResult),
    total: z.int(),
    total_relation: z.enum(['eq', 'gte']),
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
  }: Pick<SearchRequest, 'sources' | 'tags' | 'document_sets' | 'time_cutoff'>,
  subject: Subject,
  db: Database,
): Promise<Filters> {
  return {
    ...(sources?.length && { source_types: sources }),
    ...(tags?.length && { tags }),
    ...(document_sets?.length && { cc_pair_ids: await listPairsOfSets(db, subject, document_sets) }),
    ...(time_cutoff !== null && { updated_from: time_cutoff }),
  }
}

const resultOf = ({ document, chunk, score, snippet }: Result, citation_id: number): z.infer<typeof SearchResult> => ({
  citation_id,
  document_id: document.id,
  chunk_ind: chunk.chunk_ind,
  semantic_identifier: document.semantic_identifier,
  title: document.title ?? document.semantic_identifier,
  content: chunk.content,
  link: chunk.link ?? document.link,
  source_type: document.source,
  blurb: snippet.text,
  highlights: snippet.highlights,
  match_highlights: [highlightedHtml(snippet)],
  score: Math.round(score * 1_000) / 1_000,
  updated_at: iso(document.updated_at),
  metadata: document.metadata,
})

export const searchRoutes = [
  route({
    method: 'POST',
    path: '/search',
    access: 'search',
    lane: 'search',
    tag: 'Search',
    summary: 'Search',
    description: 'Documents that the key may read, best first, each with its best passage.',
    body: SearchRequest,
    reply: SearchResponse,
    handle: async ({ body, subject, services }) => {
      const started = performance.now()
      const offset = body.offset ?? 0
      const { results, total, total_relation } = await services.retrieve(subject, {
        query: body.query,
        filters: await filtersOf(body, subject, services.db),
        offset,
        limit: body.num_hits ?? DEFAULT_HITS,
      })
      return {
        results: results.map((it, at) => resultOf(it, offset + at + 1)),
        total,
        total_relation,
        took_ms: Math.round((performance.now() - started) * 100) / 100,
      }
    },
  }),
]
