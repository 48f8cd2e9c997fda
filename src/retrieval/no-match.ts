// Decides whether anything that was found answers the query, from the nearest passages and the words that stand in
// them together.
import type { Access } from '../domain/access.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Queryable } from '../store/database/database.ts'
import { findDocuments } from '../store/documents/documents.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { isIdentifier } from '../text/names/identifier.ts'
import { type QueryWord, queryTermsFor, queryWords } from '../text/query-terms.ts'
import { createTermMatcher } from '../text/term-matcher.ts'
import type { RankedDocument } from './ranking/fuse.ts'
import type { RankedPage } from './ranking/rank-page.ts'
import { passageRefsOf } from './results/chunk-cache.ts'

/**
 * The similarities below are those of this model. Those of other models have another scale, so with them nothing is
 * refused.
 */
export const MEASURED_MODEL = 'all-MiniLM-L6-v2-int8'
/**
 * A nearest passage below this similarity answers nothing unless it holds all the words. The limit is higher if a word
 * of the query occurs in no document (docs/ranking.md).
 */
const MIN_SIMILARITY = 0.35
const MIN_SIMILARITY_WITH_UNKNOWN_WORD = 0.42
/** The limits hold from this number of passages on. The nearest of fewer passages is less similar. */
const MEASURED_PASSAGES = 10_000
const LOWER_FOR_A_TENTH = 0.07
/** Longer texts are descriptions: no passage holds most of their words. */
const MAX_WORDS = 12
/** Words within this many positions belong together. */
const TOGETHER = 15
/** The number of results that are looked at. */
const EVIDENCE_DEPTH = 10
/** While more of the passages than this have no vector, nothing is refused. */
const MAX_SHARE_WITHOUT_VECTOR = 0.05

/** A word of the query with the words that it is made of, as indexes into the words of the query. */
interface Term {
  word: string
  at: number
  parts: number[]
}

/** Where the words of the query stand in a passage of a document. */
export interface PassageEvidence {
  terms: readonly Term[]
  inTitle: ReadonlySet<number>
  matches: readonly { word: number; position: number }[]
}

export interface NoMatchDeps {
  db: Queryable
  searchIndex: SearchIndex
  embedder: { readonly model: string } | null
}

/** The text is the one that was typed, without its operators. */
export interface SearchedPage {
  page: Pick<RankedPage, 'best' | 'cache' | 'searchQuery' | 'ranked_by'>
  text: string
  access: Access
}

/**
 * True if the page of the ranking answers nothing: its nearest passage is not similar enough, and no passage holds all
 * informative words near each other. Words alone cannot tell (decision 172).
 */
export async function isUnanswered(deps: NoMatchDeps, found: SearchedPage): Promise<boolean> {
  const best = found.page.best.slice(0, EVIDENCE_DEPTH)
  const similarity = nearestSimilarity(deps, found.page.ranked_by, best)
  if (similarity === null || similarity >= MIN_SIMILARITY_WITH_UNKNOWN_WORD) return false
  if (best.some(isPinned) || !isEnglish(found.text, best)) return false
  const { vectors, vectors_missing } = await deps.searchIndex.stats()
  // A passage that has no vector yet may be the nearest one.
  if (vectors_missing > MAX_SHARE_WITHOUT_VECTOR * vectors) return false
  const passages = await readEvidence(deps, found.page, best)
  const { terms = [] } = passages[0] ?? {}
  if (terms.length === 0 || terms.length > MAX_WORDS) return false
  if (passages.some((it) => holdsAllTogether(it) || holdsIdentifier(it))) return false
  const counts = await Promise.all(terms.map(({ word }) => countDocuments(deps, found, word)))
  const isEachKnown = counts.every((it) => it > 0)
  if (isEachKnown && countTyped(found.text) <= 2) return false
  const limit = isEachKnown ? MIN_SIMILARITY : MIN_SIMILARITY_WITH_UNKNOWN_WORD
  return similarity < limit - LOWER_FOR_A_TENTH * Math.max(0, Math.log10(MEASURED_PASSAGES / vectors))
}

/** An administrator has said that this document answers the query. */
const isPinned = ({ parts }: RankedDocument): boolean => parts.some((it) => it.name === 'pin')

/** The model knows English only: its similarities for other languages mean little (decision 172). */
const isEnglish = (text: string, best: readonly RankedDocument[]): boolean =>
  detectLanguage(text) === 'en' && best.some((it) => it.language === 'en')

/** Null if it says nothing: by words alone, for another model, or while one of the best documents has no vector yet. */
function nearestSimilarity(
  { embedder }: Pick<NoMatchDeps, 'embedder'>,
  by: RankedPage['ranked_by'],
  best: readonly RankedDocument[],
): number | null {
  if (by !== 'both' || embedder?.model !== MEASURED_MODEL || best.length === 0) return null
  const known = best.flatMap((it) => it.semanticScore ?? [])
  return known.length < best.length ? null : Math.max(...known)
}

async function readEvidence(
  { db }: NoMatchDeps,
  { cache, searchQuery }: SearchedPage['page'],
  best: readonly RankedDocument[],
): Promise<PassageEvidence[]> {
  const ids = best.map((it) => it.document_id)
  const [documents] = await Promise.all([findDocuments(db, ids), cache.load(best.flatMap(passageRefsOf))])
  const titles = new Map(documents.map((it) => [it.id, it.title ?? it.semantic_identifier]))
  const readers = new Map<Language, ReturnType<typeof evidenceReader>>()
  return best.flatMap((it) => {
    const read = readers.get(it.language) ?? evidenceReader(searchQuery.text, it.language)
    readers.set(it.language, read)
    return passageRefsOf(it).map((ref) => read(titles.get(it.document_id) ?? '', cache.get(ref)?.matches ?? []))
  })
}

/** Reads a title and the matches of a passage in a language. */
export function evidenceReader(query: string, language: Language) {
  const words = queryTermsFor(query, language)
  const terms = groupParts(words)
  const findInTitle = createTermMatcher(words, language)
  return (title: string, matches: PassageEvidence['matches']): PassageEvidence => ({
    terms,
    inTitle: new Set(findInTitle(title).map((it) => it.word)),
    matches,
  })
}

/** Words that stand within another one are its parts. Repeated words count once. */
function groupParts(words: readonly QueryWord[]): Term[] {
  const ordered = words.map((it, at) => ({ ...it, at })).sort((a, b) => a.start - b.start || b.end - a.end)
  const terms = new Map<string, Term>()
  let end = 0
  let last: Term | undefined
  for (const it of ordered) {
    if (last !== undefined && it.start < end) {
      last.parts.push(it.at)
      continue
    }
    end = it.end
    last = { word: it.word, at: it.at, parts: [] }
    if (!terms.has(it.word.toLowerCase())) terms.set(it.word.toLowerCase(), last)
  }
  return [...terms.values()]
}

const isMet = ({ at, parts }: Term, found: ReadonlySet<number>): boolean =>
  found.has(at) || (parts.length > 0 && parts.every((it) => found.has(it)))

/** The words of the title count as near to each word of the passage. */
export function holdsAllTogether({ terms, inTitle, matches }: PassageEvidence): boolean {
  if (terms.every((it) => isMet(it, inTitle))) return true
  const ordered = matches.toSorted((a, b) => a.position - b.position)
  return ordered.some(({ position }, at) => {
    const found = new Set(inTitle)
    for (let next = at; (ordered[next]?.position ?? Infinity) <= position + TOGETHER; next++)
      found.add(ordered[next]?.word ?? -1)
    return terms.every((it) => isMet(it, found))
  })
}

/** Names such as "max_connections", "os.path" or "40P01" are searched for their own sake. */
export const holdsIdentifier = ({ terms, inTitle, matches }: PassageEvidence): boolean =>
  terms.some((it) => isIdentifier(it.word) && (inTitle.has(it.at) || matches.some((match) => match.word === it.at)))

/** The number of documents that the caller may read and that contain the word. */
const countDocuments = async ({ searchIndex }: NoMatchDeps, { access }: SearchedPage, word: string): Promise<number> =>
  (await searchIndex.search({ text: word, access, filters: {}, offset: 0, limit: 0 })).total

const countTyped = (text: string): number => groupParts(queryWords(text, ['en'])).length
