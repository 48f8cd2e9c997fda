// Counts what the stored text of a document has, for its page.
import type { DocumentSection } from '../../domain/document.ts'
import { detectLanguage, type Language } from '../../text/language.ts'
import { findTables } from '../../text/tables/find-tables.ts'

export interface TextFacts {
  sections: number
  /** UTF-16 units of all texts. */
  characters: number
  /** Tables whose columns have names. Null for a text that is too long to look for them. */
  tables: number | null
  /** Sections that show a picture or a scanned page. */
  pictures: number
  /** The language of the text; null if there is hardly any. */
  language: Language | null
}

/** Looking for tables takes about 0.2 s for this many. */
const MAX_TABLE_CHARACTERS = 2_000_000
const LANGUAGE_CHARACTERS = 4_000
const MIN_LANGUAGE_CHARACTERS = 20

export function textFacts(sections: readonly Pick<DocumentSection, 'text' | 'picture' | 'image_file_id'>[]): TextFacts {
  const characters = sections.reduce((sum, it) => sum + it.text.length, 0)
  const beginning = beginningOf(sections)
  return {
    sections: sections.length,
    characters,
    tables: characters > MAX_TABLE_CHARACTERS ? null : sections.reduce((sum, it) => sum + countTables(it.text), 0),
    pictures: sections.filter((it) => it.picture !== undefined || it.image_file_id !== null).length,
    language: beginning.length < MIN_LANGUAGE_CHARACTERS ? null : detectLanguage(beginning),
  }
}

const countTables = (text: string): number => findTables(text).length

function beginningOf(sections: readonly Pick<DocumentSection, 'text'>[]): string {
  let beginning = ''
  for (const { text } of sections) {
    beginning += `${text.slice(0, LANGUAGE_CHARACTERS)}\n`
    if (beginning.length >= LANGUAGE_CHARACTERS) break
  }
  return beginning.trim()
}
