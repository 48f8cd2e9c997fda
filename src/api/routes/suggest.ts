import { z } from 'zod'
import { wireString } from '../../domain/wire.ts'
import { deleteRecentQueries } from '../../store/recent-queries.ts'
import { route } from '../route.ts'

const MAX_QUERY = 2_048

const Suggestions = z
  .object({
    titles: z
      .array(
        z.object({
          document_id: z.string(),
          semantic_identifier: z.string(),
          title: z.string(),
          link: z.string().nullable(),
          source_type: z.string(),
        }),
      )
      .describe('Documents with the words in their title.'),
    terms: z.array(z.string()).describe('The query with its last word completed.'),
    recent: z.array(z.string()).describe('What the asker looked for before, and began so.'),
  })
  .meta({ id: 'SearchSuggestions' })

export const suggestRoutes = [
  route({
    method: 'POST',
    path: '/search/suggest',
    access: 'search',
    lane: 'search',
    tag: 'Search',
    summary: 'Suggest while typing',
    description:
      'Titles and words of documents that the key may read, and queries that it asked before with `remember`. An empty query gives the latest of these.',
    body: z.object({ query: wireString({ max: MAX_QUERY }) }).meta({ id: 'SuggestRequest' }),
    reply: Suggestions,
    handle: async ({ body, subject, services }) => {
      const { titles, ...found } = await services.suggest(subject, body.query)
      return {
        ...found,
        titles: titles.map(({ id, semantic_identifier, title, link, source }) => ({
          document_id: id,
          semantic_identifier,
          title: title ?? semantic_identifier,
          link,
          source_type: source,
        })),
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/search/recent',
    access: 'search',
    tag: 'Search',
    summary: 'Forget recent queries',
    description: 'Those of the asker, all of them. Again is fine.',
    reply: z.null(),
    handle: async ({ subject, services }) => {
      await deleteRecentQueries(services.db, subject.user_id)
      return null
    },
  }),
]
