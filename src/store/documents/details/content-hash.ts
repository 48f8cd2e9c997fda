// The hash of a document's content: two versions with an equal hash are the same.
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { DocumentContent } from '../../../domain/document.ts'
import type { DocumentRow } from '../../database/tables.ts'

/** The columns of a document besides its sections, in the order in which they are written and hashed. */
export type ContentFields = (string | number | null)[]

export const fieldsOf = (content: DocumentContent): ContentFields => [
  content.semantic_identifier,
  content.title,
  content.source,
  content.link,
  content.doc_updated_at,
  JSON.stringify(content.metadata),
  JSON.stringify(content.primary_owners),
  JSON.stringify(content.secondary_owners),
  content.external_access === null ? null : JSON.stringify(content.external_access),
]

export const storedFields = (row: Selectable<DocumentRow>): ContentFields => [
  row.semantic_identifier,
  row.title,
  row.source,
  row.link,
  row.doc_updated_at,
  row.metadata,
  row.primary_owners,
  row.secondary_owners,
  row.external_access,
]

/** `body`: the sections as JSON. */
export const contentHash = (fields: ContentFields, body: string): string =>
  createHash('sha256').update(JSON.stringify(fields)).update(body).digest('base64url')
