// Converts a file of a code repository into a document. Source code counts as text.
import type { ConnectorContext, ConnectorItem, SourceDocument } from '../connector.ts'
import { linkSections, readFileText } from './read-file-text.ts'

export const MAX_FILE_BYTES = 5 << 20

export interface RepositoryFile {
  id: string
  path: string
  /** Hash of the content. */
  sha: string
  bytes: Buffer
}

const SNIFF_BYTES = 8_192

export async function toRepositoryFileItem(
  { id, path, sha, bytes }: RepositoryFile,
  properties: Pick<SourceDocument, 'metadata' | 'external_access'>,
  context: Pick<ConnectorContext, 'extract'>,
): Promise<ConnectorItem> {
  const head = bytes.subarray(0, SNIFF_BYTES)
  const isText = !head.includes(0) && !head.subarray(0, 5).equals(Buffer.from('%PDF-'))
  const name = path.split('/').at(-1) ?? path
  const read = await readFileText(bytes, { name, mediaType: isText ? 'text/plain' : null }, context)
  if (read.kind === 'unread') return { type: 'skipped', id, link: id, reason: read.reason }
  const sections = linkSections(id, read.sections)
  const document = {
    id,
    semantic_identifier: path,
    title: `${name} ${path}`,
    sections,
    report: read.report,
    ...properties,
  }
  return { type: 'document', document, note: { key: id, value: sha } }
}
