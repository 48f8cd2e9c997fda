import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { FEEDBACK_KINDS, MAX_GRADE } from '../../../domain/search/relevance.ts'
import type { Subject } from '../../../domain/subject.ts'
import { displayTitle } from '../../../domain/values/display-text.ts'
import { getAccess } from '../../../identity/access.ts'
import { findReadableDocuments } from '../../../relevance/readable-documents.ts'
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
import { type RouteServices, route } from '../../route.ts'
import { csvRow } from '../../views/csv.ts'
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
    semantic_identifier: z
      .string()
      .nullable()
      .describe('Null if the document no longer exists, or this key may not read it.'),
    grade: z.int(),
    user_id: z.string().describe('The user id of the key that made the judgement.'),
    judged_at: z.iso.datetime(),
  })
  .meta({ id: 'Judgement' })

/** Names the documents that the subject may read. */
async function judgementView(
  { db }: RouteServices<'db'>,
  subject: Subject,
  judgements: readonly StoredJudgement[],
): Promise<(it: StoredJudgement) => z.infer<typeof Judgement>> {
  const ids = [...new Set(judgements.map((it) => it.document_id))]
  const documents = await findReadableDocuments(db, ids, await getAccess(db, subject))
  return (it) => {
    const named = documents.get(it.document_id)
    const semantic_identifier = named === undefined ? null : displayTitle(named.semantic_identifier)
    return { ...it, semantic_identifier, judged_at: iso(it.judged_at) }
  }
}

const COLUMNS = ['query', 'document_id', 'semantic_identifier', 'grade', 'judged_at'] as const
const BATCH = 1_000

async function* judgementsCsv(services: RouteServices<'db'>, subject: Subject): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  let after = -1
  for (;;) {
    const judgements = await listJudgements(services.db, { query: null, after, limit: BATCH })
    for (const it of judgements.map(await judgementView(services, subject, judgements)))
      yield csvRow(COLUMNS.map((column) => it[column]))
    const last = judgements.at(-1)
    if (last === undefined || judgements.length < BATCH) return
    after = last.id
  }
}

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
    handle: async ({ body, subject, services }) => {
      const { db, now } = services
      const documents = await findDocuments(db, [body.document_id])
      if (documents.length === 0) throw new AppError('DOCUMENT_NOT_FOUND')
      const judgement = await saveJudgement(db, { ...body, user_id: subject.user_id, judged_at: now() })
      return (await judgementView(services, subject, [judgement]))(judgement)
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
    handle: async ({ query: page, subject, services }) => {
      const judgements = await listJudgements(services.db, page)
      return judgements.map(await judgementView(services, subject, judgements))
    },
  }),
  route({
    ...judgementDefaults,
    name: 'exportJudgementsCsv',
    method: 'GET',
    path: '/admin/relevance/judgements/csv',
    summary: 'Export judgements as CSV',
    audit: { action: 'judgement.export' },
    reply: z.custom<Readable>().meta({ type: 'string' }),
    mediaType: 'text/csv; charset=utf-8',
    services: ['db'],
    handle: ({ subject, services }) => Readable.from(judgementsCsv(services, subject)),
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
