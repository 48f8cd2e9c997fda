// Explains to an administrator whether a person may read a document.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { ROLES } from '../../../domain/subject.ts'
import { ACCESS_REASONS, findPersonSubject } from '../../../identity/explain-access.ts'
import { findDocumentAccessFacts } from '../../../store/documents/access-facts.ts'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const AccessAnswer = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    person: z.object({ id: z.string(), email: z.string(), role: z.enum(ROLES), is_active: z.boolean() }),
    may_read: z.boolean().describe('Whether the person may read the document now, by the rule that searches apply.'),
    can_find: z.boolean().describe('Whether a search of the person can return it now. False while it is not indexed.'),
    reasons: z
      .array(
        z.object({
          kind: z.enum(ACCESS_REASONS),
          effect: z
            .enum(['grants', 'prevents', 'note'])
            .describe('`grants`: a ground to read it. `prevents`: why not. `note`: does not decide.'),
          detail: z.string(),
          group: z
            .object({
              name: z.string(),
              origin: z.string().describe('`manual`, the provider, or the connector whose source reports the group.'),
              cc_pair_id: z.int().nullable().describe('The connector whose source reports the group.'),
            })
            .nullable(),
          cc_pair: z.object({ id: z.int(), name: z.string() }).nullable(),
        }),
      )
      .describe('Each ground separately, then what prevents reading, then notes.'),
  })
  .meta({ id: 'AccessAnswer' })

export const documentAccessRoutes = [
  route({
    name: 'explainAccess',
    method: 'GET',
    path: '/admin/access',
    access: 'admin',
    pool: 'search',
    tag: 'Search',
    summary: 'Explain access',
    description: 'Answers whether a person may read a document, with every reason. The lookup is audited.',
    query: z.object({
      document: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }).describe('The id of the document.'),
      person: wireString({ min: 1, max: 320, pattern: WITHOUT_NUL }).describe('The id or the e-mail address.'),
    }),
    audit: { action: 'access.explain', object: (_, { person }) => person.id },
    reply: AccessAnswer,
    errors: ['DOCUMENT_NOT_FOUND', 'PERSON_NOT_FOUND'],
    services: ['db', 'explainAccess'],
    handle: async ({ query, services }) => {
      const document = await findDocumentAccessFacts(services.db, query.document)
      if (document === undefined) throw new AppError('DOCUMENT_NOT_FOUND')
      const found = await findPersonSubject(services.db, query.person)
      if (found === undefined) throw new AppError('PERSON_NOT_FOUND')
      const { id, email, role, is_active } = found.person
      return {
        document_id: document.id,
        semantic_identifier: document.semantic_identifier,
        person: { id, email, role, is_active: is_active === 1 },
        ...(await services.explainAccess(found, document)),
      }
    },
  }),
]
