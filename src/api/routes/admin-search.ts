import { z } from 'zod'
import { SearchDoc } from '../../domain/search-doc.ts'
import { nullish, wireString } from '../../domain/wire.ts'
import { searchDoc } from '../../retrieval/search-doc.ts'
import { baseFilterFields, baseFiltersOf } from '../base-filters.ts'
import { route } from '../route.ts'

const MAX_QUERY = 2_048
const HITS = 50

const AdminSearchRequest = z
  .object({
    query: wireString({ max: MAX_QUERY }),
    filters: nullish(z.object(baseFilterFields)),
  })
  .meta({ id: 'AdminSearchRequest' })

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
      const filters = await baseFiltersOf(body.filters, subject, services.db)
      const { results } = await services.retrieve(subject, { query: body.query, filters, offset: 0, limit: HITS })
      return { documents: results.map(searchDoc) }
    },
  }),
]
