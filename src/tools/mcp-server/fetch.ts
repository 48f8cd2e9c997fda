import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Access } from '../../domain/access.ts'
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import type { Queryable } from '../../store/database/database.ts'
import { getDocumentWithText } from '../../store/documents/text.ts'
import { documentUri, type McpCaller, type McpServerDeps, READ_ONLY_HINTS, toToolResult } from './tool-result.ts'

const MAX_CHARACTERS = 200_000
const DEFAULT_CHARACTERS = 50_000

const FetchInput = z.object({
  id: z.string().min(1).max(2_000).describe('The id of a search result.'),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe('The position at which to start, in characters; use next_offset of the previous response.'),
  max_characters: z
    .int()
    .min(1)
    .max(MAX_CHARACTERS)
    .optional()
    .describe(`The maximum number of characters; default ${DEFAULT_CHARACTERS}.`),
})

const FetchOutput = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  text: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  source: z.string(),
  updated_at: z.iso.datetime(),
  total_characters: z.int(),
  next_offset: z.int().nullable().describe('The position of the next part; null at the end.'),
})

export function addFetchTool(server: McpServer, deps: McpServerDeps, caller: McpCaller): void {
  server.registerTool(
    'fetch',
    {
      title: 'Fetch',
      description: 'Reads the full text of a search result, in parts if it is long.',
      inputSchema: FetchInput,
      outputSchema: FetchOutput,
      annotations: READ_ONLY_HINTS,
    },
    ({ id, offset = 0, max_characters = DEFAULT_CHARACTERS }) =>
      toToolResult(deps, caller, async () =>
        readDocumentPart(deps.db, await deps.accessOf(caller.subject), { id, offset, limit: max_characters }),
      ),
  )
}

export async function readDocumentPart(
  db: Queryable,
  access: Access,
  { id, offset = 0, limit = MAX_CHARACTERS }: { id: string; offset?: number; limit?: number },
): Promise<z.infer<typeof FetchOutput>> {
  const document = await getDocumentWithText(db, access, id)
  const { text } = document
  const start = characterBoundary(text, offset)
  const cut = characterBoundary(text, start + limit)
  // A part is never empty before the end, so that clients make progress.
  const end = cut > start ? cut : Math.min(start + 2, text.length)
  return {
    id: document.id,
    title: displayTitle(document.title ?? document.semantic_identifier),
    url: displayLink(document.link) ?? documentUri(document.id),
    text: text.slice(start, end).toWellFormed(),
    metadata: document.metadata,
    source: document.source,
    updated_at: new Date(document.updated_at).toISOString(),
    total_characters: text.length,
    next_offset: end < text.length ? end : null,
  }
}

/** Avoids splitting a surrogate pair. */
const characterBoundary = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : Math.min(at, text.length)
}
