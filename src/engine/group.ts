// What goes into the index: a group is all entries of one key, and is replaced and deleted as a whole.

export interface Group {
  key: string
  language: string
  /** Epoch milliseconds, or null. */
  time: number | null
  /** One list per dimension of the index, in its order. */
  labels: readonly (readonly string[])[]
  entries: readonly Entry[]
}

/** A whole word, and terms that stand for it. */
export interface Word {
  word: string
  terms: readonly string[]
}

export interface Entry {
  fields: readonly WeightedTerms[]
  /** Terms that are looked up and never scored: they add nothing to the length. None of `fields` is among them. */
  unscored?: readonly string[]
  /** What a hit gives back. */
  stored: string
  /** Stands for what its vector is made of: `marks.ts`. Absent when it takes none. */
  mark?: string
}

/** Each occurrence of a term counts `weight` times, in the term's count and in the entry's length. */
export interface WeightedTerms {
  terms: readonly string[]
  weight: number
}
