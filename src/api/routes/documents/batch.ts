// Ingests many documents in one request, one per line.
import { z } from 'zod'
import { getDocumentScope } from '../../../identity/access.ts'
import { acceptDocumentBatch } from '../../../ingestion/push/accept-document.ts'
import { ndjsonRoute } from '../../route.ts'
import { IngestionRequest, resultWarnings, warningsField } from './ingestion.ts'

const DESCRIPTION = `Each line is a request body of \`POST /service-api/ingestion\`. The response has one line per request line, in the same order, with its line number; blank lines are counted but have no response. An invalid line is rejected individually, with the error that a single request would return. A line is acknowledged once its document is on disk.

Clients may read responses while they send lines, or send all lines first. The last line is \`{"done": true, …}\`. A response that ends with \`{"done": false, "resume_line": …}\`, or with neither, was interrupted: send the lines again from the first one without a response, or all of them with \`?from_line=\`. Documents sent twice are stored once.`

const IngestionBatchResult = z
  .object({
    line: z.int(),
    document_id: z.string(),
    already_existed: z.boolean(),
    status: z.literal('accepted'),
    ignored_fields: z.array(z.string()).optional().describe('Paths of unknown fields.'),
    warnings: resultWarnings,
  })
  .meta({ id: 'IngestionBatchResult' })

const IngestionBatchError = z
  .object({
    error_code: z.string().optional(),
    detail: z.union([z.string(), z.array(z.unknown())]).describe('Same as in the response to a single request.'),
    message: z.string().optional(),
    retry_after: z.int().optional().describe('Seconds to wait before sending the remaining lines.'),
  })
  .meta({ id: 'IngestionBatchError' })

const IngestionBatchFailure = z
  .object({ line: z.int(), error: IngestionBatchError })
  .meta({ id: 'IngestionBatchFailure' })

const IngestionBatchEnd = z
  .object({
    done: z.boolean(),
    lines: z.int().describe('Number of lines read, including blank lines.'),
    accepted: z.int(),
    failed: z.int(),
    resume_line: z.int().optional().describe('The first line that was not processed, if `done` is false.'),
    error: IngestionBatchError.optional().describe('Why `done` is false.'),
  })
  .meta({ id: 'IngestionBatchEnd' })

export const ingestionBatchRoutes = [
  ndjsonRoute({
    name: 'ingestDocumentBatch',
    path: '/service-api/ingestion/batch',
    access: 'ingest',
    tag: 'Ingestion',
    summary: 'Ingest documents in batch',
    description: DESCRIPTION,
    line: IngestionRequest,
    reply: z.union([IngestionBatchResult, IngestionBatchFailure, IngestionBatchEnd]),
    errors: ['QUEUE_FULL'],
    services: ['db', 'indexer', 'recognition', 'transcripts', 'captions', 'logger', 'meter', 'now'],
    checkCapacity: ({ indexer }) => indexer.checkRoom(),
    lines: async (requests, { subject, services, requestId }) => {
      const scope = await getDocumentScope(services.db, subject)
      const pusher = { user_id: subject.user_id, owner: subject.user_id, scope }
      const results = await acceptDocumentBatch(services, pusher, requests, requestId)
      return results.map((it) =>
        it instanceof Error
          ? it
          : {
              document_id: it.document_id,
              already_existed: it.already_existed,
              status: 'accepted',
              ...warningsField(it.warnings),
            },
      )
    },
  }),
]
