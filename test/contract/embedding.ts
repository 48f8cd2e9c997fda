// An embedding model for tests: the vector depends only on the text and is close to those of texts with common words.
import { seeded } from '../random.ts'

export const DIMENSION = 24
export const MODEL = { model: 'test', dimension: DIMENSION }

export function embed(title: string, content: string, dimension = DIMENSION): Float32Array {
  const values = new Float32Array(dimension)
  for (const word of `${title} ${content}`.split(' ')) {
    const random = seeded([...word].reduce((sum, it) => Math.imul(sum, 31) + it.codePointAt(0)!, 7))
    for (let at = 0; at < dimension; at++) values[at]! += random() + random() - 1
  }
  const length = Math.sqrt(dot(values, values)) || 1
  return values.map((it) => it / length)
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}
