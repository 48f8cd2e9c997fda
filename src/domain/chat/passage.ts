import type { SearchDoc } from './search-doc.ts'

/** Why the content of a passage should not be trusted. */
export type PassageWarning =
  /** It contains instructions to its reader, like a prompt. */
  | 'instructions'
  /** It contains text that a person who opens the document does not see. */
  | 'hidden_text'

/** Text that an answer may use. The creator of a passage has checked that the subject may read the document. */
export interface Passage {
  document: SearchDoc
  /** Consecutive chunks of the document as one text. */
  text: string
  /** The first and the last of those chunks. */
  chunk_inds: readonly [number, number]
  /** Links to the section, page, slide or heading, as precisely as the source allows. */
  link: string | null
  warnings: readonly PassageWarning[]
}
