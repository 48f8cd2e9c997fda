import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { emailKeyOf, type Subject } from '../../../domain/subject.ts'
import { findPersonSubject } from '../../../identity/explain-access.ts'
import { EXPLANATION_STEPS } from '../../../retrieval/explain-missing.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { getSettings } from '../../../store/settings/settings.ts'
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

/** The subject of another person. It is only looked at while `view_as_enabled` is on, as in a search as this person. */
async function getOtherSubject({ db }: RouteServices<'db'>, idOrEmail: string): Promise<Subject> {
  if (!(await getSettings(db)).view_as_enabled) throw new AppError('VIEW_AS_DISABLED')
  const found = await findPersonSubject(db, idOrEmail)
  if (found === undefined) throw new AppError('PERSON_NOT_FOUND')
  return found.subject
}

const isOwnAddress = ({ email }: Subject, asked: string): boolean =>
  email !== null && emailKeyOf(email) === emailKeyOf(asked)

/** The id of the other person; null if the caller asked for themselves. */
async function auditedPerson(db: Queryable, subject: Subject, asked: string | null): Promise<string | null> {
  if (asked === null || isOwnAddress(subject, asked)) return null
  return (await findPersonSubject(db, asked))?.person.id ?? null
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
      'Traces a document from the database to the first page of a search, and returns the step that lost it. With `as_user`, evaluates the search of this person; this works only while the setting `view_as_enabled` is true, and is audited with the person and without the query.',
    audit: {
      action: 'access.explain_missing',
      object: ({ query, subject, services }) => auditedPerson(services.db, subject, query.as_user),
    },
    query: z.object({
      document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
      query: wireString({ min: 1, max: 2_048 }),
      as_user: nullish(wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })).describe(
        'The id or the e-mail address.',
      ),
    }),
    reply: WhyNotFound,
    errors: ['VIEW_AS_DISABLED', 'PERSON_NOT_FOUND'],
    services: ['db', 'explainMissing'],
    handle: async ({ query: { document_id, query, as_user }, subject, services }) => {
      const isOwn = as_user === null || isOwnAddress(subject, as_user)
      const asker = isOwn ? subject : await getOtherSubject(services, as_user)
      return { document_id, query, as_user, ...(await services.explainMissing(asker, { document_id, query })) }
    },
  }),
]
