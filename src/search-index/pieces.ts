// What of a document is matched and scored. The same for every index, so that all of them rank alike.
import type { Chunk } from '../domain/chunk.ts'
import { termsOf } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { TITLE_WEIGHT } from './bm25.ts'
import type { IndexDocument } from './search-index.ts'

/** A chunk with its document's title, or the title alone where there is no chunk. */
export interface Piece {
  chunk: Chunk
  /** How often each term occurs. Terms of the title count `TITLE_WEIGHT` times. */
  counts: Map<string, number>
  /** The sum of the counts. */
  length: number
}

/** A document with what is matched of it. */
export interface Entry {
  document: IndexDocument
  language: Language
  pieces: Piece[]
}

const withoutText: Chunk = { chunk_ind: 0, content: '', link: null }

export function piecesOf(document: IndexDocument, language: Language): Piece[] {
  const title = termsOf(document.title, language)
  const chunks = document.chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind)
  return (chunks.length > 0 ? chunks : [withoutText]).map((chunk) => {
    const content = termsOf(chunk.content, language)
    const counts = new Map<string, number>()
    for (const term of title) counts.set(term, (counts.get(term) ?? 0) + TITLE_WEIGHT)
    for (const term of content) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { chunk, counts, length: title.length * TITLE_WEIGHT + content.length }
  })
}

/** One language for the whole document, by its beginning. */
export const languageOf = ({ title, chunks }: IndexDocument): Language =>
  detectLanguage(`${title}\n${chunks[0]?.content ?? ''}`)
