// Vectors of the plain index: kept by the hash of what they were made of, and compared one by one.
import { mayRead } from '../domain/access.ts'
import { checkVector, checkVectors } from './check-vectors.ts'
import type { Entry, Piece } from './pieces.ts'
import type {
  ChunkVector,
  Hit,
  NearestQuery,
  SearchIndex,
  UnembeddedChunk,
  UnembeddedPage,
  VectorOptions,
} from './search-index.ts'
import { textHashes } from './text-hash.ts'
import { readUpTo } from './unread-chunk.ts'

export interface PlainVectors {
  entries: ReadonlyMap<string, Entry>
  options: VectorOptions | undefined
  /** The hash names the document too, so no two documents share one. */
  byHash: Map<string, Float32Array>
}

type VectorMethods = Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'nearest' | 'similarity'>

export function vectorMethods(
  state: PlainVectors,
  /** The pieces of an entry that may be found. */
  finder: (query: NearestQuery) => (entry: Entry) => readonly Piece[],
): VectorMethods {
  return {
    chunksWithoutVector: async (page) => pageOf(missingIn(state), page),
    setVectors: async (vectors) => setVectors(state, vectors),
    async nearest(query) {
      checkQuery(state, query.vector)
      const findable = finder(query)
      const hits = [...state.entries.values()].flatMap((it) => bestOf(state, it, query.vector, findable(it)) ?? [])
      hits.sort((a, b) => b.score - a.score || (a.document_id < b.document_id ? -1 : 1))
      return { hits: readUpTo(hits.slice(query.offset, query.offset + query.limit), query.texts) }
    },
    async similarity({ vector, access, document_ids }) {
      checkQuery(state, vector)
      const entries = document_ids.map((id) => state.entries.get(id)).filter((it) => it !== undefined)
      const readable = entries.filter(({ document }) => mayRead(access, document.access))
      const hits = readable.flatMap((it) => bestOf(state, it, vector, it.pieces) ?? [])
      return new Map(hits.map((it) => [it.document_id, it.score]))
    },
  }
}

export const vectorStats = (state: PlainVectors) => ({
  vectors: state.byHash.size,
  vectors_missing: missingIn(state).length,
})

/** Drops what no chunk of these documents is made of any longer; the vectors of texts that stayed are kept. */
export function dropVectors({ entries, byHash }: PlainVectors, before: readonly Entry[]): void {
  for (const entry of before) {
    const now = entries.get(entry.document.document_id)
    const kept = new Set(now === undefined ? [] : hashesOf(now))
    for (const it of hashesOf(entry)) if (it !== undefined && !kept.has(it)) byHash.delete(it)
  }
}

const hashesOf = ({ document, pieces }: Entry) =>
  textHashes(
    document,
    pieces.map((it) => it.chunk),
  )

function missingIn({ entries, options, byHash }: PlainVectors): UnembeddedChunk[] {
  if (options === undefined) return []
  return [...entries.values()].flatMap((entry) => {
    const { document_id, title } = entry.document
    return hashesOf(entry).flatMap((hash, at) => {
      const { chunk_ind, content } = entry.pieces[at]!.chunk
      return hash === undefined || byHash.has(hash) ? [] : [{ document_id, chunk_ind, title, content, hash }]
    })
  })
}

/** By hash, so that a page does not depend on what was embedded or changed since the one before. */
function pageOf(
  missing: readonly UnembeddedChunk[],
  { limit, after = '' }: { limit: number; after?: string | undefined },
): UnembeddedPage {
  const rest = missing.filter((it) => it.hash > after).sort((a, b) => (a.hash < b.hash ? -1 : 1))
  const chunks = rest.slice(0, limit)
  return { chunks, next: rest.length > chunks.length ? (chunks.at(-1)?.hash ?? after) : null }
}

function setVectors({ entries, options, byHash }: PlainVectors, vectors: readonly ChunkVector[]): void {
  checkVectors(vectors, options)
  for (const { document_id, chunk_ind, hash, vector } of vectors) {
    const entry = entries.get(document_id)
    const at = entry?.pieces.findIndex((it) => it.chunk.chunk_ind === chunk_ind) ?? -1
    if (entry !== undefined && at >= 0 && hashesOf(entry)[at] === hash) byHash.set(hash, vector.slice())
  }
}

function checkQuery({ options }: PlainVectors, vector: Float32Array): void {
  if (options !== undefined) checkVector(vector, options, 'the vector of the query')
}

function bestOf(
  { byHash }: PlainVectors,
  entry: Entry,
  vector: Float32Array,
  among: readonly Piece[],
): Hit | undefined {
  let best: Hit | undefined
  if (among.length === 0) return undefined
  for (const [at, hash] of hashesOf(entry).entries()) {
    const own = hash === undefined || !among.includes(entry.pieces[at]!) ? undefined : byHash.get(hash)
    if (own === undefined) continue
    const score = dot(vector, own)
    if (best !== undefined && score <= best.score) continue
    const { document_id, updated_at } = entry.document
    best = { document_id, updated_at, score, chunk: entry.pieces[at]!.chunk, language: entry.language }
  }
  return best
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (const [at, value] of one.entries()) sum += value * other[at]!
  return sum
}
