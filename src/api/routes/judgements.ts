import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { FEEDBACK_KINDS, MAX_GRADE } from '../../domain/relevance.ts'
import {
  HOLDS_A_WORD,
  nullish,
  pathInteger,
  WITHOUT_NUL,
  wireEnum,
  wireInteger,
  wireString,
} from '../../domain/wire.ts'
import { judge } from '../../relevance/judge.ts'
import { findDocuments } from '../../store/documents.ts'
import { deleteJudgement, listJudgements, putJudgement, type StoredJudgement } from '../../store/judgements.ts'
import { iso } from '../iso.ts'
import { pageFields, pageOf } from '../page.ts'
import { route } from '../route.ts'

const MAX_QUERY = 2_048
const query = wireString({ min: 1, max: MAX_QUERY, pattern: HOLDS_A_WORD })
const documentId = wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL })

const Judgement = z
  .object({
    id: z.int(),
    query: z.string().describe('In lower case: case and the space around do not matter.'),
    document_id: z.string(),
    grade: z.int(),
    user_id: z.string().describe('Of the key that judged.'),
    judged_at: z.iso.datetime(),
  })
  .meta({ id: 'Judgement' })

const snapshot = (it: StoredJudgement): z.infer<typeof Judgement> => ({ ...it, judged_at: iso(it.judged_at) })

const judgements = { access: 'connectors', tag: 'Relevance' } as const

export const judgementRoutes = [
  route({
    method: 'POST',
    path: '/search/feedback',
    access: 'search',
    tag: 'Relevance',
    summary: 'Say that a result was opened, or did or did not fit',
    description:
      'Of an own search, and of a document that it has shown. A click stays, of thumbs the last one counts. It changes no ranking: changes of the ranking are tried on it.',
    body: z
      .object({
        search_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
        document_id: documentId,
        kind: wireEnum(FEEDBACK_KINDS),
      })
      .meta({ id: 'SearchFeedback' }),
    reply: z.null(),
    errors: ['SEARCH_NOT_FOUND'],
    handle: async ({ body, subject, services }) => {
      await judge(services, subject, body)
      return null
    },
  }),
  route({
    ...judgements,
    method: 'PUT',
    path: '/admin/relevance/judgements',
    summary: 'Judge how well a document fits a query',
    description:
      'From 0, no answer at all, to 3, the answer. It takes the place of what was judged before, and outweighs thumbs and clicks.',
    body: z
      .object({ query, document_id: documentId, grade: wireInteger({ min: 0, max: MAX_GRADE }) })
      .meta({ id: 'JudgementRequest' }),
    audit: { action: 'judgement.put', object: (_, made) => made.id },
    reply: Judgement,
    errors: ['DOCUMENT_NOT_FOUND'],
    handle: async ({ body, subject: { user_id }, services: { db, now } }) => {
      const documents = await findDocuments(db, [body.document_id])
      if (documents.length === 0) throw new AppError('DOCUMENT_NOT_FOUND')
      return snapshot(await putJudgement(db, { ...body, user_id, judged_at: now() }))
    },
  }),
  route({
    ...judgements,
    method: 'GET',
    path: '/admin/relevance/judgements',
    summary: 'List judgements made by hand',
    query: z
      .object({ query: nullish(query).describe('Only those for this query.'), ...pageFields })
      .transform((it) => ({ query: it.query, ...pageOf(it) })),
    reply: z.array(Judgement),
    handle: async ({ query: page, services: { db } }) => (await listJudgements(db, page)).map(snapshot),
  }),
  route({
    ...judgements,
    method: 'DELETE',
    path: '/admin/relevance/judgements/{judgement_id}',
    summary: 'Delete a judgement',
    params: z.object({ judgement_id: pathInteger() }),
    audit: { action: 'judgement.delete', object: 'judgement_id' },
    reply: z.null(),
    errors: ['JUDGEMENT_NOT_FOUND'],
    handle: async ({ params, services: { db } }) => {
      await deleteJudgement(db, params.judgement_id)
      return null
    },
  }),
]
