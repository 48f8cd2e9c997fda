// Decodes a response body with one layer of content encoding. Compressed and decompressed size are limited.
import { pipeline, type Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from '../egress-error.ts'

export interface BodySettings {
  host: string
  encoding: string
  maxBytes: number
  /** Converts a stream error into the error to throw. */
  toError: (error: unknown) => unknown
}

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])
const UNENCODED = ['', 'identity']

/** Errors are converted by `toError`. Destroying the stream frees the connection. */
export function readBody(raw: Readable, settings: BodySettings): Readable {
  const encoding = settings.encoding.trim().toLowerCase()
  const decoder = decoders.get(encoding)
  const body = limitBytes(settings)
  // An error in a body that is never read must not be unhandled.
  body.on('error', () => {})
  if (UNENCODED.includes(encoding)) return pipeline(raw, body, () => {})
  if (decoder === undefined) {
    raw.on('error', () => {}).destroy()
    throw new EgressError('encoding', settings.host, { encoding: encoding.slice(0, 40) })
  }
  // Both sides are limited: a stream of empty blocks is endless although it decompresses to nothing.
  return pipeline(raw, limitBytes(settings), decoder(), body, () => {})
}

export async function collectBytes(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function limitBytes({ host, maxBytes, toError }: BodySettings): Transform {
  let total = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length
      if (total > maxBytes) done(new EgressError('size', host, { limit: maxBytes }))
      else done(null, chunk)
    },
    destroy(error, done) {
      const reason = error && toError(error)
      done(reason instanceof Error ? reason : error)
    },
  })
}
