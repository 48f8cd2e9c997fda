// What a tool's server answers, as far as a person and a model can read it: within its limits, and from nowhere else.
import { TextDecoder } from 'node:util'
import { type Egress, type EgressAnswer, EgressError } from '../egress/egress.ts'
import type { Extractor } from '../extract/extract.ts'
import type { ToolRequest } from './request.ts'

export interface SendNeeds {
  egress: Pick<Egress, 'fetch'>
  extractor: Pick<Extractor, 'extract'>
  /** For a call from its beginning to the last byte of its answer; half a minute if absent. */
  callTimeoutMs?: number
}

export interface ToolAnswer {
  status: number
  media_type: string
  kind: 'json' | 'text' | 'html' | 'other' | 'empty'
  /** What a model reads; with a note where something is missing. */
  text: string
  /** Of JSON, what it says. */
  json: unknown
  is_truncated: boolean
}

const MAX_BYTES = 1 << 20
/** Of packed bytes, and of what lies in buffers when we have enough. */
const HARD_BYTES = 8 << 20
const TIMEOUT_MS = 30_000

/** Fails with an `EgressError`, or with the reason of the signal. Any status is an answer. */
export async function send(
  { egress, extractor, callTimeoutMs: timeoutMs = TIMEOUT_MS }: SendNeeds,
  { method, url, headers, body }: ToolRequest,
  { tool_id, signal }: { tool_id: number; signal: AbortSignal },
): Promise<ToolAnswer> {
  const answer = await egress.fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    profile: 'admin-target',
    asker: { kind: 'tool', id: tool_id },
    isBound: true,
    limits: { bytes: HARD_BYTES, timeoutMs },
    signal,
  })
  const { bytes, note } = await readStart(answer)
  const type = answer.headers['content-type'] ?? ''
  const media_type = (type.split(';')[0] ?? '').trim().toLowerCase()
  const read = await reading({ bytes, type, media_type, isCut: note !== null }, { extractor, signal })
  const text = note === null ? read.text : `${read.text}\n[truncated: ${note}]`
  return { status: answer.status, media_type, ...read, text, is_truncated: note !== null }
}

/** As much as may be read, and why there is no more. What came before it broke off or took too long is kept. */
async function readStart({ body }: EgressAnswer): Promise<{ bytes: Buffer; note: string | null }> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece)
      size += piece.length
      // Leaving the loop destroys the body, and frees the connection.
      if (size > MAX_BYTES) {
        return {
          bytes: Buffer.concat(pieces).subarray(0, MAX_BYTES),
          note: `only the first ${MAX_BYTES} bytes are read`,
        }
      }
    }
  } catch (error) {
    if (!(error instanceof EgressError) || size === 0) throw error
    return { bytes: Buffer.concat(pieces), note: error.message }
  }
  return { bytes: Buffer.concat(pieces), note: null }
}

interface Received {
  bytes: Buffer
  type: string
  media_type: string
  isCut: boolean
}
type Reading = Pick<ToolAnswer, 'kind' | 'text' | 'json'>

async function reading(
  { bytes, type, media_type, isCut }: Received,
  { extractor, signal }: Pick<SendNeeds, 'extractor'> & { signal: AbortSignal },
): Promise<Reading> {
  if (bytes.length === 0) return { kind: 'empty', text: 'The answer is empty.', json: null }
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(media_type)) {
    const page = { source: { bytes }, file_name: 'answer.html', media_type: type, signal }
    const { sections } = await extractor.extract(page)
    const text = sections.map((it) => [it.heading, it.text].filter(Boolean).join('\n')).join('\n\n')
    return { kind: 'html', text: text === '' ? 'The page has no text.' : text, json: null }
  }
  const isText = media_type === '' || /^text\/|[/+](?:json|xml|yaml|x-ndjson|javascript)$/.test(media_type)
  if (!isText || bytes.subarray(0, 8_192).includes(0)) {
    const what = media_type === '' ? 'no text' : media_type
    return { kind: 'other', text: `The answer is ${what}, ${bytes.length} bytes, which is not shown.`, json: null }
  }
  const text = decoded(bytes, type, isCut)
  const json = isCut ? undefined : parsed(text, media_type)
  return json === undefined ? { kind: 'text', text, json: null } : { kind: 'json', text, json: json.value }
}

/** Half a character at the end is left out. */
function decoded(bytes: Buffer, type: string, isCut: boolean): string {
  const charset = /;\s*charset="?([\w.:-]+)"?/i.exec(type)?.[1] ?? 'utf-8'
  return decoderOf(charset).decode(bytes, { stream: isCut }).replaceAll('\0', '')
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Servers call JSON what is none, and give it no type at all: what it is shows when it is read. */
function parsed(text: string, media_type: string): { value: unknown } | undefined {
  if (media_type !== '' && !/[/+]json$/.test(media_type)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
