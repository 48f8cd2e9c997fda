// Which text was a vector made of? The same for every index, so that a vector finds the chunk it belongs to, or nobody.
import { hash } from 'node:crypto'
import type { Chunk } from '../domain/chunk.ts'
import type { IndexDocument } from './search-index.ts'

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

const READABLE = /[\p{L}\p{N}]/u
