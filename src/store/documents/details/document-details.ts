// The facts of one stored document that its page shows.
import type { DocumentOwner } from '../../../domain/document.ts'
import { parseTextReport, type TextReport } from '../../../domain/extraction/text-report.ts'
import type { Queryable } from '../../database/database.ts'

export interface DocumentDetails {
  document_id: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  /** Counts the changes of content, deletions and restorations. */
  version: number
  doc_updated_at: number | null
  accepted_at: number
  /** When text, access or state changed last. */
  changed_at: number | null
  hidden_at: number | null
  quarantined_at: number | null
  from_ingestion_api: boolean
  held_from_prune: boolean
  /** The address of the person that pushed it; null for connectors and keys that act for nobody. */
  pushed_by_email: string | null
  primary_owners: DocumentOwner[]
  secondary_owners: DocumentOwner[]
  metadata: Record<string, string | string[]>
  /** Null if it is not known how the text was read. */
  text_report: TextReport | null
}

/** Undefined if the document does not exist or is in the trash. */
export async function findDocumentDetails(db: Queryable, id: string): Promise<DocumentDetails | undefined> {
  const row = await db
    .selectFrom('document')
    .select(['id', 'semantic_identifier', 'title', 'source', 'link', 'version', 'doc_updated_at', 'accepted_at'])
    .select(['changed_at', 'hidden_at', 'quarantined_at', 'from_ingestion_api', 'held_from_prune', 'metadata'])
    .select(['primary_owners', 'secondary_owners', 'text_report'])
    .select((it) =>
      it.selectFrom('person').select('email').whereRef('person.id', '=', 'document.pushed_by').as('pushed_by_email'),
    )
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id: document_id, ...rest } = row
  return {
    ...rest,
    document_id,
    from_ingestion_api: row.from_ingestion_api === 1,
    held_from_prune: row.held_from_prune === 1,
    metadata: JSON.parse(row.metadata),
    primary_owners: JSON.parse(row.primary_owners),
    secondary_owners: JSON.parse(row.secondary_owners),
    text_report: parseTextReport(row.text_report),
  }
}
