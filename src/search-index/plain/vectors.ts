// The vectors of the plain index, stored by content hash and compared one by one.
import { mayRead } from '../../domain/access.ts'
import { checkVector, checkVectors } from '../check-vectors.ts'
import type {
  ChunkVector,
  Hit,
  NearestQuery,
  SearchIndex,
  UnembeddedChunk,
  UnembeddedPage,
  VectorOptions,
} from '../search-index.ts'
import { textHashes } from '../text-hash.ts'
import { withTextsUpTo } from '../unread-chunk.ts'
import type { AnalyzedDocument, PlainPassage } from './analyzed-document.ts'

export interface PlainVectors {
  documents: ReadonlyMap<string, AnalyzedDocument>
  options: VectorOptions | undefined
  /** The hash includes the document id, so no two documents share one. */
  byHash: Map<string, Float32Array>
}

type VectorMethods = Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'nearest'>

/** Returns the scores by which `nearest` would rank these documents. */
export function plainSimilarity(
  state: PlainVectors,
  { vector, access, document_ids }: Pick<NearestQuery, 'vector' | 'access'> & { document_ids: readonly string[] },
): ReadonlyMap<string, number> {
  const documents = document_ids.map((id) => state.documents.get(id)).filter((it) => it !== undefined)
  const readable = documents.filter(({ document }) => mayRead(access, document.access))
  const hits = readable.flatMap((it) => bestHit(state, it, vector, it.passages) ?? [])
  return new Map(hits.map((it) => [it.document_id, it.score]))
}

export function plainVectorMethods(
  state: PlainVectors,
  /** Returns the passages of a document that may be found. */
  findablePassages: (query: NearestQuery) => (analyzed: AnalyzedDocument) => readonly PlainPassage[],
): VectorMethods {
  return {
    chunksWithoutVector: async (page) => createPage(missingVectors(state), page),
    setVectors: async (vectors) => setVectors(state, vectors),
    nearest: async (query) => ({ hits: plainNearest(state, query, findablePassages(query)) }),
  }
}

export function plainNearest(
  state: PlainVectors,
  { vector, offset, limit, texts }: NearestQuery,
  findablePassages: (analyzed: AnalyzedDocument) => readonly PlainPassage[],
): Hit[] {
  checkQuery(state, vector)
  const hits = [...state.documents.values()].flatMap((it) => bestHit(state, it, vector, findablePassages(it)) ?? [])
  hits.sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
  return withTextsUpTo(hits.slice(offset, offset + limit), texts)
}

export const plainVectorStats = (state: PlainVectors) => ({
  vectors: state.byHash.size,
  vectors_missing: missingVectors(state).length,
})

/** Drops the vectors of texts that these documents do not contain any more. Unchanged texts keep their vectors. */
export function dropVectors({ documents, byHash }: PlainVectors, before: readonly AnalyzedDocument[]): void {
  for (const analyzed of before) {
    const now = documents.get(analyzed.document.document_id)
    const kept = new Set(now === undefined ? [] : hashedPassages(now).map((it) => it.hash))
    for (const { hash } of hashedPassages(analyzed)) if (!kept.has(hash)) byHash.delete(hash)
  }
}

/** Returns the passages that take a vector. */
function hashedPassages({ document, passages }: AnalyzedDocument): { passage: PlainPassage; hash: string }[] {
  const chunks = passages.map((it) => it.chunk)
  const hashes = textHashes(document, chunks)
  return passages.flatMap((passage, at) => {
    const hash = hashes[at]
    return hash === undefined ? [] : [{ passage, hash }]
  })
}

function missingVectors({ documents, options, byHash }: PlainVectors): UnembeddedChunk[] {
  if (options === undefined) return []
  return [...documents.values()].flatMap((analyzed) => {
    const { document_id, title } = analyzed.document
    return hashedPassages(analyzed).flatMap(({ passage, hash }) => {
      const { chunk_ind, content } = passage.chunk
      return byHash.has(hash) ? [] : [{ document_id, chunk_ind, title, content, hash }]
    })
  })
}

/** Sorted by hash, so that a page does not depend on what was embedded or changed since the previous one. */
function createPage(
  missing: readonly UnembeddedChunk[],
  { limit, after = '' }: { limit: number; after?: string | undefined },
): UnembeddedPage {
  const rest = missing.filter((it) => it.hash > after).sort((a, b) => (a.hash < b.hash ? -1 : 1))
  const chunks = rest.slice(0, limit)
  return { chunks, next: rest.length > chunks.length ? (chunks.at(-1)?.hash ?? after) : null }
}

function setVectors({ documents, options, byHash }: PlainVectors, vectors: readonly ChunkVector[]): void {
  checkVectors(vectors, options)
  for (const { document_id, chunk_ind, hash, vector } of vectors) {
    const analyzed = documents.get(document_id)
    if (analyzed === undefined) continue
    const current = hashedPassages(analyzed).find((it) => it.passage.chunk.chunk_ind === chunk_ind)
    if (current?.hash === hash) byHash.set(hash, vector.slice())
  }
}

function checkQuery({ options }: PlainVectors, vector: Float32Array): void {
  if (options !== undefined) checkVector(vector, options, 'the vector of the query')
}

function bestHit(
  { byHash }: PlainVectors,
  analyzed: AnalyzedDocument,
  vector: Float32Array,
  passages: readonly PlainPassage[],
): Hit | undefined {
  let best: Hit | undefined
  if (passages.length === 0) return undefined
  for (const { passage, hash } of hashedPassages(analyzed)) {
    const chunkVector = passages.includes(passage) ? byHash.get(hash) : undefined
    if (chunkVector === undefined) continue
    const score = dotProduct(vector, chunkVector)
    if (best !== undefined && score <= best.score) continue
    const { document_id, updated_at } = analyzed.document
    best = { document_id, updated_at, score, chunk: passage.chunk, language: analyzed.language }
  }
  return best
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (const [at, value] of one.entries()) sum += value * other[at]!
  return sum
}
