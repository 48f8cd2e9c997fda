// Identifies the text that a vector was computed from. All index implementations use the same hash, so that a vector
// can only be assigned to a chunk with that text.
import { hash } from 'node:crypto'
import type { Chunk } from '../domain/chunk.ts'
import type { IndexDocument, UnembeddedChunk } from './search-index.ts'

/**
 * Returns 64 bits of a hash of document id, title and content, as 16 hexadecimal digits. Undefined for a text that an
 * earlier chunk of the document has too, and for one without letters or digits: those take no vector.
 */
export function textHashes(
  { document_id, title }: Pick<IndexDocument, 'document_id' | 'title'>,
  chunks: readonly Chunk[],
): (string | undefined)[] {
  const seen = new Set<string>()
  return chunks.map(({ content }) => {
    if (!READABLE.test(content) && !READABLE.test(title)) return undefined
    const found = hash('sha256', JSON.stringify([document_id, title, content])).slice(0, 16)
    if (seen.has(found)) return undefined
    seen.add(found)
    return found
  })
}

/** Returns what an index would list as chunks without vector after it received the document for the first time. */
export function chunksWithHash(document: IndexDocument): UnembeddedChunk[] {
  const { document_id, title } = document
  // A document without chunks is treated as one empty chunk with its title.
  const chunks = document.chunks.length > 0 ? document.chunks : [{ chunk_ind: 0, content: '', link: null }]
  const inOrder = chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind)
  const hashes = textHashes(document, inOrder)
  return inOrder.flatMap(({ chunk_ind, content }, at) => {
    const hash = hashes[at]
    return hash === undefined ? [] : [{ document_id, chunk_ind, title, content, hash }]
  })
}

const READABLE = /[\p{L}\p{N}]/u
