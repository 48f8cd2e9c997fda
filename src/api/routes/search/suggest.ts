import { z } from 'zod'
import { displayLink, displayTitle } from '../../../domain/values/display-text.ts'
import { getPersonaScope } from '../../../store/chats/persona-scope.ts'
import { deleteRecentQueries } from '../../../store/search/recent-queries.ts'
import { wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { persona_id } from './search.ts'

const MAX_QUERY = 2_048

const SearchSuggestions = z
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
      .describe('Documents whose titles contain the words.'),
    terms: z.array(z.string()).describe('Completions of the last word of the query.'),
    recent: z.array(z.string()).describe('Recent queries of the caller with this prefix.'),
  })
  .meta({ id: 'SearchSuggestions' })

export const suggestRoutes = [
  route({
    name: 'suggestQueries',
    method: 'POST',
    path: '/search/suggest',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Suggest queries',
    description:
      'Returns titles and terms of documents that the key may read, and recent queries stored with `remember`. An empty query returns the latest recent queries.',
    body: z.object({ query: wireString({ max: MAX_QUERY }), persona_id }).meta({ id: 'SuggestRequest' }),
    reply: SearchSuggestions,
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'suggest'],
    handle: async ({ body, subject, services }) => {
      const scope = await getPersonaScope(services.db, subject, body.persona_id)
      const { titles, ...found } = await services.suggest(subject, body.query, scope)
      return {
        ...found,
        titles: titles.map(({ id, semantic_identifier, title, link, source }) => ({
          document_id: id,
          semantic_identifier: displayTitle(semantic_identifier),
          title: displayTitle(title ?? semantic_identifier),
          link: displayLink(link),
          source_type: source,
        })),
      }
    },
  }),
  route({
    name: 'deleteRecentQueries',
    method: 'DELETE',
    path: '/search/recent',
    access: 'search',
    tag: 'Search',
    summary: 'Delete recent queries',
    description: 'Deletes all recent queries of the caller. The request is idempotent.',
    reply: z.null(),
    services: ['db'],
    handle: async ({ subject, services }) => {
      await deleteRecentQueries(services.db, subject.user_id)
      return null
    },
  }),
]
