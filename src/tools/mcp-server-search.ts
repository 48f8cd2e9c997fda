import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Filters } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { Result, Results } from '../retrieval/retrieve.ts'
import type { Queries } from '../store/database.ts'
import { listPairsOfSets } from '../store/document-sets.ts'
import { answered, documentUri, type McpCaller, type McpNeeds, READ_ONLY } from './mcp-server-answer.ts'

const MAX_RESULTS = 50
const DEFAULT_RESULTS = 10
const names = z.array(z.string().min(1).max(1_000)).max(100).optional()

const Question = z.object({
  query: z
    .string()
    .min(1)
    .max(2_048)
    .describe('What to look for: words or a question. "a phrase", -word, title:word and after:2026-05 are understood.'),
  num: z.int().min(1).max(MAX_RESULTS).optional().describe(`How many results; ${DEFAULT_RESULTS} if absent.`),
  sources: names.describe('Only documents of these sources, such as web or github.'),
  document_sets: names.describe('Only documents of these document sets, by their names.'),
  authors: names.describe('Only documents of one of these authors: names, words of names or e-mail addresses.'),
  tags: z
    .array(z.object({ tag_key: z.string().max(10_000), tag_value: z.string().max(10_000) }))
    .max(100)
    .optional()
    .describe('Only documents with one of these tags.'),
  updated_after: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()])
    .optional()
    .describe('Only documents that changed since then, as ISO 8601.'),
})
type Question = z.infer<typeof Question>

const Found = z.object({
  results: z.array(
    z.object({
      id: z.string().describe('For fetch.'),
      title: z.string(),
      url: z.string(),
      text: z.string().describe('The passage that fits best.'),
      source: z.string(),
      updated_at: z.iso.datetime(),
      metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  ),
  total: z.int(),
  total_relation: z.enum(['eq', 'gte']),
  corrected_query: z.string().nullable().describe('What was looked for instead, without typing mistakes.'),
})

export function addSearchTool(server: McpServer, needs: McpNeeds, caller: McpCaller): void {
  server.registerTool(
    'search',
    {
      title: 'Search',
      description: 'Finds documents of the company, best first, each with its best passage and its address.',
      inputSchema: Question,
      outputSchema: Found,
      annotations: READ_ONLY,
    },
    (question) =>
      answered(needs, caller, async () => {
        const filters = await filtersOf(needs.db, caller.subject, question)
        const limit = question.num ?? DEFAULT_RESULTS
        return found(await needs.retrieve(caller.subject, { query: question.query, filters, offset: 0, limit }))
      }),
  )
}

async function filtersOf(db: Queries, subject: Subject, question: Question): Promise<Filters> {
  const { sources, document_sets, authors, tags, updated_after } = question
  return {
    ...(sources?.length && { source_types: sources }),
    ...(document_sets?.length && { cc_pair_ids: await listPairsOfSets(db, subject, document_sets) }),
    ...(authors?.length && { authors }),
    ...(tags?.length && { tags }),
    ...(updated_after !== undefined && { updated_from: Date.parse(updated_after) }),
  }
}

const found = ({ results, total, total_relation, corrected_query }: Results): z.infer<typeof Found> => ({
  results: results.map(resultOf),
  total,
  total_relation,
  corrected_query,
})

const resultOf = ({ document, chunk }: Result): z.infer<typeof Found>['results'][number] => ({
  id: document.id,
  title: document.title ?? document.semantic_identifier,
  url: chunk.link ?? document.link ?? documentUri(document.id),
  text: chunk.content,
  source: document.source,
  updated_at: new Date(document.updated_at).toISOString(),
  metadata: document.metadata,
})
