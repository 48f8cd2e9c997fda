// Caches vectors in the record in a compact form, so that no chunk is sent to the model twice.
import type { ChunkVector, SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { Database, Queryable } from '../../store/database/database.ts'
import { findVectors, findVectorsOfTexts, insertVectors } from '../../store/documents/chunk-vectors.ts'
import type { TextGroup } from './text-groups.ts'

export interface EmbeddedGroup extends TextGroup {
  vector: Float32Array
}

/** Chunks for each lookup. */
export const PAGE_SIZE = 256
const SCALE_BYTES = 4
const LARGEST = 127

/** A shared scale, then one byte for each number. docs/decisions/0071-kept-vectors.md states the loss. */
export function packVector(vector: Float32Array): string {
  const largest = vector.reduce((most, it) => Math.max(most, Math.abs(it)), 0)
  const bytes = Buffer.alloc(SCALE_BYTES + vector.length)
  bytes.writeFloatLE(largest / LARGEST)
  const scale = bytes.readFloatLE() || 1
  for (const [at, it] of vector.entries()) bytes.writeInt8(Math.round(it / scale), SCALE_BYTES + at)
  return bytes.toString('base64')
}

/** Returns a vector of length 1. */
export function unpackVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  const values = Float32Array.from(bytes.subarray(SCALE_BYTES), (it) => (it << 24) >> 24)
  const length = Math.hypot(...values) || 1
  return values.map((it) => it / length)
}

export const packedDimension = (text: string): number => Buffer.byteLength(text, 'base64') - SCALE_BYTES

/** Splits chunks into those with a cached vector and those that the model must embed. */
export async function findKnownVectors(
  db: Queryable,
  model: string,
  chunks: readonly UnembeddedChunk[],
): Promise<{ known: ChunkVector[]; unknown: UnembeddedChunk[] }> {
  const found = await findVectors(
    db,
    model,
    chunks.map((it) => it.hash),
  )
  const known = chunks.flatMap(({ document_id, chunk_ind, hash }) => {
    const text = found.get(hash)
    return text === undefined ? [] : [{ document_id, chunk_ind, hash, vector: unpackVector(text) }]
  })
  return { known, unknown: chunks.filter((it) => !found.has(it.hash)) }
}

/** Splits groups into those whose text has a vector, in whichever document, and those that the model must embed. */
export async function findGroupVectors(
  db: Queryable,
  model: string,
  groups: readonly TextGroup[],
): Promise<{ known: EmbeddedGroup[]; unknown: TextGroup[] }> {
  const found = await findVectorsOfTexts(
    db,
    model,
    groups.map((it) => it.textHash),
  )
  const known = groups.flatMap((group) => {
    const text = found.get(group.textHash)
    return text === undefined ? [] : [{ ...group, vector: unpackVector(text) }]
  })
  return { known, unknown: groups.filter((it) => !found.has(it.textHash)) }
}

/** Stores the vector of each group for all of its chunks, and returns them as stored: a rebuilt index ranks the same. */
export async function storeVectors(
  db: Database,
  model: string,
  groups: readonly EmbeddedGroup[],
): Promise<ChunkVector[]> {
  const packed = groups.flatMap(({ chunks, textHash, vector }) => {
    const text = packVector(vector)
    return chunks.map((chunk) => ({ chunk, textHash, text }))
  })
  const rows = packed.map(({ chunk: { hash, document_id }, textHash, text }) => ({
    hash,
    document_id,
    vector: text,
    text_hash: textHash,
  }))
  await insertVectors(db, model, rows)
  return packed.map(({ chunk: { document_id, chunk_ind, hash }, text }) => ({
    document_id,
    chunk_ind,
    hash,
    vector: unpackVector(text),
  }))
}

/**
 * Copies cached vectors into an index, one page for each call, without calling the model. Returns whether the page was
 * the last.
 */
export function createVectorRestore(
  { db, model }: { db: Queryable; model: string },
  index: Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors'>,
): () => Promise<boolean> {
  let after: string | undefined
  let isDone = false
  return async () => {
    if (isDone) return true
    const { chunks, next } = await index.chunksWithoutVector({ limit: PAGE_SIZE, after })
    const { known } = await findKnownVectors(db, model, chunks)
    await index.setVectors(known)
    after = next ?? undefined
    isDone = next === null
    return isDone
  }
}
