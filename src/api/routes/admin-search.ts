import { z } from 'zod'
import type { Filters } from '../../domain/query.ts'
import { SearchDoc } from '../../domain/search-doc.ts'
import { nullish, wireDateTime, wireString } from '../../domain/wire.ts'
import { searchDoc } from '../../retrieval/search-doc.ts'
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
