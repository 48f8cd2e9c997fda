// A document that tests send.
import type { DocumentContent } from '../src/domain/document.ts'

export const contentOf = (id: string, text = 'text'): DocumentContent => ({
  id,
  semantic_identifier: id,
  title: null,
  source: 'test',
  link: null,
  doc_updated_at: null,
  metadata: {},
  primary_owners: [],
  secondary_owners: [],
  external_access: null,
  sections: [{ text, link: null, heading: null, image_file_id: null }],
  hidden_characters: 0,
})
