// The file of a document, for those who may read the document.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { readerPath } from '../../../domain/originals/place-link.ts'
import type { Subject } from '../../../domain/subject.ts'
import { getAccess } from '../../../identity/access.ts'
import { findOriginal } from '../../../store/files/originals.ts'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { OriginalResponse } from '../../http/original.ts'
import { route } from '../../route.ts'

export const originalRoutes = [
  route({
    name: 'getDocumentOriginal',
    method: 'GET',
    path: '/document/original',
    access: 'search',
    tag: 'Search',
    summary: 'Get the original of a document',
    description:
      'Returns the uploaded file of a document that the key may read, or an own upload. PDFs, PNG, JPEG, GIF and WebP pictures and plain text are sent to be shown, all others as an attachment; the content decides. For a member of an archive it is the archive. Supports `Range`, `If-Range` and `If-None-Match`. A browser that opens the address and gets an error sees the page of the document instead.',
    query: z.object({
      document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }).describe('The id of the document.'),
    }),
    reply: z.instanceof(OriginalResponse),
    isDownload: true,
    hasRanges: true,
    pageOnError: ({ document_id }) => readerPath(document_id),
    errors: ['DOCUMENT_NOT_FOUND', 'ORIGINAL_NOT_FOUND', 'FILE_NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
    services: ['db'],
    handle: async ({ query, subject, services: { db } }) => {
      const reader = { subject, access: await getAccess(db, subject), mayReadUploads: mayReadUploads(subject) }
      const original = await findOriginal(db, reader, query.document_id)
      if (original === 'unreadable') throw new AppError('DOCUMENT_NOT_FOUND')
      if (original === 'none') throw new AppError('ORIGINAL_NOT_FOUND')
      return new OriginalResponse(original.file)
    },
  }),
]

const mayReadUploads = ({ rights }: Subject): boolean => rights.has('files') || rights.has('ingest')
