// Verifications of documents: who said that they are still right, and until when.
import type { DocumentVerification } from '../../domain/freshness/verification.ts'
import type { Database, Queryable } from '../database/database.ts'

/** Replaces an earlier verification. Writes nothing if the document does not exist or is in the trash. */
export async function saveVerification(
  db: Database,
  { document_id, verified_by, verified_at, verified_until }: StoredVerification,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('document_verification').where('document_id', '=', document_id).execute()
    const kept = trx.selectFrom('document').select('id').where('id', '=', document_id).where('deleted_at', 'is', null)
    if ((await kept.executeTakeFirst()) === undefined) return
    await trx
      .insertInto('document_verification')
      .values({ document_id, verified_by, verified_at, verified_until })
      .execute()
  })
}

interface StoredVerification {
  document_id: string
  /** See `Subject.user_id`. */
  verified_by: string
  verified_at: number
  verified_until: number
}

export async function deleteVerification(db: Database, documentId: string): Promise<void> {
  await db.deleteFrom('document_verification').where('document_id', '=', documentId).execute()
}

/** Verifications by id of the document; documents without one are left out. */
export async function mapVerifications(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, DocumentVerification>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('document_verification as stated')
    .innerJoin('document', 'document.id', 'stated.document_id')
    .leftJoin('person', 'person.id', 'stated.verified_by')
    .select(['stated.document_id', 'verified_at', 'verified_until', 'document.text_changed_at'])
    .select(['person.name', 'person.email'])
    .where('stated.document_id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ document_id, name, email, ...it }) => [document_id, { ...it, verified_by: name ?? email }]),
  )
}

/** Lists what these users have verified, by id of the document. */
export async function listVerificationsByUsers(
  db: Queryable,
  userIds: readonly string[],
): Promise<{ document_id: string; verified_at: number; verified_until: number }[]> {
  if (userIds.length === 0) return []
  return db
    .selectFrom('document_verification')
    .select(['document_id', 'verified_at', 'verified_until'])
    .where('verified_by', 'in', userIds)
    .orderBy('document_id')
    .execute()
}
