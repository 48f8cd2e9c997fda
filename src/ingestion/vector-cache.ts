// What the model has said before: small enough to keep for ever, so that no chunk is sent to it twice.
import type { ChunkVector, SearchIndex, UnembeddedChunk } from '../search-index/search-index.ts'
import { findVectors, insertVectors } from '../store/chunk-vectors.ts'
import type { Database, Queries } from '../store/database.ts'

/** What is looked up at once. */
export const PAGE = 256
const SCALE_BYTES = 4
const LARGEST = 127

/** One byte a number, behind the scale they share: docs/decisions/0071-kept-vectors.md says what is lost. */
export function packed(vector: Float32Array): string {
  const largest = vector.reduce((most, it) => Math.max(most, Math.abs(it)), 0)
  const bytes = Buffer.alloc(SCALE_BYTES + vector.length)
  bytes.writeFloatLE(largest / LARGEST)
  const scale = bytes.readFloatLE() || 1
  for (const [at, it] of vector.entries()) bytes.writeInt8(Math.round(it / scale), SCALE_BYTES + at)
  return bytes.toString('base64')
}

/** Of length 1 again. */
export function unpacked(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  const values = Float32Array.from(bytes.subarray(SCALE_BYTES), (it) => (it << 24) >> 24)
  const length = Math.hypot(...values) || 1
  return values.map((it) => it / length)
}

export const dimensionOf = (text: string): number => Buffer.byteLength(text, 'base64') - SCALE_BYTES

/** Those whose vector is known, and those that the model has to be asked about. */
export async function recall(
  db: Queries,
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
    return text === undefined ? [] : [{ document_id, chunk_ind, hash, vector: unpacked(text) }]
  })
  return { known, unknown: chunks.filter((it) => !found.has(it.hash)) }
}

/** The index takes what is kept, not what the model said, so that an index that is made anew ranks the same. */
export async function keep(
  db: Database,
  model: string,
  chunks: readonly UnembeddedChunk[],
  made: readonly Float32Array[],
): Promise<ChunkVector[]> {
  const texts = made.map(packed)
  const rows = chunks.map(({ hash, document_id }, at) => ({ hash, document_id, vector: texts[at]! }))
  await insertVectors(db, model, rows)
  return chunks.map(({ document_id, chunk_ind, hash }, at) => ({
    document_id,
    chunk_ind,
    hash,
    vector: unpacked(texts[at]!),
  }))
}

/**
 * Gives an index all the vectors that are kept for its chunks, a page a call; answers whether that was the last. Asks no
 * model.
 */
export function recallPages(
  { db, model }: { db: Queries; model: string },
  index: Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors'>,
): () => Promise<boolean> {
  let after: string | undefined
  let isDone = false
  return async () => {
    if (isDone) return true
    const { chunks, next } = await index.chunksWithoutVector({ limit: PAGE, after })
    const { known } = await recall(db, model, chunks)
    await index.setVectors(known)
    after = next ?? undefined
    isDone = next === null
    return isDone
  }
}
