import { z } from 'zod'
import { SearchDoc } from '../../../domain/chat/search-doc.ts'
import { resultToSearchDoc } from '../../../retrieval/search-doc.ts'
import { nullish, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { baseFilterFields, toFilters } from '../../wire/base-filters.ts'

const MAX_QUERY = 2_048
const MAX_RESULTS = 50

const AdminSearchRequest = z
  .object({
    query: wireString({ max: MAX_QUERY }),
    filters: nullish(z.object(baseFilterFields)),
  })
  .meta({ id: 'AdminSearchRequest' })

export const adminSearchRoutes = [
  route({
    name: 'searchAsAdmin',
    method: 'POST',
    path: '/admin/search',
    allowsTokens: true,
    access: 'admin',
    pool: 'search',
    tag: 'Search',
    summary: 'Search as an administrator',
    description: `Returns the ${MAX_RESULTS} best documents that the key may read, with their owners.`,
    body: AdminSearchRequest,
    reply: z.object({ documents: z.array(SearchDoc) }).meta({ id: 'AdminSearchResponse' }),
    services: ['db', 'retrieve'],
    handle: async ({ body, subject, services }) => {
      const filters = await toFilters(body.filters, subject, services.db)
      const { results } = await services.retrieve(subject, {
        query: body.query,
        filters,
        offset: 0,
        limit: MAX_RESULTS,
      })
      return { documents: results.map(resultToSearchDoc) }
    },
  }),
]
