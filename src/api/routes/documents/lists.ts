import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { type DocumentListing, listDocumentsOfPair, listPushedDocuments } from '../../../store/documents/lists.ts'
import { isWritablePair, writablePairsOf } from '../../../store/documents/scope.ts'
import { getCcPair } from '../../../store/sources/cc-pairs.ts'
import { nullish, WITHOUT_NUL, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const DocMinimalInfo = z
  .object({ document_id: z.string(), semantic_id: z.string(), link: z.string().nullable() })
  .meta({ id: 'DocMinimalInfo' })

const docMinimalInfo = (it: DocumentListing): z.infer<typeof DocMinimalInfo> => ({
  document_id: it.id,
  semantic_id: it.semantic_identifier,
  link: it.link,
})

/** Like `PageQuery`, but document ids are strings. */
const MAX_LIMIT = 1_000
const DocumentPage = z
  .object({
    limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe('Maximum number of items. Default: unlimited.'),
    after: nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL })).describe(
      'Only documents whose id sorts after this one, in byte order.',
    ),
  })
  .transform(({ limit, after }) => ({ limit: limit ?? Number.MAX_SAFE_INTEGER, after }))

const listDefaults = { method: 'GET', access: 'ingest', tag: 'Ingestion' } as const

export const documentListRoutes = [
  route({
    ...listDefaults,
    name: 'listIngestedDocuments',
    path: '/service-api/ingestion',
    summary: 'List ingested documents',
    description:
      'Ordered by document id. A key that does not manage connectors sees the documents that it pushed or may read.',
    query: DocumentPage,
    reply: z.array(DocMinimalInfo),
    services: ['db'],
    handle: async ({ query, subject, services: { db }, signal }) =>
      (await listPushedDocuments(db, await getDocumentScope(db, subject), { ...query, signal })).map(docMinimalInfo),
  }),
  route({
    ...listDefaults,
    name: 'listCcPairDocuments',
    path: '/service-api/connector-docs/{cc_pair_id}',
    summary: 'List documents of a connector-credential pair',
    description:
      'Ordered by document id. A key that does not manage connectors sees the documents that it pushed or may read.',
    params: z.object({ cc_pair_id: wirePathInteger() }),
    query: DocumentPage,
    reply: z.array(DocMinimalInfo),
    errors: ['CC_PAIR_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params: { cc_pair_id: id }, query, subject, services: { db }, signal }) => {
      const scope = await getDocumentScope(db, subject)
      if (!isWritablePair(writablePairsOf(scope), id)) throw new AppError('CC_PAIR_NOT_FOUND', { id })
      await getCcPair(db, id)
      return (await listDocumentsOfPair(db, scope, id, { ...query, signal })).map(docMinimalInfo)
    },
  }),
]
