import { z } from 'zod'
import { ownerName } from '../../domain/document.ts'
import type { Filters } from '../../domain/query.ts'
import { SearchDoc } from '../../domain/search-doc.ts'
import { nullish, wireDateTime, wireString } from '../../domain/wire.ts'
import type { Result } from '../../retrieval/retrieve.ts'
import { highlightedHtml } from '../../retrieval/snippet.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'
import { filterFields, filtersOf } from './search.ts'

const MAX_QUERY = 2_048
const HITS = 50

const AdminSearchRequest = z
  .object({
    query: wireString({ max: MAX_QUERY }),
    filters: nullish(
      z.object({
        source_type: filterFields.sources,
        document_set: filterFields.document_sets,
        time_cutoff: filterFields.time_cutoff,
        updated_at_range: nullish(z.object({ start: nullish(wireDateTime()), end: nullish(wireDateTime()) })).describe(
          'Documents that were updated at either moment or in between.',
        ),
        tags: filterFields.tags,
      }),
    ),
  })
  .meta({ id: 'AdminSearchRequest' })
type AdminFilters = z.infer<typeof AdminSearchRequest>['filters']

const searchDoc = ({ document, chunk, score, snippet }: Result): SearchDoc => ({
  document_id: document.id,
  chunk_ind: chunk.chunk_ind,
  semantic_identifier: document.semantic_identifier,
  link: chunk.link ?? document.link,
  blurb: snippet.text,
  source_type: document.source,
  boost: 0,
  hidden: false,
  metadata: document.metadata,
  score: Math.round(score * 1_000) / 1_000,
  is_relevant: null,
  relevance_explanation: null,
  match_highlights: [highlightedHtml(snippet)],
  updated_at: iso(document.updated_at),
  primary_owners: document.primary_owners.map(ownerName),
  secondary_owners: document.secondary_owners.map(ownerName),
  is_internet: false,
  file_id: null,
})

const plainFilters = (filters: AdminFilters) => ({
  sources: filters?.source_type ?? null,
  document_sets: filters?.document_set ?? null,
  time_cutoff: filters?.time_cutoff ?? null,
  tags: filters?.tags ?? null,
})

/** Of the cutoff and the start of the range the later one counts. */
function updatedIn(filters: AdminFilters): Pick<Filters, 'updated_from' | 'updated_until'> {
  const range = filters?.updated_at_range
  const starts = [filters?.time_cutoff, range?.start].filter((it) => typeof it === 'number')
  return {
    ...(starts.length > 0 && { updated_from: Math.max(...starts) }),
    ...(typeof range?.end === 'number' && { updated_until: range.end }),
  }
}

export const adminSearchRoutes = [
  route({
    method: 'POST',
    path: '/admin/search',
    access: 'admin',
    lane: 'search',
    tag: 'Search',
    summary: 'Search as an administrator',
    description: `The ${HITS} best documents that the key may read, with who owns them.`,
    body: AdminSearchRequest,
    reply: z.object({ documents: z.array(SearchDoc) }).meta({ id: 'AdminSearchResponse' }),
    handle: async ({ body, subject, services }) => {
      const filters = {
        ...(await filtersOf(plainFilters(body.filters), subject, services.db)),
        ...updatedIn(body.filters),
      }
      const { results } = await services.retrieve(subject, { query: body.query, filters, offset: 0, limit: HITS })
      return { documents: results.map(searchDoc) }
    },
  }),
]
