import { z } from 'zod'
import type { Subject } from '../../domain/subject.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../domain/wire.ts'
import { STEPS } from '../../retrieval/why.ts'
import { findGroupsOf } from '../../store/api-keys.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'

const Why = z
  .object({
    document_id: z.string(),
    query: z.string(),
    as_user: z.string().nullable(),
    steps: z.array(z.object({ step: z.enum(STEPS), status: z.enum(['ok', 'note', 'lost']), detail: z.string() })),
    lost_at: z.enum(STEPS).nullable().describe('The step that lost the document; null when it is on the first page.'),
    place: z.int().nullable().describe('Among all that is found, from 1.'),
  })
  .meta({ id: 'WhyNotFound' })

/** Somebody with this address, in the groups of their keys and with no rights of an administrator. */
async function personOf({ db }: Services, email: string): Promise<Subject> {
  const groups = await findGroupsOf(db, email)
  return { api_key_id: null, user_id: '', email, groups, role: 'basic', rights: new Set(), scopes: null }
}

export const whyRoutes = [
  route({
    method: 'GET',
    path: '/admin/search/why',
    access: 'admin',
    lane: 'search',
    tag: 'Search',
    summary: 'Why is a document not found?',
    description:
      'The way of a document from the record to the first page of a search, step by step, and the step that lost it. With `as_user` for the person with that e-mail address, in the groups of their keys.',
    query: z.object({
      document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
      query: wireString({ min: 1, max: 2_048 }),
      as_user: nullish(wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })),
    }),
    reply: Why,
    handle: async ({ query: { document_id, query, as_user }, subject, services }) => {
      const asker = as_user === null ? subject : await personOf(services, as_user)
      return { document_id, query, as_user, ...(await services.why(asker, { document_id, query })) }
    },
  }),
]
