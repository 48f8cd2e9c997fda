import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import { retryFailedDocuments } from '../../../ingestion/push/retry.ts'
import type { FailedDocumentsFilter } from '../../../store/documents/receipts.ts'
import { type DocumentScope, isWritablePair, writablePairsOf } from '../../../store/documents/scope.ts'
import { getCcPair } from '../../../store/sources/cc-pairs.ts'
import { nullish, wireArray, wireBoolean, wireDocumentId, wireInteger } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'

const MAX_IDS = 1_000

const RetryRequest = z
  .object({
    document_ids: nullish(wireArray(wireDocumentId(), { min: 1, max: MAX_IDS })),
    cc_pair_id: nullish(wireInteger()),
    all: nullish(wireBoolean()),
  })
  .refine(
    ({ document_ids, cc_pair_id, all }) =>
      [document_ids !== null, cc_pair_id !== null, all === true].filter(Boolean).length === 1,
    'send exactly one of document_ids, cc_pair_id and all: true',
  )
  .meta({ id: 'RetryRequest' })

async function selectFailedDocuments(
  { db }: RouteServices<'db'>,
  scope: DocumentScope,
  { document_ids, cc_pair_id }: z.infer<typeof RetryRequest>,
): Promise<FailedDocumentsFilter> {
  if (document_ids !== null) return { document_ids: document_ids.filter((it) => it !== null) }
  if (cc_pair_id === null) return 'all'
  if (!isWritablePair(writablePairsOf(scope), cc_pair_id)) throw new AppError('CC_PAIR_NOT_FOUND', { id: cc_pair_id })
  await getCcPair(db, cc_pair_id)
  return { cc_pair_id }
}

export const ingestionRetryRoutes = [
  route({
    name: 'retryFailedDocuments',
    method: 'POST',
    path: '/service-api/ingestion/retry',
    access: 'ingest',
    tag: 'Ingestion',
    summary: 'Retry failed documents',
    description:
      'Retries the failed documents with the given ids, of a pair, or all. A key that does not manage connectors can retry the documents that it pushed or may read. Returns the number of retried documents; unknown documents and documents that did not fail are not counted. Before a document counts as failed, it is retried automatically up to six times within half an hour.',
    audit: { action: 'document.retry', onlyWithRight: 'admin' },
    body: RetryRequest,
    reply: z.object({ retried: z.int() }).meta({ id: 'RetryResponse' }),
    errors: ['CC_PAIR_NOT_FOUND', 'STORE_FULL'],
    services: ['db', 'indexer', 'now'],
    handle: async ({ body, subject, services }) => {
      const scope = await getDocumentScope(services.db, subject)
      return {
        retried: await retryFailedDocuments(services, scope, await selectFailedDocuments(services, scope, body)),
      }
    },
  }),
]
