import type { SearchDoc } from './search-doc.ts'

/** Why a reader of a passage should not take it at its word. */
export type PassageWarning =
  /** It tells its reader what to do, as a prompt would. */
  | 'instructions'
  /** Some of it is not seen by a person who opens the document. */
  | 'hidden_text'

/** Something that an answer may rest on. The asker may read the document: who makes one has seen to it. */
export interface Passage {
  document: SearchDoc
  /** Chunks of the document that follow each other, as one text. */
  text: string
  /** Of those chunks, the first one and the last one. */
  chunk_inds: readonly [number, number]
  /** To the section, page, slide or heading, as near as the source allows. */
  link: string | null
  warnings: readonly PassageWarning[]
}
