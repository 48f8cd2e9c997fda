// A person says that a document is still right, and sees the documents that name them as an owner.
import { z } from 'zod'
import { checkVerifiedUntil } from '../../../domain/freshness/verification.ts'
import { emailKeyOf } from '../../../domain/subject.ts'
import { listOwnedDocuments, type OwnedPlace } from '../../../store/freshness/stale-documents.ts'
import { deleteVerification, mapVerifications, saveVerification } from '../../../store/freshness/verifications.ts'
import { nullish, optionalNullable, WITHOUT_NUL, wireDateTime, wireInteger, wireString } from '../../../wire/schemas.ts'
import { collectReadable } from '../../checks/readable-rows.ts'
import { checkVerifiable } from '../../checks/verifiable-document.ts'
import { auditedDocumentId } from '../../http/with-audit.ts'
import { route } from '../../route.ts'
import { agedDocumentView, agedFields } from '../../views/freshness/aged-document.ts'
import { verificationField, verificationView } from '../../views/freshness/verification.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25
/** The opaque cursor: rank, age and sequence number of the last item. */
const CURSOR = /^([01])-(-?\d{1,16})-(\d{1,16})$/

function parseCursor(text: string | null): OwnedPlace | null {
  const [, rank, changedAt, seq] = CURSOR.exec(text ?? '') ?? []
  return rank === undefined ? null : { rank: Number(rank), changed_at: Number(changedAt), seq: Number(seq) }
}

export const verificationRoutes = [
  route({
    name: 'verifyDocument',
    method: 'POST',
    path: '/document/verify',
    access: 'pats',
    tag: 'Search',
    summary: 'Verify a document',
    description:
      'Says that a document is still right. The caller may read it, and is one of its owners or manages its connector. Replaces an earlier verification.',
    audit: {
      action: 'document.verify',
      object: ({ body }) => auditedDocumentId(body.document_id),
      counts: ({ verification }) => [verification === null ? 'withdrawn' : 'verified'],
    },
    body: z
      .object({
        document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
        verified_until: optionalNullable(wireDateTime()).describe(
          'At most two years ahead. Default: in six months. Null takes the verification back.',
        ),
      })
      .meta({ id: 'DocumentVerifyRequest' }),
    reply: z
      .object({ document_id: z.string(), verification: verificationField })
      .meta({ id: 'DocumentVerifyResponse' }),
    errors: ['INVALID_INPUT', 'DOCUMENT_NOT_FOUND', 'NOT_DOCUMENT_OWNER', 'STORE_FULL'],
    services: ['db', 'now'],
    handle: async ({ body: { document_id, verified_until }, subject, services }) => {
      const { db } = services
      const now = services.now()
      await checkVerifiable(db, subject, document_id)
      if (verified_until === null) {
        await deleteVerification(db, document_id)
      } else {
        const until = checkVerifiedUntil(verified_until, now)
        const stated = { document_id, verified_by: subject.user_id, verified_at: now, verified_until: until }
        await saveVerification(db, stated)
      }
      const stored = await mapVerifications(db, [document_id])
      return { document_id, verification: verificationView(stored.get(document_id), now) }
    },
  }),
  route({
    name: 'listOwnDocuments',
    method: 'GET',
    path: '/document/owned',
    access: 'search',
    tag: 'Search',
    summary: 'List own documents',
    description:
      'Lists the documents that name the caller as an owner, as far as the caller may read them: first those without a verification that holds, each part the longest unchanged first. Empty for a key that acts for nobody.',
    query: z.object({
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
      after: nullish(wireString({ max: 40, pattern: CURSOR })).describe('`next_after` of the previous page.'),
    }),
    reply: z
      .object({
        items: z.array(z.object(agedFields).meta({ id: 'OwnDocument' })),
        next_after: z.string().nullable(),
      })
      .meta({ id: 'OwnDocumentPage' }),
    services: ['db', 'now'],
    handle: async ({ query, subject, services, signal }) => {
      const { db } = services
      const now = services.now()
      const { email } = subject
      if (email === null) return { items: [], next_after: null }
      const page = { after: parseCursor(query.after), limit: query.limit ?? DEFAULT_LIMIT, signal }
      const found = await collectReadable(db, subject, page, (after, limit) =>
        listOwnedDocuments(db, emailKeyOf(email), { after, limit, now }),
      )
      const ids = found.map((it) => it.id)
      const verifications = await mapVerifications(db, ids)
      const last = found[page.limit - 1]
      return {
        items: found.map((it) => agedDocumentView(it, verifications.get(it.id), now)),
        next_after: last === undefined ? null : `${last.rank}-${last.changed_at}-${last.seq}`,
      }
    },
  }),
]
