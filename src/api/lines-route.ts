// A route that takes lines of JSON: who asks is looked at before the first line, and again with each few of them, since
// the request may last for hours.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { errorBody } from './error-answer.ts'
import { EXCHANGE_LIMITS, exchange, type LineAnswer } from './exchange.ts'
import { callOf, checkMediaType, clientGone, lineOf } from './request.ts'
import { LINES_TYPES, type LinesRoute } from './route.ts'
import type { Services } from './services.ts'
import type { Line } from './split-lines.ts'
import { openSpool } from './spool.ts'

export interface LinesSettings {
  services: Services
  /** For answers that a client does not take yet. */
  spoolDir: string
  /** Throws when the request may not go on. */
  admit: (request: FastifyRequest) => Promise<Subject>
  closing: AbortSignal
}

/** For each request that is under way. */
const SPOOL = { maxMemoryBytes: 256 << 10, maxFileBytes: 1 << 30 }
const TYPE = new RegExp(`^(?:${LINES_TYPES.join('|')})\\s*(?:;\\s*charset="?utf-?8"?\\s*)?;?\\s*$`, 'i')

export async function answerLines(
  it: LinesRoute,
  settings: LinesSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  subject: Subject,
): Promise<FastifyReply> {
  const { services, spoolDir, closing } = settings
  const { query } = callOf(it, services, request, reply, { subject })
  checkMediaType(request, TYPE, LINES_TYPES[0])
  const answer = exchange({
    input: request.raw,
    spool: openSpool({ dir: spoolDir, ...SPOOL }),
    fromLine: (query as { from_line: number | null }).from_line ?? 1,
    limits: EXCHANGE_LIMITS,
    prepare: (lines) => prepare(it, settings, request, lines),
    errorOf: (error) => errorBody(error, request, services.logger),
    closing,
    gone: clientGone(reply),
    cut: () => request.raw.socket.destroy(),
  })
  return reply.type(LINES_TYPES[0]).send(Readable.from(answer))
}

type Read = { body: unknown } | { error: unknown }

function prepare(
  it: LinesRoute,
  { services, admit }: LinesSettings,
  request: FastifyRequest,
  lines: readonly Line[],
): () => Promise<LineAnswer[]> {
  const read = lines.map((line) => readLine(it, line))
  const bodies = read.flatMap((one) => ('body' in one ? [one.body] : []))
  return async () => {
    const subject = await admit(request)
    // The schema of the route has read them: what they are, only the route knows.
    const results =
      bodies.length === 0 ? [] : await it.lines(bodies as never[], { subject, services, requestId: request.id })
    let at = 0
    return read.map((one) => {
      const result = 'body' in one ? results[at++]! : asError(one.error)
      return result instanceof Error ? { error: errorBody(result, request, services.logger) } : result
    })
  }
}

function readLine(it: LinesRoute, { bytes }: Line): Read {
  try {
    if (bytes === null) throw new AppError('LINE_TOO_LARGE', { limit: `${EXCHANGE_LIMITS.lineBytes / 2 ** 20} MiB` })
    return { body: lineOf(it.line, bytes) }
  } catch (error) {
    return { error }
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
