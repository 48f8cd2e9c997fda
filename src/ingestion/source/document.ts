// Converts documents of a connector for the record, with the same limits as for pushed documents.
import type { SourceDocument } from '../../connectors/connector.ts'
import type { ExternalAccess } from '../../domain/access.ts'
import {
  type DocumentContent,
  type DocumentSection,
  IngestionDocument,
  toDocumentContent,
  withTranscripts,
} from '../../domain/document.ts'

/** No reader. Used when a source with permissions does not state those of a document. */
export const NO_ACCESS: ExternalAccess = { is_public: false, external_user_emails: [], external_user_group_ids: [] }

/** Throws an error that names the field when the document exceeds a limit. */
export function convertSourceDocument(
  document: SourceDocument,
  { source, accessType, groupPrefix }: { source: string; accessType: string; groupPrefix: string },
): DocumentContent {
  const { doc_updated_at, external_access, report, ...rest } = document
  const result = IngestionDocument.safeParse({
    source,
    ...rest,
    metadata: rest.metadata ?? {},
    doc_updated_at:
      doc_updated_at === null || doc_updated_at === undefined ? null : new Date(doc_updated_at).toISOString(),
    external_access: accessType === 'sync' ? normalizeAccess(external_access ?? NO_ACCESS, groupPrefix) : null,
  })
  if (result.success && result.data.id !== null)
    return { ...withFiles(toDocumentContent(result.data), document), ...(report && { report }) }
  const [issue] = result.error?.issues ?? []
  throw new Error(`${issue?.path.join('.') || 'id'}: ${issue?.message ?? 'the document has no id'}`)
}

/** Clients cannot name pictures and recordings this way, so the schema of pushed documents does not know them. */
function withFiles(content: DocumentContent, { sections }: SourceDocument): DocumentContent {
  const recordings = sections.flatMap((it) => it.recording ?? [])
  const contents = new Map(
    recordings.flatMap(({ blob, content: said }) => (said === null ? [] : [[blob, said] as const])),
  )
  const shown = content.sections.map((it, at): DocumentSection => {
    const { picture, recording } = sections[at] ?? {}
    return { ...it, ...(picture && { picture }), ...(recording && { recording: { blob: recording.blob } }) }
  })
  return { ...content, sections: withTranscripts(shown, contents) }
}

/** A canonical form, sorted and unique. The prefix separates groups of the same name in two sources. */
export const normalizeAccess = (access: ExternalAccess, groupPrefix: string): ExternalAccess => ({
  is_public: access.is_public,
  external_user_emails: uniqueSorted(access.external_user_emails),
  external_user_group_ids: uniqueSorted(access.external_user_group_ids.map((it) => `${groupPrefix}${it}`)),
})

const uniqueSorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

export const sourceGroupPrefix = ({ source, connector_id }: { source: string; connector_id: number }): string =>
  `${source}:${connector_id}:`
