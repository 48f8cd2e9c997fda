import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Packet } from '../domain/packet.ts'
import { answered, documentUri, type McpCaller, type McpNeeds } from './mcp-server-answer.ts'

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
      answered(needs, caller, () => {
        caller.giveWay()
        return gather(ask(caller.subject, question, mcpReq.signal), progressOf(mcpReq))
      }),
  )
}

const STEPS: Partial<Record<Packet['obj']['type'], string>> = {
  search_tool_start: 'Searching',
  open_url_start: 'Opening an address',
  file_reader_start: 'Reading a file',
  custom_tool_start: 'Using a tool',
  message_start: 'Answering',
}

type Progress = (message: string) => Promise<void>

/** Only for a client that wants to know. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): Progress {
  const progressToken = _meta?.progressToken
  let progress = 0
  return async (message) => {
    if (progressToken === undefined) return
    progress += 1
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
}

async function gather(packets: AsyncIterable<Packet>, progress: Progress): Promise<Answered> {
  const result: Answered = { answer: '', is_extractive: false, citations: [] }
  const titles = new Map<string, string>()
  for await (const { obj } of packets) {
    const step = STEPS[obj.type]
    if (step !== undefined) await progress(step)
    noteTitles(titles, obj)
    if (obj.type === 'message_start') result.is_extractive ||= obj.is_extractive === true
    if (obj.type === 'message_delta') result.answer += obj.content
    if (obj.type === 'citation_info') result.citations.push(citationOf(obj, titles))
    // The chat says it in words for the person; a client should know that there is no answer.
    if (obj.type === 'error' && result.answer === '') result.answer = obj.message
  }
  return result
}

function noteTitles(titles: Map<string, string>, obj: Packet['obj']): void {
  const documents = obj.type === 'message_start' ? obj.final_documents : 'documents' in obj ? obj.documents : null
  for (const { document_id, semantic_identifier } of documents ?? []) titles.set(document_id, semantic_identifier)
}

const citationOf = (
  { citation_number, document_id, link, quote }: Extract<Packet['obj'], { type: 'citation_info' }>,
  titles: ReadonlyMap<string, string>,
): Answered['citations'][number] => ({
  number: citation_number,
  id: document_id,
  title: titles.get(document_id) ?? document_id,
  url: link ?? documentUri(document_id),
  quote: quote ?? null,
})
