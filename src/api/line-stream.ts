// An answer that comes line by line while it is made. The lines are JSON, as clients of the wire read them; whoever asks
// for events and nothing else gets the same lines as server-sent events, with what to resume from as their ids.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reader, StreamLine } from '../chat/talk.ts'

/** What the wire calls lines of JSON. */
export const STREAM_TYPE = 'text/event-stream'

/** What a route answers that streams. */
export class LineStream {
  readonly reader: Reader
  constructor(reader: Reader) {
    this.reader = reader
  }
}

/** Proxies that gather an answer before they pass it on are told not to. */
const HEADERS = { 'content-type': `${STREAM_TYPE}; charset=utf-8`, 'x-accel-buffering': 'no' }

export function sendLines({ headers }: FastifyRequest, reply: FastifyReply, { reader }: LineStream): FastifyReply {
  const spelled = headers.accept?.trim().toLowerCase() === STREAM_TYPE ? asEvent : asLine
  reader.stuck.addEventListener('abort', () => reply.raw.destroy(), { once: true })
  // One piece waits at most: what else there is stays with who writes it, once for all readers.
  return reply.headers(HEADERS).send(Readable.from(piecesOf(reader, spelled), { highWaterMark: 1 }))
}

async function* piecesOf(reader: Reader, spelled: (line: StreamLine) => string): AsyncGenerator<string> {
  for await (const lines of reader) yield lines.map(spelled).join('')
}

const asLine = ({ text }: StreamLine) => `${text}\n`
const asEvent = ({ text, cursor }: StreamLine) => `${cursor > 0 ? `id: ${cursor}\n` : ''}data: ${text}\n\n`
