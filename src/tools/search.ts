// What the company knows, as something that a model can ask: it finds what the person may read, and nothing else.
import { z } from 'zod'
import { parseDateTime } from '../domain/date-time.ts'
import type { Passage } from '../domain/passage.ts'
import type { Filters, Tag } from '../domain/query.ts'
import { warningsOf } from '../domain/screen.ts'
import type { SearchDoc } from '../domain/search-doc.ts'
import type { Subject } from '../domain/subject.ts'
import type { Around } from '../retrieval/around.ts'
import type { Result, Results, Search } from '../retrieval/retrieve.ts'
import { searchDoc } from '../retrieval/search-doc.ts'
import type { StoredTool } from '../store/tools.ts'
import { callable, said } from './callable.ts'
import type { Callable, ToolRun } from './tool.ts'

export interface SearchNeeds {
  /** With the access of the subject. */
  retrieve: (subject: Subject, search: Omit<Search, 'access' | 'subject'>) => Promise<Results>
  readAround: (places: readonly { document_id: string; chunk_ind: number }[], reach: number) => Promise<Around[]>
}

const MAX_QUERIES = 5
const MAX_QUERY = 2_048
/** Documents of one query, and of all of them together. */
const HITS = 12
const MAX_DOCUMENTS = 20
/** Chunks on each side of what was found. */
const REACH = 1

const names = z.array(z.string().min(1).max(500)).max(20)
const moment = z
  .string()
  .max(40)
  .refine((it) => typeof parseDateTime(it) === 'number', 'A date is written 2026-05-31 or 2026-05-31T12:00:00Z')

const Arguments = z.object({
  queries: z
    .preprocess(
      (it) => (typeof it === 'string' ? [it] : it),
      z.array(z.string().min(1).max(MAX_QUERY)).min(1).max(MAX_QUERIES),
    )
    .describe(
      'One to five short queries, each about one thing that has to be known; in the language of the documents.',
    ),
  sources: names.optional().describe('Only documents of these kinds of source, such as "web" or "confluence".'),
  authors: names.optional().describe('Only documents by one of these people: names or e-mail addresses.'),
  tags: z
    .array(z.object({ tag_key: z.string().min(1).max(500), tag_value: z.string().min(1).max(500) }))
    .max(20)
    .optional()
    .describe('Only documents with one of these tags.'),
  updated_from: moment.optional().describe('Only documents that were updated at this date or later.'),
  updated_until: moment.optional().describe('Only documents that were updated at this date or earlier.'),
})
type Arguments = z.output<typeof Arguments>

export const searchTool = (needs: SearchNeeds, _row: StoredTool): Callable =>
  callable({
    name: 'internal_search',
    description:
      'Searches the documents of the company that the person may read. Answers numbered passages to rest on and to cite.',
    arguments: Arguments,
    async call(args, run) {
      run.emit({ type: 'search_tool_start', is_internet_search: false })
      const queries = distinct(args.queries.map((it) => it.trim()).filter((it) => it !== ''))
      run.emit({ type: 'search_tool_queries_delta', queries })
      const filters = narrowed(run.filters, args)
      if (filters !== null && isNarrowing(args)) run.emit(filtersShown(args))
      const results = filters === null ? [] : await findAll(needs, queries, filters, run)
      const documents = results.map(searchDoc)
      run.emit({ type: 'search_tool_documents_delta', documents })
      if (documents.length === 0) return said(NOTHING)
      const passages = await passagesOf(needs, results, documents)
      return said(
        `${documents.length} documents were found for ${queries.map((it) => `"${it}"`).join(', ')}.`,
        passages,
      )
    },
  })

const NOTHING =
  'Nothing was found that the person may read. Other words or fewer filters may find more; if not, say that nothing was found.'

const distinct = <T>(list: readonly T[]): T[] => [...new Set(list)]

/**
 * The best of each query before the second of any: scores of different queries do not compare, and what is second for
 * several of them is often what fits none.
 */
async function findAll(
  { retrieve }: SearchNeeds,
  queries: readonly string[],
  filters: Filters,
  { subject, filters: { tags, authors } }: ToolRun,
): Promise<Result[]> {
  const isWidening = tags !== undefined || authors !== undefined
  const lists = await Promise.all(
    queries.map((query) =>
      retrieve(subject, { query: isWidening ? withoutOperators(query) : query, filters, offset: 0, limit: HITS }),
    ),
  )
  return fused(lists.map((it) => it.results)).slice(0, MAX_DOCUMENTS)
}

/** Typed beside a list that was chosen, these would add to it, and what the person chose must hold. */
const withoutOperators = (query: string) => query.replace(/\b(author|tag):(?=\S)/gi, '$1: ')

function fused(lists: readonly (readonly Result[])[]): Result[] {
  const found = new Map<string, { result: Result; place: number; lists: number }>()
  for (const list of lists) {
    for (const [place, result] of list.entries()) {
      const known = found.get(result.document.id)
      if (known === undefined) found.set(result.document.id, { result, place, lists: 1 })
      else {
        known.place = Math.min(known.place, place)
        known.lists++
        known.result = { ...known.result, passages: merged(known.result.passages, result.passages) }
      }
    }
  }
  const best = [...found.values()].sort((one, other) => one.place - other.place || other.lists - one.lists)
  return best.map((it) => it.result)
}

/** Another query may show another place of the same document. */
const merged = (one: Result['passages'], other: Result['passages']): Result['passages'] => [
  ...new Map([...other, ...one].map((it) => [it.chunk.chunk_ind, it])).values(),
]

async function passagesOf(
  { readAround }: SearchNeeds,
  results: readonly Result[],
  documents: readonly SearchDoc[],
): Promise<Passage[]> {
  const places = results.flatMap(({ document, passages }) =>
    passages.map(({ chunk }) => ({ document_id: document.id, chunk_ind: chunk.chunk_ind })),
  )
  const byId = new Map(documents.map((it) => [it.document_id, it]))
  const around = await readAround(places, REACH)
  return around.map(({ document_id, chunks, place }): Passage => {
    const document = byId.get(document_id)!
    const text = chunks.map((it) => it.content).join('\n')
    return {
      document,
      text,
      chunk_inds: [chunks[0]!.chunk_ind, chunks.at(-1)!.chunk_ind],
      link: chunks.find((it) => it.chunk_ind === place.chunk_ind)?.link ?? document.link,
      warnings: warningsOf(text),
    }
  })
}

/**
 * What the person or the persona chose holds whatever a model writes. Of tags and authors, of which one is enough, those
 * that both name are left: the index knows no narrower question. Null where nothing can be left.
 */
export function narrowed(chosen: Filters, args: Arguments): Filters | null {
  const lists = {
    source_types: both(chosen.source_types, args.sources, sameText),
    authors: both(chosen.authors, args.authors, sameText),
    tags: both(chosen.tags, args.tags, sameTag),
  }
  if (Object.values(lists).some((it) => it?.length === 0)) return null
  const times = {
    updated_from: latest(chosen.updated_from, timeOf(args.updated_from)),
    updated_until: earliest(chosen.updated_until, endOf(args.updated_until)),
  }
  const given = Object.entries({ ...lists, ...times }).filter(([, it]) => it !== undefined)
  return { ...chosen, ...Object.fromEntries(given) }
}

function both<T>(
  chosen: readonly T[] | undefined,
  asked: readonly T[] | undefined,
  isSame: (one: T, other: T) => boolean,
): readonly T[] | undefined {
  if (chosen === undefined || asked === undefined || asked.length === 0) {
    return asked === undefined || asked.length === 0 || chosen !== undefined ? chosen : asked
  }
  return chosen.filter((one) => asked.some((other) => isSame(one, other)))
}

const sameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
const sameTag = (one: Tag, other: Tag) => one.tag_key === other.tag_key && one.tag_value === other.tag_value

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : parseDateTime(text)
  return typeof time === 'number' ? time : undefined
}

/** A date without a time is the whole day. */
function endOf(text: string | undefined): number | undefined {
  const time = timeOf(text)
  return time === undefined || !/^\d{4}-\d\d-\d\d$/.test(text!) ? time : time + 86_400_000 - 1
}

const latest = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
const earliest = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

const isNarrowing = ({ queries: _, ...filters }: Arguments) =>
  Object.values(filters).some((it) => it !== undefined && it.length > 0)

const filtersShown = ({ sources = [], updated_from, updated_until }: Arguments) => ({
  type: 'search_tool_filter_delta' as const,
  sources,
  time_filter_start: isoOf(timeOf(updated_from)),
  time_filter_end: isoOf(endOf(updated_until)),
})

const isoOf = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())
