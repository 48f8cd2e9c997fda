// The body of an answer: one layer of encoding, and a limit on what comes in and on what it unpacks to.
import { pipeline, type Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'

export interface BodySettings {
  host: string
  encoding: string
  maxBytes: number
  /** What to say instead of an error of the stream. */
  explain: (error: unknown) => unknown
}

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])
const PLAIN = ['', 'identity']

/** Ends with an error of ours; whoever destroys it frees the connection. */
export function readBody(raw: Readable, settings: BodySettings): Readable {
  const encoding = settings.encoding.trim().toLowerCase()
  const decoder = decoders.get(encoding)
  const body = limit(settings)
  // A body that nobody reads may break as well, and that is nobody's fault.
  body.on('error', () => {})
  if (PLAIN.includes(encoding)) return pipeline(raw, body, () => {})
  if (decoder === undefined) {
    raw.on('error', () => {}).destroy()
    throw new EgressError('encoding', settings.host, { encoding: encoding.slice(0, 40) })
  }
  // The limit stands on both sides: an archive of empty blocks takes bytes for ever and unpacks to nothing.
  return pipeline(raw, limit(settings), decoder(), body, () => {})
}

export async function bytesOf(body: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

function limit({ host, maxBytes, explain }: BodySettings): Transform {
  let total = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      total += piece.length
      if (total > maxBytes) done(new EgressError('size', host, { limit: maxBytes }))
      else done(null, piece)
    },
    destroy(error, done) {
      const reason = error && explain(error)
      done(reason instanceof Error ? reason : error)
    },
  })
}
