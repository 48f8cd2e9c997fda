// The pieces of an answer as the wire has them: https://platform.openai.com/docs/api-reference/chat-streaming
// Servers that speak it leave things out and add others, so what is not needed is not looked at.
import type OpenAI from 'openai'
import { APIError } from 'openai'
import { Stream } from 'openai/streaming'
import { z } from 'zod'

const MAX_BYTES = 64 << 20
/** A line is held until its end comes, and an answer in one piece is one. */
const MAX_LINE_BYTES = 4 << 20
const LINE_END = 10
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const STREAM_TYPE = 'text/event-stream'
const LAST_WORD = '[DONE]'
const TAIL_BYTES = 64

/** Some servers write a text in parts, reasoning among them. */
const Part = z.object({ type: z.string().optional(), text: z.string().optional() })
const Content = z
  .union([z.string(), z.array(Part).transform((parts) => parts.map((it) => it.text ?? '').join(''))])
  .nullish()

const CallDelta = z.object({
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
export type CallDelta = z.infer<typeof CallDelta>

const Delta = z.object({
  content: Content,
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish().catch(null),
  tool_calls: z.array(CallDelta).nullish(),
})

const MAX_COUNT = 100_000_000
const count = z.int().min(0).max(MAX_COUNT)

export const Chunk = z.object({
  choices: z
    .array(
      z.object({
        index: z.int().nullish().catch(null),
        delta: Delta.nullish(),
        /** Of an answer in one piece. */
        message: Delta.nullish(),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null),
  /** In the place of an answer. */
  error: z.unknown().optional(),
})
export type Chunk = z.infer<typeof Chunk>

/** What came is not what the wire says. */
export class NotTheWire extends Error {}

export interface Chunks extends AsyncIterable<Chunk> {
  /** Whether the server has said that this was all. */
  isWhole(): boolean
}

/** A server that does not stream answers in one piece. Ends without an error when `stop` is aborted. */
export function chunksOf(response: Response, client: OpenAI, stop: AbortController): Chunks {
  const type = response.headers.get('content-type') ?? ''
  const isOnePiece = JSON_TYPE.test(type)
  const tail = { bytes: Buffer.alloc(0) }
  const body = new Response(ReadableStream.from(limited(response.body ?? ReadableStream.from([]), tail)))
  return {
    isWhole: () => isOnePiece || tail.bytes.includes(LAST_WORD),
    async *[Symbol.asyncIterator]() {
      if (isOnePiece) return yield parseWhole(await body.text(), response.headers)
      let events = 0
      for await (const event of Stream.fromSSEResponse<unknown>(body, stop, client)) {
        events++
        yield parse(event)
      }
      if (events === 0 && !type.startsWith(STREAM_TYPE)) throw new NotTheWire(`the answer is ${type || 'of no type'}`)
    },
  }
}

function parseWhole(text: string, headers: Headers): Chunk {
  const chunk = parse(JSON.parse(text))
  if (typeof chunk.error === 'object' && chunk.error !== null) {
    throw new APIError(undefined, chunk.error, undefined, headers)
  }
  return chunk
}

function parse(value: unknown): Chunk {
  const parsed = Chunk.safeParse(value)
  if (parsed.success) return parsed.data
  throw new NotTheWire('a piece of the answer is not as the wire has it')
}

async function* limited(body: AsyncIterable<Uint8Array>, tail: { bytes: Buffer }): AsyncGenerator<Uint8Array> {
  let total = 0
  let line = 0
  for await (const piece of body) {
    const end = piece.lastIndexOf(LINE_END)
    total += piece.length
    line = end === -1 ? line + piece.length : piece.length - end - 1
    if (total > MAX_BYTES || line > MAX_LINE_BYTES) throw new NotTheWire('the answer is larger than is read')
    tail.bytes = Buffer.concat([tail.bytes, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
    yield piece
  }
}
