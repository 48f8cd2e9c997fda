// Sends a request of a tool and reads the response within limits, as text for people and models.
import { TextDecoder } from 'node:util'
import { type Egress, EgressError, type EgressResponse } from '../../egress/egress.ts'
import type { Extractor } from '../../extract/extract.ts'
import type { ToolRequest } from './request.ts'

export interface SendDeps {
  egress: Pick<Egress, 'fetch'>
  extractor: Pick<Extractor, 'extract'>
  /** The time limit from the start of the call to the last byte of the response; default 30 s. */
  callTimeoutMs?: number
}

export interface ToolResponse {
  status: number
  media_type: string
  kind: 'json' | 'text' | 'html' | 'other' | 'empty'
  /** The text for models, with a note if it is truncated. */
  text: string
  /** The parsed value of a JSON response. */
  json: unknown
  is_truncated: boolean
}

const MAX_BYTES = 1 << 20
/** The limit for compressed bytes and for bytes that are already buffered when reading stops. */
const MAX_TRANSFER_BYTES = 8 << 20
const TIMEOUT_MS = 30_000

/** Rejects with an `EgressError` or the reason of the signal. Any status is a valid response. */
export async function sendRequest(
  { egress, extractor, callTimeoutMs: timeoutMs = TIMEOUT_MS }: SendDeps,
  { method, url, headers, body }: ToolRequest,
  { tool_id, signal }: { tool_id: number; signal: AbortSignal },
): Promise<ToolResponse> {
  const answer = await egress.fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    profile: 'admin-target',
    asker: { kind: 'tool', id: tool_id },
    isBound: true,
    limits: { bytes: MAX_TRANSFER_BYTES, timeoutMs },
    signal,
  })
  const { bytes, note } = await readStart(answer)
  const type = answer.headers['content-type'] ?? ''
  const media_type = (type.split(';')[0] ?? '').trim().toLowerCase()
  const read = await interpretBody({ bytes, type, media_type, isTruncated: note !== null }, { extractor, signal })
  const text = note === null ? read.text : `${read.text}\n[truncated: ${note}]`
  return { status: answer.status, media_type, ...read, text, is_truncated: note !== null }
}

/** Reads as much as the limits allow. If the connection breaks or times out, keeps the bytes received so far. */
async function readStart({ body }: EgressResponse): Promise<{ bytes: Buffer; note: string | null }> {
  const received: AsyncIterable<Buffer> = body
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of received) {
      pieces.push(piece)
      size += piece.length
      // Leaving the loop destroys the body, and frees the connection.
      if (size > MAX_BYTES) {
        return {
          bytes: Buffer.concat(pieces).subarray(0, MAX_BYTES),
          note: `only the first ${MAX_BYTES} bytes were read`,
        }
      }
    }
  } catch (error) {
    if (!(error instanceof EgressError) || size === 0) throw error
    return { bytes: Buffer.concat(pieces), note: error.message }
  }
  return { bytes: Buffer.concat(pieces), note: null }
}

interface ReceivedBody {
  bytes: Buffer
  type: string
  media_type: string
  isTruncated: boolean
}
type InterpretedBody = Pick<ToolResponse, 'kind' | 'text' | 'json'>

async function interpretBody(
  { bytes, type, media_type, isTruncated }: ReceivedBody,
  { extractor, signal }: Pick<SendDeps, 'extractor'> & { signal: AbortSignal },
): Promise<InterpretedBody> {
  if (bytes.length === 0) return { kind: 'empty', text: 'The response is empty.', json: null }
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(media_type)) {
    const page = { source: { bytes }, file_name: 'answer.html', media_type: type, signal }
    const { sections } = await extractor.extract(page)
    const text = sections.map((it) => [it.heading, it.text].filter(Boolean).join('\n')).join('\n\n')
    return { kind: 'html', text: text === '' ? 'The page has no text.' : text, json: null }
  }
  const isText = media_type === '' || /^text\/|[/+](?:json|xml|yaml|x-ndjson|javascript)$/.test(media_type)
  if (!isText || bytes.subarray(0, 8_192).includes(0)) {
    const what = media_type === '' ? 'no text' : media_type
    return { kind: 'other', text: `The response is ${what}, ${bytes.length} bytes, and is not shown.`, json: null }
  }
  const text = decodeText(bytes, type, isTruncated)
  const json = isTruncated ? undefined : parseJson(text, media_type)
  return json === undefined ? { kind: 'text', text, json: null } : { kind: 'json', text, json: json.value }
}

/** An incomplete character at the end is left out. */
function decodeText(bytes: Buffer, type: string, isTruncated: boolean): string {
  const charset = /;\s*charset="?([\w.:-]+)"?/i.exec(type)?.[1] ?? 'utf-8'
  return decoderOf(charset).decode(bytes, { stream: isTruncated }).replaceAll('\0', '')
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Servers send JSON with wrong or missing content types, so a response without a type is parsed too. */
function parseJson(text: string, media_type: string): { value: unknown } | undefined {
  if (media_type !== '' && !/[/+]json$/.test(media_type)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
