// Handles a route that reads lines of JSON. The caller is authorized before the first line and again before each group of
// lines, because the request may last for hours.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Subject } from '../../domain/subject.ts'
import { zip } from '../../domain/values/zip.ts'
import type { BrowserReader } from '../admission/browser-context.ts'
import { checkMediaType, clientGoneSignal, createCall, parseBodyLine } from '../http/create-call.ts'
import { errorBody } from '../http/error-response.ts'
import { NDJSON_AS_BYTES, NDJSON_TYPES, type NdjsonRoute } from '../route.ts'
import { type LineResult, NDJSON_BATCH_LIMITS, runNdjsonBatch } from './batch.ts'
import type { NumberedLine } from './split-lines.ts'
import { openSpool } from './spool.ts'

export interface NdjsonSettings {
  /** The services that the route names. */
  services: object
  logger: Logger
  browsers: BrowserReader
  /** Folder for results that the client has not read yet. */
  spoolDir: string
  /** Throws if the caller may not continue. */
  authorize: (request: FastifyRequest) => Promise<Subject>
  closing: AbortSignal
}

/** Limits for each running request. */
const SPOOL_LIMITS = { maxMemoryBytes: 256 << 10, maxFileBytes: 1 << 30 }
const isNdjsonType = (type: string): boolean => type === NDJSON_AS_BYTES || NDJSON_TYPES.some((it) => it === type)

export async function handleNdjson(
  it: NdjsonRoute,
  settings: NdjsonSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  subject: Subject,
): Promise<FastifyReply> {
  const { services, browsers, logger, spoolDir, closing } = settings
  // Refuses an invalid request.
  createCall(it, { services, browsers }, request, reply, { subject })
  checkMediaType(request, isNdjsonType, NDJSON_TYPES[0])
  const answer = runNdjsonBatch({
    input: request.raw,
    spool: openSpool({ dir: spoolDir, ...SPOOL_LIMITS }),
    fromLine: it.query.parse(request.query).from_line ?? 1,
    limits: NDJSON_BATCH_LIMITS,
    prepareGroup: (lines) => prepareLines(it, settings, request, lines),
    toErrorBody: (error) => errorBody(error, request, logger),
    closing,
    clientGone: clientGoneSignal(reply),
    disconnect: () => request.raw.socket.destroy(),
  })
  return reply.type(NDJSON_TYPES[0]).send(Readable.from(answer))
}

type ParsedLine = { number: number } & ({ body: unknown; ignored: readonly string[] } | { error: Error })

function prepareLines(
  it: NdjsonRoute,
  { services, logger, authorize }: NdjsonSettings,
  request: FastifyRequest,
  lines: readonly NumberedLine[],
): () => Promise<LineResult[]> {
  const parsedLines = lines.map((line) => parseLine(it, line))
  const readLines = parsedLines.filter((one) => 'body' in one)
  const bodies = readLines.map((one) => one.body)
  return async () => {
    const subject = await authorize(request)
    const results = bodies.length === 0 ? [] : await it.lines(bodies, { subject, services, requestId: request.id })
    const unread = parsedLines.flatMap((one) => ('error' in one ? [[one, one.error] as const] : []))
    const inOrder = [...zip(readLines, results), ...unread].sort(([a], [b]) => a.number - b.number)
    return inOrder.map(([one, result]) => {
      if (result instanceof Error) return { error: errorBody(result, request, logger) }
      return 'ignored' in one && one.ignored.length > 0 ? { ...result, ignored_fields: one.ignored } : result
    })
  }
}

function parseLine(it: NdjsonRoute, { number, bytes }: NumberedLine): ParsedLine {
  try {
    if (bytes === null)
      throw new AppError('LINE_TOO_LARGE', { limit: `${NDJSON_BATCH_LIMITS.lineBytes / 2 ** 20} MiB` })
    return { number, ...parseBodyLine(it, bytes) }
  } catch (error) {
    return { number, error: error instanceof Error ? error : new Error(String(error)) }
  }
}
