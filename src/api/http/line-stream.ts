// Streams a response as lines of JSON. A client whose Accept header names only event streams gets the same lines as
// server-sent events; their ids are cursors from which the stream can be resumed.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventReader, StreamLine } from '../../chat/session/chats.ts'

/** The media type that clients of the existing server expect for lines of JSON. */
export const EVENT_STREAM_TYPE = 'text/event-stream'

/** The result of a route that streams. */
export class LineStreamResponse {
  readonly reader: EventReader
  constructor(reader: EventReader) {
    this.reader = reader
  }
}

/** `x-accel-buffering` keeps proxies from buffering the response. */
const STREAM_HEADERS = { 'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`, 'x-accel-buffering': 'no' }

export function sendLineStream(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { reader }: LineStreamResponse,
): FastifyReply {
  const format = headers.accept?.trim().toLowerCase() === EVENT_STREAM_TYPE ? formatEvent : formatLine
  reader.stalled.addEventListener('abort', () => reply.raw.destroy(), { once: true })
  // At most one chunk is buffered here: the writer keeps the rest, once for all readers.
  return reply.headers(STREAM_HEADERS).send(Readable.from(streamChunks(reader, format), { highWaterMark: 1 }))
}

async function* streamChunks(reader: EventReader, format: (line: StreamLine) => string): AsyncGenerator<string> {
  for await (const lines of reader) yield lines.map(format).join('')
}

const formatLine = ({ text }: StreamLine) => `${text}\n`
const formatEvent = ({ text, cursor }: StreamLine) => `${cursor > 0 ? `id: ${cursor}\n` : ''}data: ${text}\n\n`
