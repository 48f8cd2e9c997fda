// Sends a stored file. Browsers save it and never render it, whatever it contains.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Blobs } from '../../store/files/blobs.ts'
import type { StoredUserFile } from '../../store/files/user-files.ts'

/** The result of a route that sends a file. */
export class DownloadResponse {
  readonly file: StoredUserFile
  constructor(file: StoredUserFile) {
    this.file = file
  }
}

/** The content of a file id never changes. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable'

export async function sendDownload(
  { blobs }: { blobs: Pick<Blobs, 'get'> },
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { file }: DownloadResponse,
): Promise<FastifyReply> {
  const etag = `"${file.blob}"`
  reply.headers({ etag, 'cache-control': CACHE_CONTROL, 'content-security-policy': "sandbox; default-src 'none'" })
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.headers({
    'content-type': file.file_type,
    'content-length': String(file.size),
    'content-disposition': contentDisposition('attachment', file.name),
  })
  return reply.send(await blobs.get(file.blob))
}

export const matchesEtag = (ifNoneMatch: string | undefined, etag: string) =>
  (ifNoneMatch ?? '').split(',').some((it) => ['*', etag, `W/${etag}`].includes(it.trim()))

/** RFC 6266: `filename` in ASCII for old clients, `filename*` in UTF-8. Both are escaped. */
export function contentDisposition(as: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16)}`,
  )
  return `${as}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
