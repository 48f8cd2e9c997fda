import { z } from 'zod'
import { hideDocument } from '../../../ingestion/push/hide-document.ts'
import { WITHOUT_NUL, wireBoolean, wireString } from '../../../wire/schemas.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { route } from '../../route.ts'

const HiddenUpdate = z
  .object({
    document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
    hidden: wireBoolean(),
  })
  .meta({ id: 'HiddenUpdateRequest' })

export const hiddenDocumentRoutes = [
  route({
    name: 'setDocumentHidden',
    method: 'POST',
    path: '/manage/admin/doc-hidden',
    access: 'connectors',
    tag: 'Ingestion',
    summary: 'Hide or show document',
    description:
      'Nobody finds a hidden document, and its text reaches no language model. It stays in listings of keys that manage connectors, and stays hidden when its source or a client sends it again.',
    audit: {
      action: 'document.set_hidden',
      object: ({ body }) => auditedDocumentId(body.document_id),
      counts: ({ hidden }) => [hidden ? 'hidden' : 'shown'],
    },
    body: HiddenUpdate,
    reply: z.object({ document_id: z.string(), hidden: z.boolean() }).meta({ id: 'HiddenUpdateResponse' }),
    errors: ['DOCUMENT_NOT_FOUND', 'STORE_FULL'],
    services: ['db', 'indexer', 'now'],
    handle: async ({ body: { document_id, hidden }, services, requestId }) => {
      await hideDocument(services, document_id, { isHidden: hidden, requestId })
      return { document_id, hidden }
    },
  }),
]
