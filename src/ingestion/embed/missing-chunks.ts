// Reads the chunks of an index that lack a vector: the first one of each document, then the others, the latest documents
// first.
import type { SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { DocumentTallies } from './document-tallies.ts'
import { PAGE_SIZE } from './vector-cache.ts'

export interface MissingChunks {
  /** The next chunks, perhaps none; undefined when nothing is left. Counts their documents. */
  next(): Promise<UnembeddedChunk[] | undefined>
}

interface MissingChunksDeps {
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'stats'>
  tallies: DocumentTallies
  /** The position of the index. */
  indexedSeq: () => number
  isSkipped: (chunk: UnembeddedChunk) => boolean
}

/** The `after` of a page; undefined for the first page. */
type PageStart = string | undefined

export function createMissingChunks({ searchIndex, tallies, indexedSeq, isSkipped }: MissingChunksDeps): MissingChunks {
  /** Where the search for first chunks continues; undefined before a new round. */
  let firstsAfter: PageStart
  let isReadingFirsts = true
  /** Pages with other chunks than first ones. They are read from the last one backwards. */
  const pagesWithRest: PageStart[] = []

  const readPage = async (after: PageStart) => {
    const seq = indexedSeq()
    const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: PAGE_SIZE, after })
    return { seq, chunks: chunks.filter((it) => !isSkipped(it)), next }
  }
  const nextFirsts = async (): Promise<UnembeddedChunk[]> => {
    const { seq, chunks, next } = await readPage(firstsAfter)
    const firsts = chunks.filter(isFirst)
    if (firsts.length < chunks.length) pagesWithRest.push(firstsAfter)
    for (const { document_id } of firsts) tallies.begin(document_id, { seq, remaining: 1 })
    // The other chunks are counted when they are read to be embedded.
    for (const it of chunks) if (!isFirst(it)) tallies.forget(it.document_id)
    tallies.keepOpen(next === null ? undefined : chunks.at(-1)?.document_id)
    firstsAfter = next ?? undefined
    isReadingFirsts = next !== null
    return firsts
  }
  const nextRest = async (): Promise<UnembeddedChunk[]> => {
    const { seq, chunks } = await readPage(pagesWithRest.at(-1))
    pagesWithRest.pop()
    for (const { document_id } of chunks) tallies.add(document_id, seq)
    tallies.keepOpen(pagesWithRest.length === 0 ? undefined : chunks[0]?.document_id)
    return chunks
  }
  return {
    async next() {
      if (!isReadingFirsts && pagesWithRest.length > 0) return nextRest()
      isReadingFirsts = true
      if (firstsAfter === undefined && (await searchIndex.stats()).vectors_missing === 0) return undefined
      const chunks = await nextFirsts()
      const isEnd = !isReadingFirsts && pagesWithRest.length === 0
      return chunks.length === 0 && isEnd ? undefined : chunks
    },
  }
}

const isFirst = ({ chunk_ind }: UnembeddedChunk): boolean => chunk_ind === 0
