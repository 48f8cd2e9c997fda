// For `npm run bench`: parses a document like the ingestion route, but stores nothing.
import { toDocumentContent } from '../../../domain/document.ts'
import { route } from '../../route.ts'
import { IngestionRequest, IngestionResult } from '../documents/ingestion.ts'

export const benchRoutes = [
  route({
    name: 'parseOnly',
    method: 'POST',
    path: '/bench/parse-only',
    access: 'ingest',
    tag: 'Bench',
    summary: 'Parse document',
    isHidden: true,
    body: IngestionRequest,
    reply: IngestionResult,
    handle: ({ body }) => ({
      document_id: toDocumentContent(body.document).id,
      already_existed: false,
      status: 'accepted' as const,
    }),
  }),
]
