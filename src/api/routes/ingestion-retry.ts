import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { documentId, nullish, wireArray, wireBoolean, wireInteger } from '../../domain/wire.ts'
import { writableBy } from '../../identity/access.ts'
import { retryFailed } from '../../ingestion/retry.ts'
import { getCcPair } from '../../store/cc-pairs.ts'
import { isWritable, type WritablePairs } from '../../store/documents.ts'
import type { FailedDocuments } from '../../store/receipts.ts'
import { route } from '../route.ts'
import type { Services } from '../services.ts'

const MAX_IDS = 1_000

const RetryRequest = z
  .object({
    document_ids: nullish(wireArray(documentId(), { min: 1, max: MAX_IDS })),
    cc_pair_id: nullish(wireInteger()),
    all: nullish(wireBoolean()),
  })
  .refine(
    ({ document_ids, cc_pair_id, all }) =>
      [document_ids !== null, cc_pair_id !== null, all === true].filter(Boolean).length === 1,
    'give one of document_ids, cc_pair_id and all: true',
  )
  .meta({ id: 'RetryRequest' })

async function failedOf(
  { db }: Services,
  writable: WritablePairs,
  { document_ids, cc_pair_id }: z.infer<typeof RetryRequest>,
): Promise<FailedDocuments> {
  if (document_ids !== null) return { document_ids: document_ids.filter((it) => it !== null) }
  if (cc_pair_id === null) return 'all'
  if (!isWritable(writable, cc_pair_id)) throw new AppError('CC_PAIR_NOT_FOUND', { id: cc_pair_id })
  await getCcPair(db, cc_pair_id)
  return { cc_pair_id }
}

export const ingestionRetryRoutes = [
  route({
    method: 'POST',
    path: '/service-api/ingestion/retry',
    access: 'ingest',
    tag: 'Ingestion',
    summary: 'Try failed documents again',
    description:
      'Those with these ids, those of a pair, or all of the pairs that the key may push to. Answers how many there were: documents that did not fail, or are not known, are none. What fails by itself is tried six times within half an hour before it counts as failed.',
    audit: { action: 'document.retry', by: 'admin' },
    body: RetryRequest,
    reply: z.object({ retried: z.int() }).meta({ id: 'RetryResponse' }),
    errors: ['CC_PAIR_NOT_FOUND', 'STORE_FULL'],
    handle: async ({ body, subject, services }) => {
      const writable = await writableBy(services.db, subject)
      return { retried: await retryFailed(services, writable, await failedOf(services, writable, body)) }
    },
  }),
]
