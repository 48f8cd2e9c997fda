// Can an index take these vectors?
import type { ChunkVector, VectorOptions } from './search-index.ts'

export function checkVectors(vectors: readonly ChunkVector[], options: VectorOptions | undefined): VectorOptions {
  if (options === undefined) throw new RangeError('the index was opened without vectors and takes none')
  for (const { document_id, chunk_ind, vector } of vectors) {
    checkVector(vector, options, `the vector of ${JSON.stringify(document_id)}, chunk ${chunk_ind},`)
  }
  return options
}

export function checkVector(vector: Float32Array, { model, dimension }: VectorOptions, name: string): void {
  if (vector.length !== dimension) {
    throw new RangeError(`${name} has ${vector.length} values, but those of ${model} have ${dimension}`)
  }
  const wrong = vector.findIndex((it) => !Number.isFinite(it))
  if (wrong >= 0) throw new RangeError(`${name} has ${vector[wrong]} as its value ${wrong}, which is no finite number`)
}
