// Which documents name a person as their owner. The statements run in the transaction that writes the document.
import type { DocumentContent, DocumentOwner } from '../../domain/document.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { SqlStatement } from '../database/database.ts'

/** True only if this transaction has written a version of the document. */
const IS_WRITTEN = `exists (select 1 from document
  where id = ?1 and seq = (select value from sequence where name = 'change'))`

/** The statements that follow the write of a document that names these owners. */
export function ownerStatements({
  id,
  primary_owners,
  secondary_owners,
}: Pick<DocumentContent, 'id' | 'primary_owners' | 'secondary_owners'>): SqlStatement[] {
  const primary = new Set(emailKeysOf(primary_owners))
  const secondary = new Set(emailKeysOf(secondary_owners)).difference(primary)
  return [
    { sql: `delete from document_owner where document_id = ?1 and ${IS_WRITTEN}`, parameters: [id] },
    ...[...primary].map((key) => insertOwner(id, key, 1)),
    ...[...secondary].map((key) => insertOwner(id, key, 0)),
  ]
}

const emailKeysOf = (owners: readonly DocumentOwner[]): string[] =>
  owners.flatMap(({ email }) => (email ? [emailKeyOf(email)] : []))

const insertOwner = (id: string, emailKey: string, isPrimary: 0 | 1): SqlStatement => ({
  sql: `insert into document_owner (document_id, email_key, is_primary) select ?1, ?2, ${isPrimary} where ${IS_WRITTEN}`,
  parameters: [id, emailKey],
})
