import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Access } from '../domain/access.ts'
import type { Queries } from '../store/database.ts'
import { readDocument } from '../store/document-text.ts'
import { answered, documentUri, type McpCaller, type McpNeeds, READ_ONLY } from './mcp-server-answer.ts'

const MAX_CHARACTERS = 200_000
const DEFAULT_CHARACTERS = 50_000

const Wanted = z.object({
  id: z.string().min(1).max(2_000).describe('The id of a result of search.'),
  offset: z.int().min(0).optional().describe('Where to begin, in characters: the next_offset of the answer before.'),
  max_characters: z
    .int()
    .min(1)
    .max(MAX_CHARACTERS)
    .optional()
    .describe(`At most so many; ${DEFAULT_CHARACTERS} if absent.`),
})

const Fetched = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  text: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  source: z.string(),
  updated_at: z.iso.datetime(),
  total_characters: z.int(),
  next_offset: z.int().nullable().describe('Where the rest begins; null at the end.'),
})

export function addFetchTool(server: McpServer, needs: McpNeeds, caller: McpCaller): void {
  server.registerTool(
    'fetch',
    {
      title: 'Fetch',
      description: 'Reads a document that search has found: its whole text, piece by piece where it is long.',
      inputSchema: Wanted,
      outputSchema: Fetched,
      annotations: READ_ONLY,
    },
    ({ id, offset = 0, max_characters = DEFAULT_CHARACTERS }) =>
      answered(needs, caller, async () =>
        piece(needs.db, await needs.accessOf(caller.subject), { id, offset, limit: max_characters }),
      ),
  )
}

export async function piece(
  db: Queries,
  access: Access,
  { id, offset = 0, limit = MAX_CHARACTERS }: { id: string; offset?: number; limit?: number },
): Promise<z.infer<typeof Fetched>> {
  const document = await readDocument(db, access, id)
  const { text } = document
  const start = wholeCharacter(text, offset)
  const cut = wholeCharacter(text, start + limit)
  // A piece is never empty before the end, or whoever reads on would not come further.
  const end = cut > start ? cut : Math.min(start + 2, text.length)
  return {
    id: document.id,
    title: document.title ?? document.semantic_identifier,
    url: document.link ?? documentUri(document.id),
    text: text.slice(start, end).toWellFormed(),
    metadata: document.metadata,
    source: document.source,
    updated_at: new Date(document.updated_at).toISOString(),
    total_characters: text.length,
    next_offset: end < text.length ? end : null,
  }
}

/** Not between the halves of a surrogate pair. */
const wholeCharacter = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length)
}
