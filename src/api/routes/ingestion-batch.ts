// Many documents over one request, a line each.
import { z } from 'zod'
import { writableBy } from '../../identity/access.ts'
import { acceptAll } from '../../ingestion/accept.ts'
import { linesRoute } from '../route.ts'
import { IngestionRequest } from './ingestion.ts'

const DESCRIPTION = `Each line is a body of \`POST /service-api/ingestion\`; the answer has a line for each, in their order, with its number (blank lines are counted and not answered). A line that does not fit is refused alone, with what the single request would answer. A line is answered when its document is on the disk.

Lines may be sent and answers read at the same time, or all be sent first. The last line is \`{"done": true, …}\`. An answer that ends with \`{"done": false, "resume_line": …}\`, or with neither, broke off: send the lines again from the first one without an answer, or all of them with \`?from_line=\`. What was sent twice is taken once.`

const BatchResult = z
  .object({ line: z.int(), document_id: z.string(), already_existed: z.boolean(), status: z.literal('accepted') })
  .meta({ id: 'IngestionBatchResult' })

const ErrorOfLine = z
  .object({
    error_code: z.string().optional(),
    detail: z.union([z.string(), z.array(z.unknown())]).describe('As in the answer to a single request.'),
    message: z.string().optional(),
    retry_after: z.int().optional().describe('Seconds to wait before sending the rest.'),
  })
  .meta({ id: 'IngestionBatchError' })

const BatchFailure = z.object({ line: z.int(), error: ErrorOfLine }).meta({ id: 'IngestionBatchFailure' })

const BatchEnd = z
  .object({
    done: z.boolean(),
    lines: z.int().describe('How many were read, blank ones too.'),
    accepted: z.int(),
    failed: z.int(),
    resume_line: z.int().optional().describe('The first line that was not taken, when it is not done.'),
    error: ErrorOfLine.optional().describe('Why it is not done.'),
  })
  .meta({ id: 'IngestionBatchEnd' })

export const ingestionBatchRoutes = [
  linesRoute({
    path: '/service-api/ingestion/batch',
    access: 'ingest',
    tag: 'Ingestion',
    summary: 'Ingest many documents',
    description: DESCRIPTION,
    line: IngestionRequest,
    reply: z.union([BatchResult, BatchFailure, BatchEnd]),
    errors: ['QUEUE_FULL'],
    admit: ({ indexer }) => indexer.checkRoom(),
    lines: async (pushes, { subject, services, requestId }) => {
      const { user_id } = subject
      const writable = await writableBy(services.db, subject)
      const results = await acceptAll(services, { user_id, writable }, pushes, requestId)
      return results.map((it) =>
        it instanceof Error
          ? it
          : { document_id: it.document_id, already_existed: it.already_existed, status: 'accepted' },
      )
    },
  }),
]
