// Parses streamed responses: https://platform.openai.com/docs/api-reference/chat-streaming Compatible servers omit
// fields and add others, so unused fields are not validated.
import type OpenAI from 'openai'
import { APIError } from 'openai'
import { Stream } from 'openai/streaming'
import { z } from 'zod'

const MAX_BYTES = 64 << 20
/** A line is buffered until its end, and a response that is not streamed is one line. */
const MAX_LINE_BYTES = 4 << 20
const LINE_END = 10
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const STREAM_TYPE = 'text/event-stream'
const DONE_MARKER = '[DONE]'
const TAIL_BYTES = 64

/** Some servers split the content into parts, including reasoning. */
const ContentPart = z.object({ type: z.string().optional(), text: z.string().optional() })
const MessageContent = z
  .union([z.string(), z.array(ContentPart).transform((parts) => parts.map((it) => it.text ?? '').join(''))])
  .nullish()

const ToolCallDelta = z.object({
  index: z.int().nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z
        .union([z.string(), z.record(z.string(), z.unknown()).transform((it) => JSON.stringify(it))])
        .nullish(),
    })
    .nullish(),
})
export type ToolCallDelta = z.infer<typeof ToolCallDelta>

const MessageDelta = z.object({
  content: MessageContent,
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish().catch(null),
  tool_calls: z.array(ToolCallDelta).nullish(),
})

const MAX_COUNT = 100_000_000
const count = z.int().min(0).max(MAX_COUNT)

export const CompletionChunk = z.object({
  choices: z
    .array(
      z.object({
        index: z.int().nullish().catch(null),
        delta: MessageDelta.nullish(),
        /** In a response that is not streamed. */
        message: MessageDelta.nullish(),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null),
  /** Instead of an answer. */
  error: z.unknown().optional(),
})
export type CompletionChunk = z.infer<typeof CompletionChunk>

/** The response violates the protocol. */
export class MalformedResponseError extends Error {}

export interface ChunkStream extends AsyncIterable<CompletionChunk> {
  /** Whether the server has marked the end of the answer. */
  isComplete(): boolean
}

/** Reads streamed responses and others. Ends without an error when `stop` is aborted. */
export function readChunks(response: Response, client: OpenAI, stop: AbortController): ChunkStream {
  const type = response.headers.get('content-type') ?? ''
  const isSingleResponse = JSON_TYPE.test(type)
  const tail = { bytes: Buffer.alloc(0) }
  const body = new Response(ReadableStream.from(limitSize(response.body ?? ReadableStream.from([]), tail)))
  return {
    isComplete: () => isSingleResponse || tail.bytes.includes(DONE_MARKER),
    async *[Symbol.asyncIterator]() {
      if (isSingleResponse) return yield parseSingleResponse(await body.text(), response.headers)
      let events = 0
      for await (const event of Stream.fromSSEResponse<unknown>(body, stop, client)) {
        events++
        yield parseChunk(event)
      }
      if (events === 0 && !type.startsWith(STREAM_TYPE))
        throw new MalformedResponseError(
          `the response has ${type === '' ? 'no content type' : `the content type ${type}`}`,
        )
    },
  }
}

function parseSingleResponse(text: string, headers: Headers): CompletionChunk {
  const chunk = parseChunk(JSON.parse(text))
  if (typeof chunk.error === 'object' && chunk.error !== null) {
    throw new APIError(undefined, chunk.error, undefined, headers)
  }
  return chunk
}

function parseChunk(value: unknown): CompletionChunk {
  const parsed = CompletionChunk.safeParse(value)
  if (parsed.success) return parsed.data
  throw new MalformedResponseError('a chunk of the response is malformed')
}

async function* limitSize(body: AsyncIterable<Uint8Array>, tail: { bytes: Buffer }): AsyncGenerator<Uint8Array> {
  let total = 0
  let line = 0
  for await (const piece of body) {
    const end = piece.lastIndexOf(LINE_END)
    total += piece.length
    line = end === -1 ? line + piece.length : piece.length - end - 1
    if (total > MAX_BYTES || line > MAX_LINE_BYTES) throw new MalformedResponseError('the response is too large')
    tail.bytes = Buffer.concat([tail.bytes, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
    yield piece
  }
}
