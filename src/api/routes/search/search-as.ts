// A search that an administrator runs as another person, to see what the person finds.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { ROLES } from '../../../domain/subject.ts'
import { findPersonSubject, type PersonSubject } from '../../../identity/explain-access.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { nullish, WITHOUT_NUL, wireArray, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import {
  resultContext,
  SearchResult,
  SearchUnderstood,
  searchResult,
  understoodQuery,
} from '../../views/search-result.ts'
import { checkTimeZone, filterFields, MAX_QUERY, searchFilters } from './search.ts'

const MAX_HITS = 100
const MAX_OFFSET = 1_000
const DEFAULT_HITS = 10

/** Strict, because a search as another person has neither a persona nor an explanation, and is never remembered. */
const SearchAsRequest = z
  .strictObject({
    person: wireString({ min: 1, max: 320, pattern: WITHOUT_NUL }).describe('The id or the e-mail address.'),
    query: wireString({ min: 1, max: MAX_QUERY }),
    num_hits: nullish(wireInteger({ min: 1, max: MAX_HITS })).describe(`Default: ${DEFAULT_HITS}.`),
    offset: nullish(wireInteger({ min: 0, max: MAX_OFFSET })),
    ...filterFields,
    authors: nullish(wireArray(wireString({ max: 500 }), { max: 100 })),
    sort: nullish(wireEnum(['relevance', 'date'])).describe('Default: `relevance`. `date`: newest first.'),
    tz: nullish(wireString({ max: 100 })).describe('Time zone of dates in the query. Default: UTC.'),
  })
  .meta({ id: 'SearchAsRequest' })

const SearchAsResponse = z
  .object({
    person: z.object({ id: z.string(), email: z.string(), role: z.enum(ROLES) }).describe('The person who finds this.'),
    results: z.array(SearchResult),
    total: z.int(),
    total_relation: z.enum(['eq', 'gte']),
    understood: SearchUnderstood.describe('The parsed query.'),
    corrected_query: z.string().nullable(),
  })
  .meta({ id: 'SearchAsResponse' })

/** A suspended person and one whose role cannot search get an error, because their own searches are refused. */
async function getSearcher({ db }: RouteServices<'db'>, idOrEmail: string): Promise<PersonSubject> {
  const found = await findPersonSubject(db, idOrEmail)
  if (found === undefined) throw new AppError('PERSON_NOT_FOUND')
  if (found.person.is_active === 0) throw new AppError('PERSON_SUSPENDED')
  if (!found.subject.rights.has('search')) throw new AppError('PERSON_CANNOT_SEARCH')
  return found
}

export const searchAsRoutes = [
  route({
    name: 'searchAs',
    method: 'POST',
    path: '/admin/access/search-as',
    access: 'admin',
    pool: 'search',
    tag: 'Search',
    summary: 'Search as a person',
    description: `Returns what this person finds in a session. It works only while the setting \`view_as_enabled\` is true. Each search
is audited with the person and the number of results, without the query, which is stored nowhere: neither among the queries
of the person nor in query analytics.`,
    body: SearchAsRequest,
    audit: {
      action: 'access.viewed_as',
      object: (_, { person }) => person.id,
      counts: ({ results }) => [`${results.length} results`],
    },
    reply: SearchAsResponse,
    errors: ['INVALID_INPUT', 'VIEW_AS_DISABLED', 'PERSON_NOT_FOUND', 'PERSON_SUSPENDED', 'PERSON_CANNOT_SEARCH'],
    services: ['db', 'retrieve', 'now'],
    handle: async ({ body, services }) => {
      const { db } = services
      if (!(await getSettings(db)).view_as_enabled) throw new AppError('VIEW_AS_DISABLED')
      checkTimeZone(body.tz)
      const { person, subject } = await getSearcher(services, body.person)
      const filters = await searchFilters(body, subject, db)
      const { results, offset, understood, total, total_relation, corrected_query } = await services.retrieve(subject, {
        query: body.query,
        filters,
        offset: body.offset ?? 0,
        limit: body.num_hits ?? DEFAULT_HITS,
        sort: body.sort ?? 'relevance',
        tz: body.tz ?? undefined,
        isAnswersOnly: Object.keys(filters).length === 0,
      })
      const context = await resultContext(services, subject, results)
      return {
        person: { id: person.id, email: person.email, role: person.role },
        results: results.map((it, index) => searchResult(it, offset + index + 1, context)),
        ...{ total, total_relation, corrected_query },
        understood: understoodQuery(understood),
      }
    },
  }),
]
