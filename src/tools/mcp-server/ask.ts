import { setTimeout as delay } from 'node:timers/promises'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type ChatAnswer, clientUrl, type McpCaller, type McpServerDeps, toToolResult } from './tool-result.ts'

const AskInput = z.object({
  question: z.string().min(1).max(20_000).describe('A complete question in natural language.'),
})

const AskOutput = z.object({
  answer: z.string().describe('Numbers in brackets refer to citations.'),
  is_extractive: z.boolean().describe('True if the answer consists of quotes and was not written by a language model.'),
  citations: z.array(
    z.object({
      number: z.int(),
      id: z.string().describe('The id for fetch.'),
      title: z.string(),
      url: z.string(),
      quote: z.string().nullable(),
    }),
  ),
})
type AskOutput = z.infer<typeof AskOutput>

export function addAskTool(
  server: McpServer,
  deps: McpServerDeps,
  caller: McpCaller,
  ask: NonNullable<McpServerDeps['ask']>,
): void {
  server.registerTool(
    'ask',
    {
      title: 'Ask',
      description: 'Answers a question from the company documents, with verified citations. Slower than search.',
      inputSchema: AskInput,
      outputSchema: AskOutput,
      // It changes nothing, but the answer depends on access rights and is not deterministic.
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ question }, { mcpReq }) =>
      toToolResult(
        deps,
        caller,
        async () => {
          caller.releaseSlot()
          return toAskOutput(
            await withProgress(createProgressReporter(mcpReq), ask(caller.subject, question, mcpReq.signal)),
          )
        },
        mcpReq.signal,
      ),
  )
}

/** Shorter than the timeouts of clients, which are at least a minute. */
const PROGRESS_MS = 3_000

type ProgressReporter = (step: number) => Promise<void>

/** Does nothing for a client that did not ask for progress. */
function createProgressReporter({ _meta, notify }: ServerContext['mcpReq']): ProgressReporter {
  const progressToken = _meta?.progressToken
  return async (progress) => {
    if (progressToken === undefined) return
    const message = 'Searching and answering'
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
}

async function withProgress<T>(progress: ProgressReporter, work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const reporting = reportUntilDone(progress, done.signal)
  try {
    return await work
  } finally {
    done.abort()
    await reporting
  }
}

/** A failed notification means that the client is gone, which is handled elsewhere. */
async function reportUntilDone(progress: ProgressReporter, signal: AbortSignal): Promise<void> {
  try {
    for (let step = 1; !signal.aborted; step++) {
      await progress(step)
      await delay(PROGRESS_MS, undefined, { signal })
    }
  } catch {
    return
  }
}

/** If there is no answer, the error message of the chat takes its place. */
function toAskOutput({ answer, is_extractive, citation_info, top_documents, error_msg }: ChatAnswer): AskOutput {
  const titles = new Map(top_documents.map((it) => [it.document_id, it.semantic_identifier]))
  return {
    answer: answer === '' && error_msg !== null ? error_msg : answer,
    is_extractive,
    citations: citation_info.map(({ citation_number, document_id, link, quote }) => ({
      number: citation_number,
      id: document_id,
      title: titles.get(document_id) ?? document_id,
      url: clientUrl(link ?? null, document_id),
      quote: quote ?? null,
    })),
  }
}
