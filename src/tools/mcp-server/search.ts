import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { intersectFilters } from '../../domain/search/intersect-filters.ts'
import type { Filters } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import type { RetrievalResult, RetrievalResults } from '../../retrieval/retrieve.ts'
import { getPersonaScope } from '../../store/chats/persona-scope.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listPairsOfSets } from '../../store/sources/document-sets.ts'
import { clientUrl, type McpCaller, type McpServerDeps, READ_ONLY_HINTS, toToolResult } from './tool-result.ts'

const MAX_RESULTS = 50
const DEFAULT_RESULTS = 10
const nameList = z.array(z.string().min(1).max(1_000)).max(100).optional()

const SearchInput = z.object({
  query: z
    .string()
    .min(1)
    .max(2_048)
    .describe('Keywords or a question. Supports "a phrase", -word, title:word and after:2026-05.'),
  num: z.int().min(1).max(MAX_RESULTS).optional().describe(`The number of results; default ${DEFAULT_RESULTS}.`),
  sources: nameList.describe('Only documents from these sources, such as web or github.'),
  document_sets: nameList.describe('Only documents in the document sets with these names.'),
  authors: nameList.describe(
    'Only documents by one of these authors, given by name, part of a name or e-mail address.',
  ),
  tags: z
    .array(z.object({ tag_key: z.string().max(10_000), tag_value: z.string().max(10_000) }))
    .max(100)
    .optional()
    .describe('Only documents with one of these tags.'),
  persona_id: z
    .int()
    .optional()
    .describe('Only documents in the document sets of this persona that were updated after its start date.'),
  updated_after: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()])
    .optional()
    .describe('Only documents updated since this time, in ISO 8601.'),
  answers_only: z
    .boolean()
    .optional()
    .describe(
      'Set to false to get what contains some of the words even if nothing answers the query. Default: true without filters.',
    ),
})
type SearchInput = z.infer<typeof SearchInput>

const SearchOutput = z.object({
  results: z.array(
    z.object({
      id: z.string().describe('The id for fetch.'),
      title: z.string(),
      url: z.string(),
      text: z.string().describe('The best passage.'),
      source: z.string(),
      updated_at: z.iso.datetime(),
      metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  ),
  no_match: z.boolean().describe('True if nothing that the person may read answers the query.'),
  closest: z
    .array(z.object({ id: z.string(), title: z.string(), url: z.string() }))
    .describe('If nothing answers the query, up to three documents that come nearest. They are no evidence.'),
  total: z.int(),
  total_relation: z.enum(['eq', 'gte']),
  corrected_query: z.string().nullable().describe('The query with corrected spelling, if it was corrected.'),
  relaxed: z
    .array(z.string())
    .describe('Phrases that no document contains exactly; the results are those without this condition.'),
})

export function addSearchTool(server: McpServer, deps: McpServerDeps, caller: McpCaller): void {
  server.registerTool(
    'search',
    {
      title: 'Search',
      description:
        'Searches the company documents. Returns the best matches first, each with its best passage and URL.',
      inputSchema: SearchInput,
      outputSchema: SearchOutput,
      annotations: READ_ONLY_HINTS,
    },
    (input) =>
      toToolResult(deps, caller, async () => {
        const filters = await buildFilters(deps.db, caller.subject, input)
        const limit = input.num ?? DEFAULT_RESULTS
        const isAnswersOnly = input.answers_only ?? Object.keys(filters).length === 0
        const search = { query: input.query, filters, offset: 0, limit, isAnswersOnly, isFolded: true }
        return toSearchOutput(await deps.retrieve(caller.subject, search))
      }),
  )
}

async function buildFilters(db: Queryable, subject: Subject, input: SearchInput): Promise<Filters> {
  const { sources, document_sets, authors, tags, updated_after, persona_id } = input
  const filters = {
    ...(sources?.length && { source_types: sources }),
    ...(document_sets?.length && { cc_pair_ids: await listPairsOfSets(db, subject, document_sets) }),
    ...(authors?.length && { authors }),
    ...(tags?.length && { tags }),
    ...(updated_after !== undefined && { updated_from: Date.parse(updated_after) }),
  }
  return intersectFilters(filters, await getPersonaScope(db, subject, persona_id))
}

const toSearchOutput = ({
  results,
  no_match,
  closest,
  total,
  total_relation,
  corrected_query,
  relaxed,
}: RetrievalResults): z.infer<typeof SearchOutput> => ({
  results: results.map(toSearchOutputItem),
  no_match,
  closest: closest.map((it) => ({
    id: it.id,
    title: displayTitle(it.title ?? it.semantic_identifier),
    url: clientUrl(displayLink(it.link), it.id),
  })),
  total,
  total_relation,
  corrected_query,
  relaxed: relaxed.map((it) => it.value),
})

const toSearchOutputItem = ({ document, chunk }: RetrievalResult): z.infer<typeof SearchOutput>['results'][number] => ({
  id: document.id,
  title: displayTitle(document.title ?? document.semantic_identifier),
  url: clientUrl(displayLink(chunk.link ?? document.link), document.id),
  text: chunk.content,
  source: document.source,
  updated_at: new Date(document.updated_at).toISOString(),
  metadata: document.metadata,
})
