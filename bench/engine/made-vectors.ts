// Vectors that are distributed as those of real texts: topics, directions within a topic, and noise.
import { dot } from '../../src/engine/vectors/vector-search.ts'
import { type Random, seeded } from '../../test/random.ts'

const CENTRES = 400
const LATENT = 16

/** Makes a vector of length 1. The same numbers make the same vector. */
export type MakeVector = (random: Random) => Float32Array

/**
 * The centre of a topic plus a few directions in which texts of the topic differ, plus noise; normalized to length 1.
 */
export function makerOfVectors(dimension: number): MakeVector {
  const source = seeded(4)
  const gaussian = (random: Random) => random() + random() + random() + random() - 2
  const vector = () => Float32Array.from({ length: dimension }, () => gaussian(source))
  const centres = Array.from({ length: CENTRES }, vector)
  const directions = Array.from({ length: LATENT }, vector)
  return (random) => {
    const values = centres[random.below(CENTRES)]!.map((it) => it + 0.2 * gaussian(random))
    for (const direction of directions) {
      const weight = 0.5 * gaussian(random)
      for (let at = 0; at < dimension; at++) values[at]! += weight * direction[at]!
    }
    const length = Math.sqrt(dot(values, values))
    return values.map((it) => it / length)
  }
}
