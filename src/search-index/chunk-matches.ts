// Finds the words of a query in chunks. The embedded index does this in its reader threads, where the text is read.
import type { Chunk } from '../domain/chunk.ts'
import type { Language } from '../text/language.ts'
import { queryTermsFor } from '../text/query-terms.ts'
import { createTermMatcher, type TermMatch } from '../text/term-matcher.ts'
import type { ChunkIdWithLanguage, ChunkWithMatches } from './search-index.ts'

/** `read` returns null for a chunk that does not exist any more. */
export function findChunkMatches(
  query: string,
  chunkIds: readonly ChunkIdWithLanguage[],
  read: (chunkId: ChunkIdWithLanguage) => Chunk | null,
): (ChunkWithMatches | null)[] {
  const matchers = new Map<Language, (text: string) => TermMatch[]>()
  return chunkIds.map((chunkId) => {
    const chunk = read(chunkId)
    if (chunk === null) return null
    const { language } = chunkId
    const findMatches = matchers.get(language) ?? createTermMatcher(queryTermsFor(query, language), language)
    matchers.set(language, findMatches)
    return { ...chunk, matches: findMatches(chunk.content) }
  })
}

/**
 * The packed form for messages between threads: copying a thousand small objects would take longer than finding the
 * words.
 */
export interface PackedMatches {
  chunks: (Chunk | null)[]
  /** The number of matches per chunk. */
  counts: number[]
  /** Four numbers per match. */
  numbers: Int32Array
}

const NUMBERS_PER_MATCH = 4

export function packMatches(found: readonly (ChunkWithMatches | null)[]): PackedMatches {
  const counts = found.map((it) => it?.matches.length ?? 0)
  const numbers = new Int32Array(NUMBERS_PER_MATCH * counts.reduce((sum, it) => sum + it, 0))
  let at = 0
  for (const { word, start, end, position } of found.flatMap((it) => it?.matches ?? [])) {
    numbers[at++] = word
    numbers[at++] = start
    numbers[at++] = end
    numbers[at++] = position
  }
  const chunks = found.map((it) => it && { chunk_ind: it.chunk_ind, content: it.content, link: it.link })
  return { chunks, counts, numbers }
}

export function unpackMatches({ chunks, counts, numbers }: PackedMatches): (ChunkWithMatches | null)[] {
  let at = 0
  return chunks.map((chunk, index) => {
    const matches: TermMatch[] = []
    for (let count = counts[index]!; count > 0; count--) {
      const [word, start, end, position] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!, numbers[at + 3]!]
      matches.push({ word, start, end, position })
      at += NUMBERS_PER_MATCH
    }
    return chunk && { ...chunk, matches }
  })
}
