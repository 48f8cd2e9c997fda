// From what a connector yields to what the record keeps: the same bounds as for a document that is pushed.
import type { SourceDocument } from '../connectors/connector.ts'
import type { ExternalAccess } from '../domain/access.ts'
import { contentOf, type DocumentContent, IngestionDocument } from '../domain/document.ts'

/** Nobody: where a source that tells of access says nothing, or it could not be learnt, a document is closed. */
export const NOBODY: ExternalAccess = { is_public: false, external_user_emails: [], external_user_group_ids: [] }

/** Throws with a sentence that names the field when the document is larger than a document may be. */
export function contentOfSource(
  document: SourceDocument,
  { source, accessType, groupPrefix }: { source: string; accessType: string; groupPrefix: string },
): DocumentContent {
  const { doc_updated_at, external_access, ...rest } = document
  const result = IngestionDocument.safeParse({
    source,
    ...rest,
    metadata: rest.metadata ?? {},
    doc_updated_at:
      doc_updated_at === null || doc_updated_at === undefined ? null : new Date(doc_updated_at).toISOString(),
    external_access: accessType === 'sync' ? accessIn(external_access ?? NOBODY, groupPrefix) : null,
  })
  if (result.success && result.data.id !== null) return contentOf(result.data)
  const [issue] = result.error?.issues ?? []
  throw new Error(`${issue?.path.join('.') || 'id'}: ${issue?.message ?? 'the document has no id'}`)
}

/** The same readers in the same words, in whatever order a source names them. Two sources may have groups of one name. */
export const accessIn = (access: ExternalAccess, groupPrefix: string): ExternalAccess => ({
  is_public: access.is_public,
  external_user_emails: sorted(access.external_user_emails),
  external_user_group_ids: sorted(access.external_user_group_ids.map((it) => `${groupPrefix}${it}`)),
})

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

export const groupPrefixOf = ({ source, connector_id }: { source: string; connector_id: number }): string =>
  `${source}:${connector_id}:`
