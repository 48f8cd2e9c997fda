import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { FEEDBACK_KINDS, MAX_GRADE } from '../../../domain/search/relevance.ts'
import { recordFeedback } from '../../../relevance/record-feedback.ts'
import { findDocuments } from '../../../store/documents/documents.ts'
import {
  deleteFeedbackOfUser,
  deleteJudgement,
  listJudgements,
  type StoredJudgement,
  saveJudgement,
} from '../../../store/search/judgements.ts'
import {
  NOT_BLANK,
  nullish,
  WITHOUT_NUL,
  wireEnum,
  wireInteger,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { pageFields, toPage } from '../../wire/page.ts'

const MAX_QUERY = 2_048
const query = wireString({ min: 1, max: MAX_QUERY, pattern: NOT_BLANK })
const documentId = wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL })

const Judgement = z
  .object({
    id: z.int(),
    query: z.string().describe('Lower-cased and trimmed: case and surrounding whitespace are ignored.'),
    document_id: z.string(),
    grade: z.int(),
    user_id: z.string().describe('The user id of the key that made the judgement.'),
    judged_at: z.iso.datetime(),
  })
  .meta({ id: 'Judgement' })

const judgementSnapshot = (it: StoredJudgement): z.infer<typeof Judgement> => ({ ...it, judged_at: iso(it.judged_at) })

const judgementDefaults = { access: 'connectors', tag: 'Relevance' } as const

export const judgementRoutes = [
  route({
    name: 'recordSearchFeedback',
    method: 'POST',
    path: '/search/feedback',
    access: 'search',
    tag: 'Relevance',
    summary: 'Record search feedback',
    description:
      'Records a click or a thumb for a document that an own search returned. Clicks accumulate; the last thumb wins. Feedback does not change the ranking directly, but is used to evaluate changes of the ranking.',
    body: z
      .object({
        search_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
        document_id: documentId,
        kind: wireEnum(FEEDBACK_KINDS),
      })
      .meta({ id: 'SearchFeedback' }),
    reply: z.null(),
    errors: ['SEARCH_NOT_FOUND'],
    services: ['db', 'queryLog'],
    handle: async ({ body, subject, services }) => {
      await recordFeedback(services, subject, body)
      return null
    },
  }),
  route({
    name: 'deleteSearchFeedback',
    method: 'DELETE',
    path: '/search/feedback',
    access: 'search',
    tag: 'Relevance',
    summary: 'Delete own feedback',
    description:
      'Deletes what the caller opened and how the caller rated results. The ranking no longer learns from it. The request is idempotent.',
    reply: z.null(),
    services: ['db'],
    handle: async ({ subject, services }) => {
      await deleteFeedbackOfUser(services.db, subject.user_id)
      return null
    },
  }),
  route({
    ...judgementDefaults,
    name: 'putJudgement',
    method: 'PUT',
    path: '/admin/relevance/judgements',
    summary: 'Set judgement',
    description:
      'Grades how relevant a document is to a query, from 0 (irrelevant) to 3 (perfect). Replaces an earlier judgement and takes precedence over thumbs and clicks.',
    body: z
      .object({ query, document_id: documentId, grade: wireInteger({ min: 0, max: MAX_GRADE }) })
      .meta({ id: 'JudgementRequest' }),
    audit: { action: 'judgement.put', object: (_, created) => created.id },
    reply: Judgement,
    errors: ['DOCUMENT_NOT_FOUND'],
    services: ['db', 'now'],
    handle: async ({ body, subject: { user_id }, services: { db, now } }) => {
      const documents = await findDocuments(db, [body.document_id])
      if (documents.length === 0) throw new AppError('DOCUMENT_NOT_FOUND')
      return judgementSnapshot(await saveJudgement(db, { ...body, user_id, judged_at: now() }))
    },
  }),
  route({
    ...judgementDefaults,
    name: 'listJudgements',
    method: 'GET',
    path: '/admin/relevance/judgements',
    summary: 'List judgements',
    query: z
      .object({ query: nullish(query).describe('Only judgements of this query.'), ...pageFields })
      .transform((it) => ({ query: it.query, ...toPage(it) })),
    reply: z.array(Judgement),
    services: ['db'],
    handle: async ({ query: page, services: { db } }) => (await listJudgements(db, page)).map(judgementSnapshot),
  }),
  route({
    ...judgementDefaults,
    name: 'deleteJudgement',
    method: 'DELETE',
    path: '/admin/relevance/judgements/{judgement_id}',
    summary: 'Delete judgement',
    params: z.object({ judgement_id: wirePathInteger() }),
    audit: { action: 'judgement.delete', object: 'judgement_id' },
    reply: z.null(),
    errors: ['JUDGEMENT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, services: { db } }) => {
      await deleteJudgement(db, params.judgement_id)
      return null
    },
  }),
]
