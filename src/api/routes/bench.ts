// For `npm run bench`: the twin of the ingestion route that parses and answers, and keeps nothing.
import { contentOf } from '../../domain/document.ts'
import { route } from '../route.ts'
import { IngestionRequest, IngestionResult } from './ingestion.ts'

export const benchRoutes = [
  route({
    method: 'POST',
    path: '/bench/parse-only',
    access: 'ingest',
    tag: 'Bench',
    summary: 'Parse and answer',
    isHidden: true,
    body: IngestionRequest,
    reply: IngestionResult,
    handle: ({ body }) => ({
      document_id: contentOf(body.document).id,
      already_existed: false,
      status: 'accepted' as const,
    }),
  }),
]
