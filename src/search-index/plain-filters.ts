// Whether a document in the plain index meets what a query asks for besides its words.
import type { Filters, Tag } from '../domain/query.ts'
import { holdsPhrase, type Phrase } from '../text/phrase.ts'
import { authorKey, authorKeysOf } from './author-keys.ts'
import type { Entry, Piece } from './pieces.ts'
import type { IndexDocument } from './search-index.ts'
import type { WordConditions } from './word-conditions.ts'

export const meets = (document: IndexDocument, filters: Filters): boolean =>
  isOneOf(filters.source_types, (it) => it === document.source_type) &&
  isOneOf(filters.cc_pair_ids, (it) => document.cc_pair_ids.includes(it)) &&
  isOneOf(filters.tags, (it) => document.tags.some((tag) => isSameTag(tag, it))) &&
  isOneOf(filters.authors, (it) => document.authors.flatMap(authorKeysOf).includes(authorKey(it))) &&
  isOneOf(filters.document_ids, (it) => it === document.document_id) &&
  isWithin(document.updated_at, filters)

const isOneOf = <T>(wanted: readonly T[] | undefined, isMet: (it: T) => boolean): boolean =>
  wanted === undefined || wanted.some(isMet)

const isSameTag = (one: Tag, other: Tag): boolean => one.tag_key === other.tag_key && one.tag_value === other.tag_value

/** A document without a date is in no span of time. */
function isWithin(updatedAt: number | null, { updated_from, updated_until }: Filters): boolean {
  if (updated_from === undefined && updated_until === undefined) return true
  return updatedAt !== null && updatedAt >= (updated_from ?? -Infinity) && updatedAt <= (updated_until ?? Infinity)
}

export const meetsConditions = (entry: Entry, { phrases, required, excluded, titleWords }: WordConditions): boolean =>
  phrases.every((it) => isIn(entry, it)) &&
  required.every((it) => isIn(entry, it)) &&
  !excluded.some((it) => isIn(entry, it)) &&
  titleWords.every((it) => isInTitle(entry, it))

const isIn = (entry: Entry, phrase: Phrase): boolean =>
  isInTitle(entry, phrase) || entry.pieces.some((it) => isInPiece(entry, phrase, it))

const isInTitle = ({ document, language }: Entry, phrase: Phrase): boolean =>
  holdsPhrase(phrase, document.title, language)

const isInPiece = ({ language }: Entry, phrase: Phrase, { chunk }: Piece): boolean =>
  holdsPhrase(phrase, chunk.content, language)

/** All where none is asked for, or where one stands in the title. */
export function piecesWithPhrase(entry: Entry, phrases: readonly Phrase[]): Piece[] {
  if (phrases.length === 0 || phrases.some((it) => isInTitle(entry, it))) return entry.pieces
  return entry.pieces.filter((piece) => phrases.some((it) => isInPiece(entry, it, piece)))
}
