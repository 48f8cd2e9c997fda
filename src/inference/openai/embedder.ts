// Any server with the OpenAI /embeddings API: https://platform.openai.com/docs/api-reference/embeddings
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { z } from 'zod'
import { zip } from '../../domain/values/zip.ts'
import { parseRetryAfter } from '../../flow/retry-after.ts'
import { type Embedder, EmbeddingError } from '../embedder.ts'
import { createOpenaiClient } from './client.ts'
import { rootCauseOf } from './root-cause.ts'

export interface OpenaiEmbedderSettings {
  url: string
  key: string | null
  /** The name at the server. */
  model: string
}

/** A search waits for it, and falls back to keyword results after this time. */
const QUERY_TIMEOUT_MS = 2_000
const TEXTS_TIMEOUT_MS = 60_000
/** Texts per request: parsing a larger response would block the event loop. */
const BATCH_SIZE = 32
/** Statuses that concern the texts rather than the server. */
const INPUT_REJECTED_STATUSES = new Set([400, 413, 422])
/** Statuses that concern the model, if the text is one that any model accepts. */
const MODEL_UNKNOWN_STATUSES = new Set([400, 404, 422])

const EmbeddingsResponse = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

/** The name stored with the vectors: the same model on another server gives the same vectors. */
export const storedModelName = (model: string): string => `${STORED_NAME_PREFIX}${model}`

/** The inverse of `storedModelName`; null for the name of another kind of model. */
export const serverModelName = (name: string): string | null =>
  name.startsWith(STORED_NAME_PREFIX) ? name.slice(STORED_NAME_PREFIX.length) : null

const STORED_NAME_PREFIX = 'openai:'

/** The dimension of the model's vectors. Rejects with an EmbeddingError if the server does not answer. */
export async function probeDimension(settings: OpenaiEmbedderSettings, signal: AbortSignal): Promise<number> {
  return onlyVector(await createEmbedCall(settings)([PROBE_TEXT], TEXTS_TIMEOUT_MS, signal)).length
}

/**
 * Whether the server distinguishes the two models. Many servers answer with their only model, whatever the name: such
 * vectors must not be taken for those of a former model.
 */
export async function distinguishesModels(
  settings: OpenaiEmbedderSettings,
  other: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ask = async (model: string) =>
    onlyVector(await createEmbedCall({ ...settings, model })([PROBE_TEXT], QUERY_TIMEOUT_MS, signal))
  const former = await ask(other)
  const present = await ask(settings.model).catch(nullIfModelUnknown)
  if (present === null || present.length !== former.length) return true
  return zip([...present], [...former]).some(([one, other]) => Math.abs(one - other) > MAX_DIFFERENCE)
}

/** A server that rejects a model name does look at it. */
function nullIfModelUnknown(error: unknown): null {
  if (error instanceof EmbeddingError && error.isModelUnknown) return null
  throw error
}

const PROBE_TEXT = 'dimension'
/** Two answers of one model differ by less than this in each component. */
const MAX_DIFFERENCE = 1e-3

/** Sends nothing before the first text. */
export function openOpenaiEmbedder(settings: OpenaiEmbedderSettings, dimension: number): Embedder {
  const { model } = settings
  const ask = createEmbedCall(settings)
  const embedChecked = async (input: string[], timeout: number, callSignal: AbortSignal) => {
    const vectors = await ask(input, timeout, callSignal)
    const other = vectors.find((it) => it.length !== dimension)
    if (other === undefined) return vectors
    throw new EmbeddingError(
      `${model} returned vectors of dimension ${other.length} instead of ${dimension}: a different model needs a different name`,
    )
  }
  return {
    model: storedModelName(model),
    dimension,
    // Nobody says which languages a server's model knows, and most know many.
    reads: 'any',
    // Nor how similar unrelated texts are to it.
    minSimilarity: 0.3,
    foreign: null,
    async embedQuery(query, callSignal) {
      return onlyVector(await embedChecked([query], QUERY_TIMEOUT_MS, callSignal))
    },
    async embedTexts(texts, callSignal) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += BATCH_SIZE) {
        vectors.push(...(await embedChecked(texts.slice(at, at + BATCH_SIZE), TEXTS_TIMEOUT_MS, callSignal)))
      }
      return vectors
    },
    async close() {},
  }
}

type EmbedCall = (input: string[], timeoutMs: number, signal: AbortSignal) => Promise<Float32Array[]>

function createEmbedCall({ url, key, model }: OpenaiEmbedderSettings): EmbedCall {
  const client = createOpenaiClient({ baseURL: url, key })
  return async (input, timeout, signal) => {
    try {
      const answer = await client.embeddings.create({ model, input, encoding_format: 'float' }, { timeout, signal })
      return vectorsOf(answer, input.length)
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof APIError ? toEmbeddingError(error) : error
    }
  }
}

/** In the order of the texts, each of length 1. */
function vectorsOf(answer: unknown, count: number): Float32Array[] {
  const parsed = EmbeddingsResponse.safeParse(answer)
  if (!parsed.success) throw new EmbeddingError('the response is not a list of embeddings')
  const embeddings = parsed.data.data
    .map(({ index, embedding }) => ({ index, vector: normalize(embedding) }))
    .sort((a, b) => a.index - b.index)
  if (embeddings.length === count && embeddings.every((it, at) => it.index === at)) {
    return embeddings.map((it) => it.vector)
  }
  throw new EmbeddingError(`the server returned ${embeddings.length} embeddings for ${count} texts`)
}

/** The vector of a call with one text. */
function onlyVector([vector]: readonly Float32Array[]): Float32Array {
  if (vector === undefined) throw new EmbeddingError('the server returned no embedding')
  return vector
}

function normalize(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  if (length === 0) throw new EmbeddingError('the server returned a zero vector')
  return Float32Array.from(values, (it) => it / length)
}

function toEmbeddingError(error: APIError): EmbeddingError {
  const { status } = error
  if (error instanceof APIConnectionTimeoutError) return new EmbeddingError('the server did not answer in time')
  if (error instanceof APIConnectionError || status === undefined) {
    return new EmbeddingError(`the server cannot be reached: ${rootCauseOf(error)}`)
  }
  return new EmbeddingError(`the server answered ${status}: ${serverMessage(error)}`, {
    retryAfterMs: parseRetryAfter(error.headers?.get('retry-after'), Date.now()),
    isInputRejected: INPUT_REJECTED_STATUSES.has(status),
    isModelUnknown: MODEL_UNKNOWN_STATUSES.has(status),
  })
}

const MAX_SENTENCE = 200

/** The server's message about a key may quote a part of it. */
const serverMessage = ({ status, message }: APIError): string =>
  status === 401 || status === 403 ? 'the server rejected EMBEDDING_KEY' : message.slice(0, MAX_SENTENCE)
