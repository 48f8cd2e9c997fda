// Caches vectors by model and hash of the text, in a file in the temporary folder.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '../src/inference/embedder.ts'

const HASH_BYTES = 16
/** The number of texts per call of the embedder. */
const BATCH = 256

export interface VectorCache {
  /** Returns the vectors in the order of the texts. Calls `onProgress` with the number of vectors so far. */
  vectorsOf(texts: readonly string[], onProgress: (count: number) => void): Promise<Float32Array[]>
}

export function openVectorCache(embedder: Embedder, folder = join(tmpdir(), 'pharos-eval-vectors')): VectorCache {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${embedder.model.replace(/[^\w.-]/g, '_')}-${embedder.dimension}`)
  const known = readVectors(path, embedder.dimension)
  // A partial entry of an interrupted run would shift all later entries.
  if (existsSync(path)) truncateSync(path, known.size * (HASH_BYTES + 4 * embedder.dimension))
  const hashOf = (text: string) =>
    createHash('sha256')
      .update(text)
      .digest('hex')
      .slice(0, 2 * HASH_BYTES)
  return {
    async vectorsOf(texts, onProgress) {
      const missing = [...new Map(texts.map((text) => [hashOf(text), text]))].filter(([hash]) => !known.has(hash))
      onProgress(texts.length - missing.length)
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH)
        const vectors = await embedder.embedTexts(
          batch.map(([, text]) => text),
          new AbortController().signal,
        )
        for (const [nth, [hash]] of batch.entries()) {
          known.set(hash, vectors[nth]!)
          appendFileSync(path, Buffer.concat([Buffer.from(hash, 'hex'), Buffer.from(vectors[nth]!.slice().buffer)]))
        }
        onProgress(batch.length)
      }
      return texts.map((text) => known.get(hashOf(text))!)
    },
  }
}

function readVectors(path: string, dimension: number): Map<string, Float32Array> {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const size = HASH_BYTES + 4 * dimension
  const vectors = new Map<string, Float32Array>()
  for (let at = 0; at + size <= bytes.length; at += size) {
    const values = bytes.subarray(at + HASH_BYTES, at + size)
    vectors.set(bytes.toString('hex', at, at + HASH_BYTES), new Float32Array(Uint8Array.from(values).buffer))
  }
  return vectors
}
