// Document search for models. It finds only documents that the person may read.

import { z } from 'zod'
import type { Passage } from '../../domain/chat/passage.ts'
import type { SearchDoc } from '../../domain/chat/search-doc.ts'
import { detectWarnings } from '../../domain/injection/injection-scan.ts'
import { isPlaceOnly } from '../../domain/originals/place-link.ts'
import { intersectFilters, intersectLists } from '../../domain/search/intersect-filters.ts'
import type { Filters, Tag } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import type { ContextWindow } from '../../retrieval/context-windows.ts'
import type { ClosestDocument, RetrievalRequest, RetrievalResult, RetrievalResults } from '../../retrieval/retrieve.ts'
import { resultToSearchDoc } from '../../retrieval/search-doc.ts'
import { parseDateTime } from '../../wire/date-time.ts'
import type { ToolRun } from '../tool.ts'
import { defineBuiltInTool, okResult } from './define-built-in-tool.ts'

export interface SearchToolDeps {
  retrieve: (subject: Subject, search: Omit<RetrievalRequest, 'access' | 'subject'>) => Promise<RetrievalResults>
  readContextWindows: (
    subject: Subject,
    anchors: readonly { document_id: string; chunk_ind: number }[],
    radius: number,
  ) => Promise<ContextWindow[]>
}

const MAX_QUERIES = 5
const MAX_QUERY = 2_048
/** Limits for each query and for all queries of a call together. */
const MAX_HITS_PER_QUERY = 12
const MAX_DOCUMENTS = 20
/** Number of chunks added on each side of a matched chunk. */
const CONTEXT_RADIUS = 1

const nameList = z.array(z.string().min(1).max(500)).max(20)
const dateText = z
  .string()
  .max(40)
  .refine((it) => typeof parseDateTime(it) === 'number', 'Use the form 2026-05-31 or 2026-05-31T12:00:00Z')

const Arguments = z.object({
  queries: z
    .preprocess(
      (it) => (typeof it === 'string' ? [it] : it),
      z.array(z.string().min(1).max(MAX_QUERY)).min(1).max(MAX_QUERIES),
    )
    .describe('One to five short queries, each about one fact, in the language of the documents.'),
  sources: nameList.optional().describe('Only documents of these source types, such as "web" or "confluence".'),
  authors: nameList.optional().describe('Only documents by one of these authors, given by name or e-mail address.'),
  tags: z
    .array(z.object({ tag_key: z.string().min(1).max(500), tag_value: z.string().min(1).max(500) }))
    .max(20)
    .optional()
    .describe('Only documents with one of these tags.'),
  updated_from: dateText.optional().describe('Only documents updated on or after this date.'),
  updated_until: dateText.optional().describe('Only documents updated on or before this date.'),
})
type Arguments = z.output<typeof Arguments>

export const searchTool = defineBuiltInTool({
  in_code_tool_id: 'SearchTool',
  name: 'internal_search',
  display_name: 'Internal Search',
  description: 'Searches what the company knows.',
  descriptionForModel:
    'Searches the company documents that the person may read. Returns numbered passages to use as evidence and to cite.',
  default_enabled: true,
  arguments: Arguments,
  async call(deps: SearchToolDeps, args, run) {
    run.emit({ type: 'search_tool_start', is_internet_search: false })
    const queries = distinct(args.queries.map((it) => it.trim()).filter((it) => it !== ''))
    run.emit({ type: 'search_tool_queries_delta', queries })
    const filters = narrowFilters(run.filters, args)
    if (filters !== null && hasFilters(args)) run.emit(filterDelta(args))
    const found = filters === null ? NO_RESULTS : await searchAll(deps, queries, filters, run)
    const { results, relaxed, closest, isByMeaning } = found
    const documents = results.map(resultToSearchDoc)
    run.emit({ type: 'search_tool_documents_delta', documents })
    if (documents.length === 0 && closest.length > 0)
      return { ...okResult(explainNoMatch(closest)), closest: closest.map(toLink) }
    if (documents.length === 0) return okResult(NOTHING_FOUND)
    const passages = await readPassages(deps, run.subject, results, documents)
    const summary = `${documents.length} documents found for ${queries.map((it) => `"${it}"`).join(', ')}.`
    const text = [summary, ...distinct(relaxed).map(explainRelaxed)].join(' ')
    return { ...okResult(text, passages), isByMeaning }
  },
})

const explainRelaxed = (phrase: string) =>
  `No document that the person may read contains the exact words "${phrase}", so documents with some of these words were searched.`

const NOTHING_FOUND =
  'No documents found that the person may read. Try other words or fewer filters; if that does not help, say that nothing was found.'

/** The titles are no evidence, so they come without passages and numbers. */
const explainNoMatch = (closest: readonly ClosestDocument[]) =>
  `Nothing that the person may read matches. Try other words; if that does not help, say that nothing answers the question. The closest pages, which do not answer it: ${closest.map((it) => `"${toLink(it).title}"`).join(', ')}.`

const MAX_TITLE = 120
const toLink = ({ semantic_identifier, link }: ClosestDocument) => ({
  title: displayTitle(semantic_identifier)
    .replace(/["\s]+/g, ' ')
    .slice(0, MAX_TITLE),
  link: displayLink(link),
})

const distinct = <T>(list: readonly T[]): T[] => [...new Set(list)]

interface FoundByAll {
  results: RetrievalResult[]
  relaxed: string[]
  /** The documents that come nearest to the queries without results. */
  closest: ClosestDocument[]
  isByMeaning: boolean
}

const NO_RESULTS: FoundByAll = { results: [], relaxed: [], closest: [], isByMeaning: false }
const MAX_CLOSEST = 3

/**
 * Ranks the best result of every query before the second of any. Scores of different queries are not comparable, and a
 * document that is second for several queries often answers none of them.
 */
async function searchAll(
  { retrieve }: SearchToolDeps,
  queries: readonly string[],
  filters: Filters,
  { subject, filters: { tags, authors } }: ToolRun,
): Promise<FoundByAll> {
  const isWidening = tags !== undefined || authors !== undefined
  const lists = await Promise.all(
    queries.map((query) =>
      retrieve(subject, {
        query: isWidening ? withoutOperators(query) : query,
        filters,
        offset: 0,
        limit: MAX_HITS_PER_QUERY,
        isAnswersOnly: true,
        isFolded: true,
      }),
    ),
  )
  return {
    results: mergeResults(lists).slice(0, MAX_DOCUMENTS),
    relaxed: lists.flatMap((it) => it.relaxed.map(({ value }) => value)),
    closest: [...new Map(lists.flatMap((it) => it.closest.map((one) => [one.id, one]))).values()].slice(0, MAX_CLOSEST),
    isByMeaning: lists.every((it) => it.ranked_by === 'both'),
  }
}

/** These operators would widen a list that the person has chosen, which must stay as it is. */
const withoutOperators = (query: string) => query.replace(/\b(author|tag):(?=\S)/gi, '$1: ')

/** Two queries may prefer different ones of the same near duplicates; a model gets one of them. */
function mergeResults(lists: readonly Pick<RetrievalResults, 'results' | 'similar'>[]): RetrievalResult[] {
  const found = new Map<string, { result: RetrievalResult; rank: number; lists: number }>()
  const keptFor = new Map<string, string>()
  for (const { results, similar } of lists) {
    for (const [rank, result] of results.entries()) {
      const ids = [result.document.id, ...(similar.get(result.document.id)?.document_ids ?? [])]
      const id = ids.map((it) => keptFor.get(it)).find((it) => it !== undefined) ?? result.document.id
      for (const it of ids) if (!keptFor.has(it)) keptFor.set(it, id)
      const known = found.get(id)
      if (known === undefined) found.set(id, { result, rank, lists: 1 })
      else {
        known.rank = Math.min(known.rank, rank)
        known.lists++
        if (id === result.document.id)
          known.result = { ...known.result, passages: mergePassages(known.result.passages, result.passages) }
      }
    }
  }
  const best = [...found.values()].sort((one, other) => one.rank - other.rank || other.lists - one.lists)
  return best.map((it) => it.result)
}

/** Different queries may match different passages of one document. */
const mergePassages = (
  one: RetrievalResult['passages'],
  other: RetrievalResult['passages'],
): RetrievalResult['passages'] => [...new Map([...other, ...one].map((it) => [it.chunk.chunk_ind, it])).values()]

async function readPassages(
  { readContextWindows }: SearchToolDeps,
  subject: Subject,
  results: readonly RetrievalResult[],
  documents: readonly SearchDoc[],
): Promise<Passage[]> {
  const anchors = results.flatMap(({ document, passages }) =>
    passages.map(({ chunk }) => ({ document_id: document.id, chunk_ind: chunk.chunk_ind })),
  )
  const byId = new Map(documents.map((it) => [it.document_id, it]))
  const byResult = new Map(results.map((it) => [it.document.id, it]))
  const windows = await readContextWindows(subject, anchors, CONTEXT_RADIUS)
  return windows.flatMap((window): Passage[] => {
    const document = byId.get(window.document_id)
    if (document === undefined) return []
    return [toPassage(window, { document, link: linkOfPassage(window, byResult.get(window.document_id)) })]
  })
}

/** The index has the link of the source, the result that to a page of this service. */
function linkOfPassage({ chunks, anchor: { chunk_ind } }: ContextWindow, result: RetrievalResult | undefined) {
  const own = chunks.find((it) => it.chunk_ind === chunk_ind)?.link ?? null
  if (own !== null && !isPlaceOnly(own)) return own
  return result?.passages.find((it) => it.chunk.chunk_ind === chunk_ind)?.chunk.link ?? null
}

function toPassage(
  { chunks }: ContextWindow,
  { document, link }: { document: SearchDoc; link: string | null },
): Passage {
  const text = chunks.map((it) => it.content).join('\n')
  const [{ chunk_ind: first }] = chunks
  return {
    document,
    text,
    chunk_inds: [first, first + chunks.length - 1],
    link: displayLink(link ?? document.link),
    warnings: detectWarnings(text),
  }
}

/**
 * The filters of the person and the persona always apply; a model can only narrow them. Lists are intersected. Returns
 * null if an intersection is empty.
 */
export function narrowFilters(chosen: Filters, args: Arguments): Filters | null {
  const lists = {
    source_types: intersectLists(chosen.source_types, presentList(args.sources), ignoringCase),
    authors: intersectLists(chosen.authors, presentList(args.authors), ignoringCase),
    tags: intersectLists(chosen.tags, presentList(args.tags), tagKey),
  }
  if (Object.values(lists).some((it) => it?.length === 0)) return null
  const times = { updated_from: parseTime(args.updated_from), updated_until: endOfDay(args.updated_until) }
  const given = Object.entries(lists).filter(([, it]) => it !== undefined)
  return { ...intersectFilters(chosen, times), ...Object.fromEntries(given) }
}

/** A model may send an empty list for one that it does not need. */
const presentList = <T>(list: readonly T[] | undefined) => (list?.length === 0 ? undefined : list)

const ignoringCase = (text: string) => text.toLowerCase()
const tagKey = ({ tag_key, tag_value }: Tag) => JSON.stringify([tag_key, tag_value])

function parseTime(text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : parseDateTime(text)
  return typeof time === 'number' ? time : undefined
}

/** A date without a time stands for the whole day. */
function endOfDay(text: string | undefined): number | undefined {
  const time = parseTime(text)
  const isDate = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)
  return time === undefined || !isDate ? time : time + 86_400_000 - 1
}

const hasFilters = ({ queries: _, ...filters }: Arguments) =>
  Object.values(filters).some((it) => it !== undefined && it.length > 0)

const filterDelta = ({ sources = [], updated_from, updated_until }: Arguments) => ({
  type: 'search_tool_filter_delta' as const,
  sources,
  time_filter_start: toIso(parseTime(updated_from)),
  time_filter_end: toIso(endOfDay(updated_until)),
})

const toIso = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())
