// Checks whether a document of the plain index meets the filters and conditions of a query.
import type { Filters, Tag } from '../../domain/search/query.ts'
import { containsPhrase, type Phrase } from '../../text/phrase.ts'
import { authorKeys, normalizeAuthor } from '../author-keys.ts'
import type { IndexDocument } from '../search-index.ts'
import type { WordConditions } from '../word-conditions.ts'
import type { AnalyzedDocument, PlainPassage } from './analyzed-document.ts'

export const meetsFilters = (document: IndexDocument, filters: Filters): boolean =>
  matchesAny(filters.source_types, (it) => it === document.source_type) &&
  matchesAny(filters.cc_pair_ids, (it) => document.cc_pair_ids.includes(it)) &&
  matchesAny(filters.tags, (it) => document.tags.some((tag) => isSameTag(tag, it))) &&
  matchesAny(filters.authors, (it) => document.authors.flatMap(authorKeys).includes(normalizeAuthor(it))) &&
  matchesAny(filters.document_ids, (it) => it === document.document_id) &&
  isInTimeRange(document.updated_at, filters)

const matchesAny = <T>(wanted: readonly T[] | undefined, isMet: (it: T) => boolean): boolean =>
  wanted === undefined || wanted.some(isMet)

const isSameTag = (one: Tag, other: Tag): boolean => one.tag_key === other.tag_key && one.tag_value === other.tag_value

/** A document without a date is in no time range. */
function isInTimeRange(updatedAt: number | null, { updated_from, updated_until }: Filters): boolean {
  if (updated_from === undefined && updated_until === undefined) return true
  return updatedAt !== null && updatedAt >= (updated_from ?? -Infinity) && updatedAt <= (updated_until ?? Infinity)
}

export const meetsConditions = (
  analyzed: AnalyzedDocument,
  { phrases, required, excluded, titleWords }: WordConditions,
): boolean =>
  phrases.every((it) => containsAnywhere(analyzed, it)) &&
  required.every((it) => containsAnywhere(analyzed, it)) &&
  !excluded.some((it) => containsAnywhere(analyzed, it)) &&
  titleWords.every((it) => titleContains(analyzed, it))

const containsAnywhere = (analyzed: AnalyzedDocument, phrase: Phrase): boolean =>
  titleContains(analyzed, phrase) || analyzed.passages.some((it) => passageContains(analyzed, phrase, it))

const titleContains = ({ document, language }: AnalyzedDocument, phrase: Phrase): boolean =>
  containsPhrase(phrase, document.title, language)

const passageContains = ({ language }: AnalyzedDocument, phrase: Phrase, { chunk }: PlainPassage): boolean =>
  containsPhrase(phrase, chunk.content, language)

/** Returns all passages if there is no phrase or if one occurs in the title. */
export function passagesWithPhrase(analyzed: AnalyzedDocument, phrases: readonly Phrase[]): PlainPassage[] {
  if (phrases.length === 0 || phrases.some((it) => titleContains(analyzed, it))) return analyzed.passages
  return analyzed.passages.filter((passage) => phrases.some((it) => passageContains(analyzed, it, passage)))
}
