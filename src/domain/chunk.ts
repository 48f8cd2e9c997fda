/** A piece of a document that is found and cited by itself. `chunk_ind` counts from 0 within its document. */
export interface Chunk {
  chunk_ind: number
  content: string
  link: string | null
}
