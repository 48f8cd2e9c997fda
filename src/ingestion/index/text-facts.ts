// Counts what the stored text of a document has, for its page.
import type { DocumentSection } from '../../domain/document.ts'
import { detectDocumentLanguage } from '../../search-index/document-language.ts'
import type { Language } from '../../text/language.ts'
import { findTables } from '../../text/tables/find-tables.ts'

export interface TextFacts {
  sections: number
  /** UTF-16 units of all texts. */
  characters: number
  /** Tables whose columns have names. Null for a text that is too long to look for them. */
  tables: number | null
  /** Sections that show a picture or a scanned page. */
  pictures: number
  /** The language by whose rules the text is searched; null if there is hardly any. */
  language: Language | null
}

/** Looking for tables takes time, while other requests wait. */
const MAX_TABLE_CHARACTERS = 2_000_000
const MIN_LANGUAGE_CHARACTERS = 20

export function textFacts(
  title: string,
  sections: readonly Pick<DocumentSection, 'text' | 'picture' | 'image_file_id'>[],
): TextFacts {
  const characters = sections.reduce((sum, it) => sum + it.text.length, 0)
  const chunks = sections.map((it, chunk_ind) => ({ chunk_ind, content: it.text, link: null }))
  return {
    sections: sections.length,
    characters,
    tables:
      characters > MAX_TABLE_CHARACTERS ? null : sections.reduce((sum, it) => sum + findTables(it.text).length, 0),
    pictures: sections.filter((it) => it.picture !== undefined || it.image_file_id !== null).length,
    language: characters < MIN_LANGUAGE_CHARACTERS ? null : detectDocumentLanguage({ title, chunks }),
  }
}
