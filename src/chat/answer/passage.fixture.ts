import type { Passage } from '../../domain/chat/passage.ts'
import { createSearchDoc } from '../../domain/chat/search-doc.ts'

/** A passage for tests. */
export const passageWith = ({
  id,
  title = id,
  text,
  link = null,
  chunk_ind = 0,
}: {
  id: string
  title?: string
  text: string
  link?: string | null
  chunk_ind?: number
}): Passage => ({
  document: createSearchDoc({
    document_id: id,
    chunk_ind,
    semantic_identifier: title,
    link,
    blurb: text.slice(0, 100),
    source_type: 'wiki',
    score: 0.5,
    updated_at: '2026-03-01T00:00:00.000Z',
  }),
  text,
  chunk_inds: [chunk_ind, chunk_ind],
  link,
  warnings: [],
})
