// Checks that an index can accept vectors.
import type { ChunkVector, VectorOptions } from './search-index.ts'

export function checkVectors(vectors: readonly ChunkVector[], options: VectorOptions | undefined): VectorOptions {
  if (options === undefined) throw new RangeError('the index was opened without vectors')
  for (const { document_id, chunk_ind, vector } of vectors) {
    checkVector(vector, options, `the vector of ${JSON.stringify(document_id)}, chunk ${chunk_ind},`)
  }
  return options
}

export function checkVector(vector: Float32Array, { model, dimension }: VectorOptions, name: string): void {
  if (vector.length !== dimension) {
    throw new RangeError(`${name} has dimension ${vector.length}, but ${model} has ${dimension}`)
  }
  const wrong = vector.findIndex((it) => !Number.isFinite(it))
  if (wrong >= 0)
    throw new RangeError(`${name} has the value ${vector[wrong]} at index ${wrong}, which is not a finite number`)
}
