// Groups chunks by the text that the model gets, so that it gets each text once.
import { hash } from 'node:crypto'
import type { UnembeddedChunk } from '../../search-index/search-index.ts'

export interface TextGroup {
  text: string
  /** 128 bits of a hash of the text. */
  textHash: string
  /** All chunks with this text, in one document or in several. */
  chunks: UnembeddedChunk[]
}

/** In the order in which the texts occur first. */
export function groupByText(chunks: readonly UnembeddedChunk[]): TextGroup[] {
  const byText = Map.groupBy(chunks, embeddingText)
  return [...byText].map(([text, same]) => ({ text, textHash: hashText(text), chunks: same }))
}

/** The text that is sent to the model. */
export const embeddingText = ({ title, content }: Pick<UnembeddedChunk, 'title' | 'content'>): string =>
  content === '' ? title : `${title}\n${content}`

const TEXT_HASH_BYTES = 16

const hashText = (text: string): string =>
  hash('sha256', text, 'buffer').subarray(0, TEXT_HASH_BYTES).toString('base64url')
