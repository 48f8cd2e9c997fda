// Raises documents whose title is the query or that links call so, and lowers lists of links and change logs.
import type { PageKind } from '../../domain/search/page-kind.ts'
import type { StoredChunk } from '../../search-index/search-index.ts'
import { extractTerms } from '../../text/analyze.ts'
import { plainName, withoutNumber } from '../../text/names/plain-name.ts'
import type { QueryWord } from '../../text/query-terms.ts'
import type { QueryWordsByLanguage } from '../../text/query-words.ts'
import { bestPassageRefOf, type MatchedChunkCache } from '../results/chunk-cache.ts'
import { compareByScore, type RankedDocument, type ScorePart, withScoreParts } from './fuse.ts'
import { PROXIMITY_DEPTH } from './proximity.ts'

/** The likeness of a name that has the words of the query in other forms or another order. */
const SAME_WORDS = 0.9
/** The share of its score that a page keeps if it hardly ever answers a question by itself. */
const KIND_FACTOR = 0.7
/** A change log is asked for if its title has this much in common with the query. */
const ASKED_FOR = 0.5
/** A longer text is no title. */
const MAX_WORDS = 32
/** The part of a title or of a link that is examined, in UTF-16 units. */
const MAX_EXAMINED = 300
/** A name that more of the best documents have than this is the name of their site. */
const MAX_DOCUMENTS_OF_NAME = 3

export interface TitleContext {
  text: string
  queryWords: QueryWordsByLanguage
  /** The cache that holds the chunks of the top results. */
  cache: Pick<MatchedChunkCache, 'get'>
  semanticWeight: number
  /** Documents that others link to with the words of the query. */
  linked: ReadonlySet<string>
}

/** Re-sorts the top results. */
export function addTitles(
  ranked: readonly RankedDocument[],
  { text, queryWords, cache, semanticWeight, linked }: TitleContext,
): RankedDocument[] {
  const best = ranked.slice(0, PROXIMITY_DEPTH).map((document) => {
    const chunk = cache.get(bestPassageRefOf(document))
    return { document, kind: chunk?.page_kind, names: chunk === null ? [] : namesOf(chunk) }
  })
  const isOfSite = sharedNames(best.map((it) => it.names))
  const typed = plainName(text.slice(0, MAX_EXAMINED))
  const unit = 1 - semanticWeight
  const rescored = best.map(({ document, kind, names }) => {
    const words = queryWords(document.language)
    const likeness = (name: string) =>
      name === typed ? 1 : SAME_WORDS * nameLikeness(words, [...new Set(extractTerms(name, document.language))])
    const match = Math.max(0, ...names.filter((it) => !isOfSite(it)).map(likeness))
    const part =
      kindPart(document, kind, match) ?? titlePart(match, unit) ?? linkPart(linked.has(document.document_id), unit)
    return part === undefined ? document : withScoreParts(document, [...document.parts, part])
  })
  return [...rescored, ...ranked.slice(PROXIMITY_DEPTH)].sort(compareByScore)
}

/** As much as the best match of the words. A title that shares only some words with the query adds nothing (docs/ranking.md). */
const titlePart = (match: number, unit: number): ScorePart | undefined =>
  match < SAME_WORDS ? undefined : { name: 'title', value: unit * match, from: match }

const linkPart = (isLinked: boolean, unit: number): ScorePart | undefined =>
  isLinked ? { name: 'links', value: unit * SAME_WORDS, from: null } : undefined

/** The title of a list says what is listed, so it does not count. */
function kindPart({ score }: RankedDocument, kind: PageKind | undefined, match: number): ScorePart | undefined {
  if (kind === undefined || (kind === 'changes' && match >= ASKED_FOR)) return undefined
  return { name: 'kind', value: score * (KIND_FACTOR - 1), from: KIND_FACTOR }
}

function sharedNames(all: readonly (readonly string[])[]): (name: string) => boolean {
  const counts = new Map<string, number>()
  for (const name of all.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return (name) => (counts.get(name) ?? 0) > MAX_DOCUMENTS_OF_NAME
}

/** The whole title, its parts, and the last part of the path, all in small letters. */
function namesOf({ title, link }: Pick<StoredChunk, 'title' | 'link'>): string[] {
  const whole = title.slice(0, MAX_EXAMINED)
  const titles = [whole, ...whole.split(SEPARATOR)].map(withoutNumber)
  return [...new Set([...titles, ...(link === null ? [] : pathNames(link))].map(plainName))].filter((it) => it !== '')
}

/** Separates the title of a page from that of its site, and a number or a name from what it stands for. */
const SEPARATOR = /\s[—–|·-]\s|:\s/

/** "getting-started.html" is named as it is and as "getting started". */
function pathNames(link: string): string[] {
  const last =
    URL.parse(link)
      ?.pathname.split('/')
      .findLast((it) => it !== '') ?? ''
  const name = last.slice(0, MAX_EXAMINED).replace(/\.\w{1,5}$/, '')
  return name === 'index' ? [] : [name, name.replaceAll(/[-_]/g, ' ')]
}

/** The harmonic mean of the share of the query that is in the name and the share of the name that is in the query. */
function nameLikeness(words: readonly QueryWord[], name: readonly string[]): number {
  const inName = words.filter(({ terms }) => terms.some((it) => name.includes(it))).length
  if (inName === 0 || words.length > MAX_WORDS) return 0
  const inQuery = name.filter((term) => words.some(({ terms }) => terms.includes(term))).length
  const [recall, precision] = [inName / words.length, inQuery / name.length]
  return (2 * recall * precision) / (recall + precision)
}
