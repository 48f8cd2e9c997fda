// Finds the words of a query in chunks. The embedded index does this in its reader threads, where the text is read.
import type { Language } from '../text/language.ts'
import { queryTermsFor } from '../text/query-terms.ts'
import { createTermMatcher, type TermMatch } from '../text/term-matcher.ts'
import type { ChunkIdWithLanguage, ChunkWithMatches, StoredChunk } from './search-index.ts'

/** `read` returns null for a chunk that does not exist any more. */
export function findChunkMatches(
  query: string,
  chunkIds: readonly ChunkIdWithLanguage[],
  read: (chunkId: ChunkIdWithLanguage) => StoredChunk | null,
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
  /** Each chunk with the number of its matches. */
  chunks: ({ chunk: StoredChunk; count: number } | null)[]
  /** Four 32-bit numbers per match. */
  numbers: DataView<ArrayBuffer>
}

const BYTES_PER_MATCH = 16

export function packMatches(found: readonly (ChunkWithMatches | null)[]): PackedMatches {
  const matches = found.flatMap((it) => it?.matches ?? [])
  const numbers = new DataView(new ArrayBuffer(matches.length * BYTES_PER_MATCH))
  for (const [index, { word, start, end, position }] of matches.entries()) {
    const at = index * BYTES_PER_MATCH
    numbers.setInt32(at, word)
    numbers.setInt32(at + 4, start)
    numbers.setInt32(at + 8, end)
    numbers.setInt32(at + 12, position)
  }
  const chunks = found.map((it) => {
    if (it === null) return null
    const { matches, ...chunk } = it
    return { chunk, count: matches.length }
  })
  return { chunks, numbers }
}

export function unpackMatches({ chunks, numbers }: PackedMatches): (ChunkWithMatches | null)[] {
  let from = 0
  return chunks.map((packed) => {
    if (packed === null) return null
    const matches: TermMatch[] = []
    const until = from + packed.count * BYTES_PER_MATCH
    for (let at = from; at < until; at += BYTES_PER_MATCH) {
      matches.push({
        word: numbers.getInt32(at),
        start: numbers.getInt32(at + 4),
        end: numbers.getInt32(at + 8),
        position: numbers.getInt32(at + 12),
      })
    }
    from = until
    return { ...packed.chunk, matches }
  })
}
