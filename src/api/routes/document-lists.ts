import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { nullish, pathInteger, WITHOUT_NUL, wireInteger, wireString } from '../../domain/wire.ts'
import { writableBy } from '../../identity/access.ts'
import { getCcPair } from '../../store/cc-pairs.ts'
import { type ListedDocument, listDocumentsOfPair, listPushedDocuments } from '../../store/document-lists.ts'
import { isWritable } from '../../store/documents.ts'
import { route } from '../route.ts'

const DocMinimalInfo = z
  .object({ document_id: z.string(), semantic_id: z.string(), link: z.string().nullable() })
  .meta({ id: 'DocMinimalInfo' })

const minimalInfo = (it: ListedDocument): z.infer<typeof DocMinimalInfo> => ({
  document_id: it.id,
  semantic_id: it.semantic_identifier,
  link: it.link,
})

/** As every page, but what names a document is a text. */
const MAX_LIMIT = 1_000
const DocumentPage = z
  .object({
    limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe('At most so many items; without it, all.'),
    after: nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL })).describe(
      'Only documents whose id comes after this one, byte by byte.',
    ),
  })
  .transform(({ limit, after }) => ({ limit: limit ?? Number.MAX_SAFE_INTEGER, after }))

const lists = { method: 'GET', access: 'ingest', tag: 'Ingestion' } as const

export const documentListRoutes = [
  route({
    ...lists,
    path: '/service-api/ingestion',
    summary: 'List documents that were pushed',
    description: 'Those of the connectors that the key may push to, in order of their ids.',
    query: DocumentPage,
    reply: z.array(DocMinimalInfo),
    handle: async ({ query, subject, services: { db } }) =>
      (await listPushedDocuments(db, await writableBy(db, subject), query)).map(minimalInfo),
  }),
  route({
    ...lists,
    path: '/service-api/connector-docs/{cc_pair_id}',
    summary: 'List documents of a pair',
    params: z.object({ cc_pair_id: pathInteger() }),
    query: DocumentPage,
    reply: z.array(DocMinimalInfo),
    errors: ['CC_PAIR_NOT_FOUND'],
    handle: async ({ params: { cc_pair_id: id }, query, subject, services: { db } }) => {
      if (!isWritable(await writableBy(db, subject), id)) throw new AppError('CC_PAIR_NOT_FOUND', { id })
      await getCcPair(db, id)
      return (await listDocumentsOfPair(db, id, query)).map(minimalInfo)
    },
  }),
]
