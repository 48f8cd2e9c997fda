// Of what a tool of ours is made, and what it answers: the same as data and as text, and a fault in a sentence that hides what is inside.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Access } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Subject } from '../domain/subject.ts'
import type { Results, Search } from '../retrieval/retrieve.ts'
import type { Queries } from '../store/database.ts'

/** What of an answer goes out. */
export interface Asked {
  answer: string
  is_extractive: boolean
  citation_info: readonly {
    citation_number: number
    document_id: string
    link?: string | null | undefined
    quote?: string | null | undefined
  }[]
  top_documents: readonly { document_id: string; semantic_identifier: string }[]
  /** Why there is none. */
  error_msg: string | null
}

export interface McpNeeds {
  db: Queries
  retrieve(subject: Subject, search: Omit<Search, 'access' | 'subject'>): Promise<Results>
  accessOf(subject: Subject): Promise<Access>
  /** A chat of one question; absent where nothing answers. */
  ask?: ((subject: Subject, question: string, signal: AbortSignal) => Promise<Asked>) | undefined
  logger: Logger
  version: string
}

export interface McpCaller {
  subject: Subject
  requestId: string
  /** From here on the call only waits. */
  giveWay(): void
}

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** Where a document without a link is found: a resource of ours. */
export const documentUri = (id: string): string => `pharos://document/${encodeURIComponent(id)}`

/** An edge: a throw becomes the answer to this one call. */
export async function answered(
  { logger }: Pick<McpNeeds, 'logger'>,
  { requestId }: Pick<McpCaller, 'requestId'>,
  work: () => Promise<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  try {
    const structuredContent = await work()
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
  } catch (error) {
    // Nobody reads it.
    if (signal?.aborted) return { isError: true, content: [] }
    return { isError: true, content: [{ type: 'text', text: sentenceOf(error, logger, requestId) }] }
  }
}

export function sentenceOf(error: unknown, logger: McpNeeds['logger'], requestId: string): string {
  if (error instanceof AppError && error.status < 500) return error.message
  logger.error({ err: error, request_id: requestId }, 'an MCP call failed')
  return error instanceof AppError ? error.message : new AppError('INTERNAL_ERROR', { id: requestId }).message
}
