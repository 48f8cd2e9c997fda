import { setTimeout as delay } from 'node:timers/promises'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Asked, answered, documentUri, type McpCaller, type McpNeeds } from './mcp-server-answer.ts'

const Question = z.object({ question: z.string().min(1).max(20_000).describe('A whole question, as to a person.') })

const Answered = z.object({
  answer: z.string().describe('Numbers in brackets are those of citations.'),
  is_extractive: z.boolean().describe('It quotes the documents: no language model wrote it.'),
  citations: z.array(
    z.object({
      number: z.int(),
      id: z.string().describe('For fetch.'),
      title: z.string(),
      url: z.string(),
      quote: z.string().nullable(),
    }),
  ),
})
type Answered = z.infer<typeof Answered>

export function addAskTool(
  server: McpServer,
  needs: McpNeeds,
  caller: McpCaller,
  ask: NonNullable<McpNeeds['ask']>,
): void {
  server.registerTool(
    'ask',
    {
      title: 'Ask',
      description:
        'Answers a question from the documents of the company, with citations that were checked. Slower than search.',
      inputSchema: Question,
      outputSchema: Answered,
      // What it may read decides what it answers; it changes nothing, but never says the same twice.
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ question }, { mcpReq }) =>
      answered(
        needs,
        caller,
        async () => {
          caller.giveWay()
          return answerOf(await told(progressOf(mcpReq), ask(caller.subject, question, mcpReq.signal)))
        },
        mcpReq.signal,
      ),
  )
}

/** More often than clients lose patience, which is after a minute at the soonest. */
const PROGRESS_MS = 3_000

type Progress = (step: number) => Promise<void>

/** Only for a client that wants to know. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): Progress {
  const progressToken = _meta?.progressToken
  return async (progress) => {
    if (progressToken === undefined) return
    const message = 'Searching and answering'
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
}

async function told<T>(progress: Progress, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const telling = tell(progress, over.signal)
  try {
    return await work
  } finally {
    over.abort()
    await telling
  }
}

/** A client that has gone is told nothing; that it has gone is known elsewhere. */
async function tell(progress: Progress, signal: AbortSignal): Promise<void> {
  try {
    for (let step = 1; !signal.aborted; step++) {
      await progress(step)
      await delay(PROGRESS_MS, undefined, { signal })
    }
  } catch {
    return
  }
}

/** Where there is no answer, the chat says why in words for a person. */
function answerOf({ answer, is_extractive, citation_info, top_documents, error_msg }: Asked): Answered {
  const titles = new Map(top_documents.map((it) => [it.document_id, it.semantic_identifier]))
  return {
    answer: answer === '' && error_msg !== null ? error_msg : answer,
    is_extractive,
    citations: citation_info.map(({ citation_number, document_id, link, quote }) => ({
      number: citation_number,
      id: document_id,
      title: titles.get(document_id) ?? document_id,
      url: link ?? documentUri(document_id),
      quote: quote ?? null,
    })),
  }
}
