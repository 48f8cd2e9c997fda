import { z } from 'zod'
import { emailKeyOf, type Subject } from '../../../domain/subject.ts'
import { EXPLANATION_STEPS } from '../../../retrieval/explain-missing.ts'
import { listGroupsOfPerson } from '../../../store/identity/groups.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'

const WhyNotFound = z
  .object({
    document_id: z.string(),
    query: z.string(),
    as_user: z.string().nullable(),
    steps: z.array(
      z.object({ step: z.enum(EXPLANATION_STEPS), status: z.enum(['ok', 'note', 'lost']), detail: z.string() }),
    ),
    lost_at: z
      .enum(EXPLANATION_STEPS)
      .nullable()
      .describe('The step that lost the document. Null if it is on the first page.'),
    place: z.int().nullable().describe('Rank of the document among all results, starting at 1.'),
  })
  .meta({ id: 'WhyNotFound' })

/** Returns a basic subject with this address and the groups of the person. */
async function personSubject({ db }: RouteServices<'db'>, email: string): Promise<Subject> {
  const groups = await listGroupsOfPerson(db, emailKeyOf(email))
  return {
    api_key_id: null,
    user_id: '',
    person_id: null,
    usage_id: '',
    email,
    groups,
    curated_groups: [],
    role: 'basic',
    rights: new Set(),
    scopes: null,
    credential: { kind: 'key', kid: null },
  }
}

export const explainMissingRoutes = [
  route({
    name: 'explainMissingDocument',
    method: 'GET',
    path: '/admin/search/why',
    access: 'admin',
    pool: 'search',
    tag: 'Search',
    summary: 'Explain missing document',
    description:
      'Traces a document from the database to the first page of a search, and returns the step that lost it. With `as_user`, evaluates the search for the person with this email address and their groups.',
    query: z.object({
      document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
      query: wireString({ min: 1, max: 2_048 }),
      as_user: nullish(wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })),
    }),
    reply: WhyNotFound,
    services: ['db', 'explainMissing'],
    handle: async ({ query: { document_id, query, as_user }, subject, services }) => {
      const asker = as_user === null ? subject : await personSubject(services, as_user)
      return { document_id, query, as_user, ...(await services.explainMissing(asker, { document_id, query })) }
    },
  }),
]
