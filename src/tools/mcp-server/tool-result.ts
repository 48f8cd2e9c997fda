// Shared parts of the tools of the MCP server: results as data and as text, and error messages without internal
// details.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Access } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Subject } from '../../domain/subject.ts'
import type { RetrievalRequest, RetrievalResults } from '../../retrieval/retrieve.ts'
import type { Queryable } from '../../store/database/database.ts'

/** The parts of an answer that are returned. */
export interface ChatAnswer {
  answer: string
  is_extractive: boolean
  citation_info: readonly {
    citation_number: number
    document_id: string
    link?: string | null | undefined
    quote?: string | null | undefined
  }[]
  top_documents: readonly { document_id: string; semantic_identifier: string }[]
  /** The reason if there is no answer. */
  error_msg: string | null
}

export interface McpServerDeps {
  db: Queryable
  retrieve(subject: Subject, search: Omit<RetrievalRequest, 'access' | 'subject'>): Promise<RetrievalResults>
  accessOf(subject: Subject): Promise<Access>
  /** Asks one question in a new chat; absent if chats are not available. */
  ask?: ((subject: Subject, question: string, signal: AbortSignal) => Promise<ChatAnswer>) | undefined
  logger: Logger
  version: string
}

export interface McpCaller {
  subject: Subject
  requestId: string
  /** Releases the permit of the request while the call only waits. */
  releaseSlot(): void
}

export const READ_ONLY_HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The URI of a document without a link: a resource of this server. */
export const documentUri = (id: string): string => `pharos://document/${encodeURIComponent(id)}`

/** The link if a client can open it without knowing the address of this service, else the URI of the document. */
export const clientUrl = (link: string | null, id: string): string =>
  link === null || link.startsWith('/') ? documentUri(id) : link

/** Turns an error into the result of this call. */
export async function toToolResult(
  { logger }: Pick<McpServerDeps, 'logger'>,
  { requestId }: Pick<McpCaller, 'requestId'>,
  work: () => Promise<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  try {
    const structuredContent = await work()
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
  } catch (error) {
    // The client is gone.
    if (signal?.aborted) return { isError: true, content: [] }
    return { isError: true, content: [{ type: 'text', text: describeErrorForClient(error, logger, requestId) }] }
  }
}

export function describeErrorForClient(error: unknown, logger: McpServerDeps['logger'], requestId: string): string {
  if (error instanceof AppError && error.status < 500) return error.message
  logger.error({ err: error, request_id: requestId }, 'an MCP call failed')
  return error instanceof AppError ? error.message : new AppError('INTERNAL_ERROR', { id: requestId }).message
}
