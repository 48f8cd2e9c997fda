// Sends the file of a document. A browser shows the kinds that are safe whatever they hold, and saves all others.
import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { originalType } from '../../domain/originals/original-type.ts'
import { HEAD_BYTES } from '../../domain/values/media-type.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import type { StoredUserFile } from '../../store/files/user-files.ts'
import { parseByteRange } from './byte-range.ts'
import { contentDisposition, matchesEtag } from './download.ts'

/** The result of a route that sends the file of a document. */
export class OriginalResponse {
  readonly file: StoredUserFile
  constructor(file: StoredUserFile) {
    this.file = file
  }
}

/** Each use asks again, so that nobody opens it from a cache after losing access. */
const CACHE_CONTROL = 'private, no-cache'
const POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"
/** Without the sandbox, because viewers that are scripts of the browser, as in Firefox, may not run in one. */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"

export async function sendOriginal(
  { blobs }: { blobs: Pick<Blobs, 'get'> },
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { file: { blob, name, size, file_type } }: OriginalResponse,
): Promise<FastifyReply> {
  const etag = `"${blob}"`
  reply.headers({ etag, 'cache-control': CACHE_CONTROL, 'accept-ranges': 'bytes', vary: 'authorization, cookie' })
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
  const head = await buffer(await blobs.get(blob, { start: 0, end: HEAD_BYTES - 1 }))
  const { type, isShown } = originalType(head, { name, declared: file_type })
  const isWhole = headers['if-range'] !== undefined && headers['if-range'] !== etag
  const range = parseByteRange(isWhole ? undefined : headers.range, size)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError('RANGE_NOT_SATISFIABLE', { size })
  }
  reply.headers({
    'content-type': type,
    'content-length': String(range === 'whole' ? size : range.end - range.start + 1),
    'content-disposition': contentDisposition(isShown ? 'inline' : 'attachment', name),
    'content-security-policy': type === 'application/pdf' ? PDF_POLICY : POLICY,
    'cross-origin-resource-policy': 'same-origin',
  })
  if (range === 'whole') return reply.send(await blobs.get(blob))
  reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  return reply.send(await blobs.get(blob, range))
}
