// The part of a document that is matched and scored. It must be the same in every index, so that all of them rank
// alike.
import type { Chunk } from '../../domain/chunk.ts'
import { extractTerms } from '../../text/analyze.ts'
import type { Language } from '../../text/language.ts'
import { TITLE_WEIGHT } from '../bm25-parameters.ts'
import type { IndexDocument } from '../search-index.ts'

/** A chunk with its document's title, or the title alone if there is no chunk. */
export interface PlainPassage {
  chunk: Chunk
  /** The frequency of each term. Terms of the title count `TITLE_WEIGHT` times. */
  counts: Map<string, number>
  /** The sum of the frequencies. */
  length: number
}

/** A document with its analyzed passages. */
export interface AnalyzedDocument {
  document: IndexDocument
  language: Language
  passages: PlainPassage[]
}

const EMPTY_CHUNK: Chunk = { chunk_ind: 0, content: '', link: null }

export function analyzePassages(document: IndexDocument, language: Language): PlainPassage[] {
  const title = extractTerms(document.title, language)
  const chunks = document.chunks.toSorted((a, b) => a.chunk_ind - b.chunk_ind)
  return (chunks.length > 0 ? chunks : [EMPTY_CHUNK]).map((chunk) => {
    const content = extractTerms(chunk.content, language)
    const counts = new Map<string, number>()
    for (const term of title) counts.set(term, (counts.get(term) ?? 0) + TITLE_WEIGHT)
    for (const term of content) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { chunk, counts, length: title.length * TITLE_WEIGHT + content.length }
  })
}
