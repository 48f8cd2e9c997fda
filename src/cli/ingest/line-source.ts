// Reads bodies of `POST /service-api/ingestion`, one per line.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IngestionRequest } from '../../client/schemas.ts'
import type { IngestItem, IngestSource } from './source.ts'

/** The limit of the service for one body. */
const MAX_LINE_BYTES = 32 << 20
const LINE_FEED = 10

export async function openFileSource(path: string, ccPairId: number | undefined): Promise<IngestSource> {
  const { size, mtimeMs } = await stat(path)
  return {
    fingerprint: `${size} bytes of ${mtimeMs}`,
    items: (resume) =>
      readItems(createReadStream(path), { from: resume === null ? 0 : Number(resume.at), size, ccPairId }),
  }
}

export const createStreamSource = (stream: AsyncIterable<Uint8Array>, ccPairId: number | undefined): IngestSource => ({
  fingerprint: 'a stream',
  items: () => readItems(stream, { from: 0, size: null, ccPairId }),
})

interface LineReadOptions {
  /** The number of lines to skip. */
  from: number
  size: number | null
  ccPairId: number | undefined
}

async function* readItems(
  stream: AsyncIterable<Uint8Array>,
  { from, size, ccPairId }: LineReadOptions,
): AsyncIterable<IngestItem> {
  let number = 0
  for await (const { line, end } of splitLines(stream)) {
    if (++number <= from) continue
    const share = size === null ? null : end / Math.max(size, 1)
    const content = parseLine(line, ccPairId)
    if (content !== undefined) yield { at: String(number), content, bytes: line?.length ?? 0, share }
  }
}

/** Undefined for an empty line. */
function parseLine(line: string | null, ccPairId: number | undefined): IngestItem['content'] | undefined {
  if (line === null) return { problem: `the line is longer than ${MAX_LINE_BYTES >> 20} MiB` }
  const text = line.replace(/^\ufeff/, '').trim()
  if (text === '') return undefined
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return { problem: 'the line is not a JSON object' }
    // The service validates the rest.
    return { body: { ...(ccPairId !== undefined && { cc_pair_id: ccPairId }), ...body } as IngestionRequest }
  } catch (error) {
    return { problem: `the line is not valid JSON: ${error instanceof Error ? error.message : error}` }
  }
}

/**
 * `line` is null if the line is too long; such a line is skipped without buffering it. `end` is its end in the
 * stream.
 */
async function* splitLines(stream: AsyncIterable<Uint8Array>): AsyncIterable<{ line: string | null; end: number }> {
  let parts: Uint8Array[] = []
  let length = 0
  let end = 0
  const take = () => {
    const line = length > MAX_LINE_BYTES ? null : Buffer.concat(parts).toString()
    parts = []
    length = 0
    return line
  }
  const keep = (part: Uint8Array) => {
    length += part.length
    if (length > MAX_LINE_BYTES) parts = []
    else parts.push(part)
  }
  for await (const piece of stream) {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
      keep(piece.subarray(from, at))
      yield { line: take(), end: end + at + 1 }
      from = at + 1
    }
    keep(piece.subarray(from))
    end += piece.length
  }
  if (length > 0) yield { line: take(), end }
}
