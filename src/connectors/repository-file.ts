// A file of a repository as a document: code is text too.
import type { Item, Pull, SourceDocument } from './connector.ts'
import { linkedTo, readFileText } from './read-file.ts'

export const MAX_FILE_BYTES = 5 << 20

export interface RepositoryFile {
  id: string
  path: string
  /** Of its content. */
  sha: string
  bytes: Buffer
}

const SNIFFED = 8_192

export async function fileItem(
  { id, path, sha, bytes }: RepositoryFile,
  facts: Pick<SourceDocument, 'metadata' | 'external_access'>,
  pull: Pick<Pull, 'extract'>,
): Promise<Item> {
  const head = bytes.subarray(0, SNIFFED)
  const isText = !head.includes(0) && !head.subarray(0, 5).equals(Buffer.from('%PDF-'))
  const name = path.split('/').at(-1) ?? path
  const read = await readFileText(bytes, { name, mediaType: isText ? 'text/plain' : null }, pull)
  if (read.kind === 'unread') return { type: 'skipped', id, link: id, reason: read.reason }
  const sections = linkedTo(id, read.sections)
  const document = { id, semantic_identifier: path, title: `${name} ${path}`, sections, ...facts }
  return { type: 'document', document, note: { key: id, value: sha } }
}
