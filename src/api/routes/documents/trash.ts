import { z } from 'zod'
import type { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { DELETION_CAUSES } from '../../../domain/trash.ts'
import { getDocumentScope } from '../../../identity/access.ts'
import {
  deletePermanently,
  listTrash,
  type RestoreResult,
  restoreFromTrash,
  type TrashCaller,
} from '../../../ingestion/push/trash.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireDocumentId,
  wireInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { type RouteServices, route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'

const trashUser = async ({ db }: RouteServices<'db'>, subject: Subject): Promise<TrashCaller> => ({
  owner: subject.user_id,
  scope: await getDocumentScope(db, subject),
})

const MAX_LISTED = 200
const DEFAULT_LISTED = 50
const MAX_IDS = 1_000
const VISIBILITY_NOTE =
  'Keys that manage connectors can access every document in the trash; other keys only documents that their owner pushed or deleted.'

const TrashedDocument = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    link: z.string().nullable(),
    source: z.string(),
    from_ingestion_api: z.boolean().describe('False if a connector read the document.'),
    cc_pairs: z
      .array(z.object({ id: z.int(), name: z.string() }))
      .describe(
        'The pairs that the document is restored to. Empty if they were deleted or are unknown; then specify one.',
      ),
    deleted_at: z.iso.datetime(),
    deleted_by: z
      .string()
      .nullable()
      .describe(
        'The person the key acted for, or else the `user_id` of the key. Null if deleted automatically or unknown.',
      ),
    deletion_cause: z
      .enum(DELETION_CAUSES)
      .nullable()
      .describe(
        '`request`: deleted through the API. `pair`: its connector was deleted. `prune`: it no longer existed in the source. Null if unknown.',
      ),
    expires_at: z.iso
      .datetime()
      .describe('When it is deleted permanently, according to the current `trash_retention_days`.'),
    request_id: z.string().nullable().describe('The id of the request that deleted it.'),
  })
  .meta({ id: 'TrashedDocument' })

/** The opaque cursor: deletion time and sequence number of the last item. */
const CURSOR = /^(\d{1,15})-(\d{1,15})$/
const parseCursor = (text: string | null) => {
  const [, deletedAt, seq] = CURSOR.exec(text ?? '') ?? []
  return deletedAt === undefined ? null : { deleted_at: Number(deletedAt), seq: Number(seq) }
}

const optionalText = (max: number) => nullish(wireString({ min: 1, max, pattern: WITHOUT_NUL }))

const listTrashRoute = route({
  name: 'listTrash',
  method: 'GET',
  path: '/service-api/trash',
  access: 'ingest',
  tag: 'Ingestion',
  summary: 'List trash',
  description: `Most recently deleted first. ${VISIBILITY_NOTE}`,
  query: z.object({
    limit: nullish(wireInteger({ min: 1, max: MAX_LISTED })).describe('Default: 50.'),
    after: nullish(wireString({ max: 40, pattern: CURSOR })).describe('`next_after` of the previous page.'),
    source: optionalText(100),
    title: optionalText(200).describe('Substring of the title.'),
    deleted_by: optionalText(500),
    from: nullish(wireDateTime()).describe('Deleted at or after this time.'),
    until: nullish(wireDateTime()).describe('Deleted before this time.'),
  }),
  reply: z
    .object({ items: z.array(TrashedDocument), next_after: z.string().nullable() })
    .meta({ id: 'TrashedDocumentPage' }),
  services: ['db'],
  handle: async ({ query: { limit, after, ...filter }, subject, services }) => {
    const page = { after: parseCursor(after), limit: limit ?? DEFAULT_LISTED }
    const found = await listTrash(services, await trashUser(services, subject), filter, page)
    const last = found.at(-1)
    return {
      items: found.map(({ seq: _, ...it }) => ({
        ...it,
        deleted_at: iso(it.deleted_at),
        expires_at: iso(it.expires_at),
      })),
      next_after: last === undefined || found.length < page.limit ? null : `${last.deleted_at}-${last.seq}`,
    }
  },
})

const RestoreRequest = z
  .object({
    document_ids: wireArray(wireDocumentId(), { min: 1, max: MAX_IDS }),
    cc_pair_id: nullish(wireInteger({ min: 1 })).describe(
      'The pair to restore to. Default: the former pairs of each document. Required if these were deleted or are unknown.',
    ),
  })
  .meta({ id: 'RestoreRequest' })

const RestoredDocument = z
  .object({
    document_id: z.string(),
    status: z.enum(['restored', 'failed']),
    held_from_prune: z
      .boolean()
      .describe(
        'True if a connector had read the document, so that it may no longer exist in the source. Pruning ignores it until the source lists it again; DELETE /service-api/ingestion/{document_id} deletes it.',
      ),
    error_code: z.string().optional(),
    detail: z.string().optional(),
  })
  .meta({ id: 'RestoredDocument' })

const errorFields = ({ code, message }: AppError) => ({ error_code: code, detail: message })
const restoredDocument = (it: RestoreResult): z.infer<typeof RestoredDocument> => ({
  document_id: it.document_id,
  status: it.status,
  held_from_prune: it.status === 'restored' && it.isHeldFromPrune,
  ...(it.status === 'failed' && errorFields(it.error)),
})

const restoreFromTrashRoute = route({
  name: 'restoreFromTrash',
  method: 'POST',
  path: '/service-api/trash/restore',
  access: 'ingest',
  pool: 'write',
  tag: 'Ingestion',
  summary: 'Restore from trash',
  description: `Restores each document independently; they become searchable shortly after. ${VISIBILITY_NOTE}`,
  audit: { action: 'document.restore', object: ({ body }) => singleDocumentObject(body.document_ids) },
  body: RestoreRequest,
  reply: z.object({ results: z.array(RestoredDocument) }).meta({ id: 'RestoreResponse' }),
  errors: ['CC_PAIR_NOT_FOUND', 'STORE_FULL', 'DISK_LOW', 'QUEUE_FULL'],
  services: ['db', 'indexer', 'now'],
  checkCapacity: ({ indexer }) => indexer.checkRoom(),
  handle: async ({ body: { document_ids, cc_pair_id }, subject, services, requestId }) => {
    const ids = uniqueIds(document_ids)
    const user = await trashUser(services, subject)
    const results = await restoreFromTrash(services, user, { ids, ccPairId: cc_pair_id }, requestId)
    return { results: results.map(restoredDocument) }
  },
})

/** Returns the audit object of a single document. For several documents, the audit entry holds the request id instead. */
const singleDocumentObject = ([id, ...more]: readonly (string | null)[]): string | null =>
  typeof id === 'string' && more.length === 0 ? auditedDocumentId(id) : null

const uniqueIds = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((it) => it !== null))]

const EmptyTrashRequest = z
  .object({ document_ids: nullish(wireArray(wireDocumentId(), { min: 1, max: MAX_IDS })), all: nullish(wireBoolean()) })
  .refine(
    ({ document_ids, all }) => (document_ids !== null) !== (all === true),
    'send either document_ids or all: true',
  )
  .meta({ id: 'EmptyTrashRequest' })

const emptyTrashRoute = route({
  name: 'emptyTrash',
  method: 'POST',
  path: '/service-api/trash/empty',
  access: 'ingest',
  pool: 'write',
  tag: 'Ingestion',
  summary: 'Empty trash',
  description:
    'Permanently deletes the given documents, or all documents, from the trash. They can no longer be restored, and are removed from the database once the index no longer contains them. Documents that are not in the trash are ignored. A key that does not manage connectors can only delete documents that its owner pushed.',
  audit: { action: 'document.purge', object: ({ body }) => singleDocumentObject(body.document_ids ?? []) },
  body: EmptyTrashRequest,
  reply: z.object({ deleted: z.int() }).meta({ id: 'EmptyTrashResponse' }),
  services: ['db', 'indexer', 'now'],
  handle: async ({ body: { document_ids }, subject, services }) => {
    const ids = document_ids === null ? 'all' : uniqueIds(document_ids)
    return { deleted: await deletePermanently(services, await trashUser(services, subject), ids) }
  },
})

export const trashRoutes = [listTrashRoute, restoreFromTrashRoute, emptyTrashRoute]
