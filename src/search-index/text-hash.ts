// Which text was a vector made of? The same for every index, so that a vector finds the chunk it belongs to, or nobody.
import { hash } from 'node:crypto'
import type { Chunk } from '../domain/chunk.ts'
import type { IndexDocument, UnembeddedChunk } from './search-index.ts'

/**
 * 64 bits of a hash of document, title and content, as 16 hexadecimal digits. None for a text that an earlier chunk of
 * the document has too, and for one without anything to read: those take no vector.
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

/** What an index would give as without vector when it gets the document for the first time. */
export function chunksWithHash(document: IndexDocument): UnembeddedChunk[] {
  const { document_id, title } = document
  // A document without chunks is one empty chunk, under its title.
  const chunks = document.chunks.length > 0 ? document.chunks : [{ chunk_ind: 0, content: '', link: null }]
  const inOrder = chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind)
  const hashes = textHashes(document, inOrder)
  return inOrder.flatMap(({ chunk_ind, content }, at) => {
    const hash = hashes[at]
    return hash === undefined ? [] : [{ document_id, chunk_ind, title, content, hash }]
  })
}

const READABLE = /[\p{L}\p{N}]/u
