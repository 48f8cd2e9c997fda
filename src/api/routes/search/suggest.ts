import { z } from 'zod'
import { minQueryPeople } from '../../../domain/settings.ts'
import type { Subject } from '../../../domain/subject.ts'
import { displayLink, displayTitle } from '../../../domain/values/display-text.ts'
import { getPersonaScope } from '../../../store/chats/persona-scope.ts'
import { deleteRecentQueries } from '../../../store/search/recent-queries.ts'
import { listPopularQueries } from '../../../store/search/recorded-queries.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import { wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
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

/** The text of a query can reveal who asked it, so fewer people than this never suffice. */
const MIN_PEOPLE = 5
const SUGGESTED_DAYS = 30
const MAX_SUGGESTED = 5
/** Some of them find nothing that the caller may read. */
const MAX_TRIED = 10

async function findSuggestedSearches(
  { db, retrieve, now }: RouteServices<'db' | 'retrieve' | 'now'>,
  subject: Subject,
): Promise<string[]> {
  const settings = await getSettings(db)
  const minPeople = Math.max(MIN_PEOPLE, minQueryPeople(settings))
  const days = Math.min(SUGGESTED_DAYS, settings.recorded_query_retention_days)
  if (!Number.isFinite(minPeople) || days === 0) return []
  const period = { from: now() - days * DAY_MS, until: now() }
  const popular = await listPopularQueries(db, period, { minPeople, limit: MAX_TRIED })
  const found = await Promise.all(
    popular.map((query) => retrieve(subject, { query, filters: {}, offset: 0, limit: 1, isAnswersOnly: true })),
  )
  return popular.filter((_, at) => (found[at]?.word_matches ?? 0) > 0).slice(0, MAX_SUGGESTED)
}

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
    name: 'listSuggestedSearches',
    method: 'GET',
    path: '/search/suggested',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Suggest searches',
    description: `Returns searches of the last ${SUGGESTED_DAYS} days that at least ${MIN_PEOPLE} people sent (more if \`query_min_people\` is larger) and that find documents that the key may read. Empty if searches are not recorded or query history is disabled.`,
    reply: z.object({ queries: z.array(z.string()) }).meta({ id: 'SuggestedSearches' }),
    services: ['db', 'retrieve', 'now'],
    handle: async ({ subject, services }) => ({ queries: await findSuggestedSearches(services, subject) }),
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
