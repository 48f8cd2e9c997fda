// Any server with the OpenAI /audio/transcriptions API: https://platform.openai.com/docs/api-reference/audio
import { z } from 'zod'
import type { TranscriptPassage } from '../../domain/made-texts/model-text.ts'
import type { RecordingFormat } from '../../domain/made-texts/recording-format.ts'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import { parseRetryAfter } from '../../flow/retry-after.ts'

export interface TranscriptionServer {
  /** The base of its /audio/transcriptions. */
  url: string
  key: string | null
  /** The name at the server. */
  model: string
  /** The language of the recordings as an ISO 639 code; null lets the model tell. */
  language: string | null
}

export interface Recording {
  bytes: Uint8Array
  format: RecordingFormat
}

export interface Transcript {
  passages: TranscriptPassage[]
  /** The length of the recording; null if the server does not tell it. */
  seconds: number | null
}

/**
 * `setup`: no recording will succeed until an administrator changes something. `busy`: another try may succeed. `file`:
 * the server does not take this recording.
 */
export type TranscriptionFault = 'setup' | 'busy' | 'file'

export class TranscriptionError extends Error {
  override readonly name = 'TranscriptionError'
  readonly fault: TranscriptionFault
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null
  constructor(fault: TranscriptionFault, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/** Rejects with a `TranscriptionError`, or with the reason of the signal. */
export type Transcribe = (server: TranscriptionServer, recording: Recording, signal: AbortSignal) => Promise<Transcript>

const LIMITS = { bytes: 16 << 20, timeoutMs: 15 * 60_000, redirects: 0 }
const MAX_SENTENCE = 200
const SHORTEST_SECRET = 6

/** The bytes are sent under a name of their own: the server does not learn the name of the file. */
export const createTranscriber =
  (egress: Pick<Egress, 'fetch'>): Transcribe =>
  async (server, recording, signal) => {
    const timed = await send(egress, server, { recording, responseFormat: 'verbose_json', signal })
    if (!refusesFormat(timed)) return readTranscript(server, timed)
    // Some models tell no times: their transcript is one passage.
    return readTranscript(server, await send(egress, server, { recording, responseFormat: 'json', signal }))
  }

interface Answer {
  status: number
  retryAfter: string | undefined
  text: string
}

async function send(
  egress: Pick<Egress, 'fetch'>,
  { url, key, model, language }: TranscriptionServer,
  { recording, responseFormat, signal }: { recording: Recording; responseFormat: string; signal: AbortSignal },
): Promise<Answer> {
  const { extension, media_type } = recording.format
  const form = new FormData()
  form.set('model', model)
  form.set('response_format', responseFormat)
  if (language !== null) form.set('language', language)
  form.set('file', new Blob([Buffer.from(recording.bytes)], { type: media_type }), `recording.${extension}`)
  const encoded = new Response(form)
  try {
    const answer = await egress.fetch(`${trimEndCharacters(url, '/')}/audio/transcriptions`, {
      method: 'POST',
      headers: {
        'content-type': encoded.headers.get('content-type') ?? '',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: new Uint8Array(await encoded.arrayBuffer()),
      profile: 'admin-target',
      asker: { kind: 'transcription_model', id: null },
      limits: LIMITS,
      signal,
    })
    return { status: answer.status, retryAfter: answer.headers['retry-after'], text: await answer.text() }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EgressError)) throw error
    if (error.code === 'EGRESS_REFUSED') throw new TranscriptionError('setup', error.message)
    throw new TranscriptionError('busy', 'The transcription server cannot be reached.')
  }
}

const refusesFormat = ({ status, text }: Answer): boolean =>
  (status === 400 || status === 422) && /response_format|verbose_json/.test(text.slice(0, 10_000))

const TranscriptionAnswer = z.object({
  text: z.string().optional(),
  duration: z.coerce.number().min(0).max(10_000_000).optional().catch(undefined),
  segments: z
    .array(z.object({ start: z.number(), text: z.string() }))
    .nullish()
    .catch(null),
})

function readTranscript(server: TranscriptionServer, answer: Answer): Transcript {
  if (answer.status < 200 || answer.status > 299) throw errorOf(server, answer)
  const parsed = TranscriptionAnswer.safeParse(parseJson(answer.text))
  if (!parsed.success) throw new TranscriptionError('busy', 'The answer of the transcription server is not readable.')
  const { text, duration, segments } = parsed.data
  const seconds = duration ?? null
  if (segments?.length) return { passages: segments, seconds }
  if (text === undefined) throw new TranscriptionError('busy', 'The answer of the transcription server has no text.')
  return { passages: text.trim() === '' ? [] : [{ start: 0, text }], seconds }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function errorOf(server: TranscriptionServer, { status, retryAfter, text }: Answer): TranscriptionError {
  if (status === 401 || status === 403)
    return new TranscriptionError('setup', 'The transcription server rejected the key.')
  if (status === 404)
    return new TranscriptionError('setup', `The transcription server does not know the model or the address (404).`)
  if (status === 413) return new TranscriptionError('file', 'The recording is too large for the transcription server.')
  const said = messageOf(server, text)
  if (status === 429 || status >= 500) {
    const wait = parseRetryAfter(retryAfter ?? null, Date.now())
    return new TranscriptionError('busy', `The transcription server answered ${status}${said}`, wait)
  }
  return new TranscriptionError('file', `The transcription server rejected the recording (${status})${said}`)
}

const ErrorAnswer = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) })

/** The server's message: short, on one line, without the key. */
function messageOf({ key }: TranscriptionServer, text: string): string {
  const parsed = ErrorAnswer.safeParse(parseJson(text))
  if (!parsed.success) return '.'
  const { error } = parsed.data
  const plain = (typeof error === 'string' ? error : error.message).slice(0, 2_000)
  const clean = key !== null && key.length >= SHORTEST_SECRET ? plain.replaceAll(key, '…') : plain
  return `: ${clean
    .replace(/[\0-\x20\x7f]/g, ' ')
    .slice(0, MAX_SENTENCE)
    .toWellFormed()}`
}
