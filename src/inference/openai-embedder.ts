// Any server with the /embeddings of OpenAI: https://platform.openai.com/docs/api-reference/embeddings
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { z } from 'zod'
import { type Embedder, EmbeddingError } from './embedder.ts'
import { openClient } from './openai-client.ts'
import { causeOf, retryAfter } from './server-away.ts'

export interface OpenaiSettings {
  url: string
  key: string | null
  /** As the server names it. */
  model: string
}

/** Whoever searches waits for it, and is answered by words when it takes longer. */
const QUERY_TIMEOUT_MS = 2_000
const TEXTS_TIMEOUT_MS = 60_000
/** So many texts a request: the answer of more would hold up the rest of the program while it is read. */
const BATCH = 32
/** Answers that are about the texts that were sent, not about the server. */
const REFUSED_TEXTS = new Set([400, 413, 422])
/** The same for a word that any model takes. */
const REFUSED_MODEL = new Set([400, 404, 422])

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

/** The name under which vectors are kept: the same model on another server gives the same. */
export const openaiModel = (model: string): string => `${PREFIX}${model}`

/** The other way round; null for the name of another kind of model. */
export const modelNamed = (name: string): string | null => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null)

const PREFIX = 'openai:'

/** How many numbers the vectors of the model have. Rejects with an EmbeddingError when the server does not answer. */
export async function askDimension(settings: OpenaiSettings, signal: AbortSignal): Promise<number> {
  const [vector] = await asking(settings)([PROBE], TEXTS_TIMEOUT_MS, signal)
  return vector!.length
}

/**
 * Whether the server tells the two models apart. Many answer with the only one they have, whatever the name: its vectors
 * must not be taken for those of a former model.
 */
export async function isToldApart(settings: OpenaiSettings, other: string, signal: AbortSignal): Promise<boolean> {
  const ask = async (model: string) => (await asking({ ...settings, model })([PROBE], QUERY_TIMEOUT_MS, signal))[0]!
  const former = await ask(other)
  const present = await ask(settings.model).catch(whenRefused)
  if (present === null || present.length !== former.length) return true
  return present.some((it, at) => Math.abs(it - former[at]!) > SAME)
}

/** One who refuses a name reads it. */
function whenRefused(error: unknown): null {
  if (error instanceof EmbeddingError && error.isAboutModel) return null
  throw error
}

const PROBE = 'dimension'
/** Two answers of one model differ by less in each number. */
const SAME = 1e-3

/** Asks nobody before the first text. */
export function openOpenaiEmbedder(settings: OpenaiSettings, dimension: number): Embedder {
  const { model } = settings
  const ask = asking(settings)
  const checked = async (input: string[], timeout: number, callSignal: AbortSignal) => {
    const vectors = await ask(input, timeout, callSignal)
    const other = vectors.find((it) => it.length !== dimension)
    if (other === undefined) return vectors
    throw new EmbeddingError(
      `${model} answered vectors of ${other.length} numbers and once gave ${dimension}: another model needs another name`,
    )
  }
  return {
    model: openaiModel(model),
    dimension,
    async embedQuery(query, callSignal) {
      const [vector] = await checked([query], QUERY_TIMEOUT_MS, callSignal)
      return vector!
    },
    async embedTexts(texts, callSignal) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        vectors.push(...(await checked(texts.slice(at, at + BATCH), TEXTS_TIMEOUT_MS, callSignal)))
      }
      return vectors
    },
    async close() {},
  }
}

type Asking = (input: string[], timeoutMs: number, signal: AbortSignal) => Promise<Float32Array[]>

function asking({ url, key, model }: OpenaiSettings): Asking {
  const client = openClient({ baseURL: url, key })
  return async (input, timeout, signal) => {
    try {
      const answer = await client.embeddings.create({ model, input, encoding_format: 'float' }, { timeout, signal })
      return vectorsOf(answer, input.length)
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof APIError ? failureOf(error) : error
    }
  }
}

/** In the order of the texts, each of length 1. */
function vectorsOf(answer: unknown, count: number): Float32Array[] {
  const parsed = Answer.safeParse(answer)
  if (!parsed.success) throw new EmbeddingError('the server answered something that is no list of embeddings')
  const vectors: Float32Array[] = Array(count)
  for (const { index, embedding } of parsed.data.data) vectors[index] = unit(embedding)
  if (parsed.data.data.length === count && !vectors.includes(undefined as never)) return vectors
  throw new EmbeddingError(`the server answered ${parsed.data.data.length} embeddings for ${count} texts`)
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  if (length === 0) throw new EmbeddingError('the server answered a vector without any direction')
  return Float32Array.from(values, (it) => it / length)
}

function failureOf(error: APIError): EmbeddingError {
  const { status } = error
  if (error instanceof APIConnectionTimeoutError) return new EmbeddingError('the server did not answer in time')
  if (error instanceof APIConnectionError || status === undefined) {
    return new EmbeddingError(`the server cannot be reached: ${causeOf(error)}`)
  }
  return new EmbeddingError(`the server answered ${status}: ${sentenceOf(error)}`, {
    retryAfterMs: retryAfter(error.headers?.get('retry-after') ?? null),
    isAboutTexts: REFUSED_TEXTS.has(status),
    isAboutModel: REFUSED_MODEL.has(status),
  })
}

const MAX_SENTENCE = 200

/** What it says about a key may hold a part of it. */
const sentenceOf = ({ status, message }: APIError): string =>
  status === 401 || status === 403 ? 'EMBEDDING_KEY is not accepted' : message.slice(0, MAX_SENTENCE)
