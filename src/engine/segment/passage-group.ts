// The unit that the index stores. In Lucene's words, a passage is a document (the unit that has a number, postings and a score)
// and a group is a block: all passages of one key, which are added, replaced and deleted together. For Pharos a group
// is one document of the record, and its passages are the chunks.
import type { Language } from '../../text/language.ts'

export interface PassageGroup {
  key: string
  language: Language
  /** Epoch milliseconds, or null. */
  time: number | null
  /** One list per dimension of the index, in the order of the dimensions. */
  labels: readonly (readonly string[])[]
  passages: readonly EnginePassage[]
}

export interface EnginePassage {
  fields: readonly WeightedTerms[]
  /**
   * Terms that can be looked up but are not scored: they do not add to the passage's length. None of them occurs in
   * `fields`.
   */
  unscored?: readonly string[]
  /** The text that a hit returns. */
  stored: string
  /**
   * Identifies the text from which the passage's vector is computed; absent if the passage takes no vector. See
   * `content-hash.ts`.
   */
  contentHash?: string
}

/** Each occurrence of a term counts `weight` times, both in the term frequency and in the length of the passage. */
export interface WeightedTerms {
  terms: readonly string[]
  weight: number
}
