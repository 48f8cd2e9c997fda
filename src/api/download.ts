// A stored file as an answer. Whatever it holds, a browser keeps it and does not show it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredUserFile } from '../store/user-files.ts'
import type { Services } from './services.ts'

/** What a route answers that sends a file instead of JSON. */
export class Download {
  readonly file: StoredUserFile
  constructor(file: StoredUserFile) {
    this.file = file
  }
}

/** The content of an id never changes, so a client may keep what it has. */
const CACHE = 'private, max-age=31536000, immutable'

export async function sendDownload(
  { blobs }: Pick<Services, 'blobs'>,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { file }: Download,
): Promise<FastifyReply> {
  const etag = `"${file.blob}"`
  reply.headers({ etag, 'cache-control': CACHE, 'content-security-policy': "sandbox; default-src 'none'" })
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.headers({
    'content-type': file.file_type,
    'content-length': String(file.size),
    'content-disposition': attachment(file.name),
  })
  return reply.send(await blobs.get(file.blob))
}

const isKnown = (asked: string | undefined, etag: string) =>
  (asked ?? '').split(',').some((it) => ['*', etag, `W/${etag}`].includes(it.trim()))

/** RFC 6266: the name in ASCII for old clients, in UTF-8 for the others; neither can end the header. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
