// Repeatable random values: every random test prints its seed and accepts it in SEED.
export interface Random {
  /** At least 0, below 1. */
  (): number
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
}

/** The seed of this run. The output names it, so that a failure can be repeated. */
export function chooseSeed(say: (line: string) => void): number {
  const seed = process.env.SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(process.env.SEED)
  say(`SEED=${seed}`)
  return seed
}

/** Mulberry32: small, fast, and good enough to choose instants and documents. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Object.assign(random, { below: (below: number) => Math.floor(random() * below) })
}
