// The models that a server offers: https://platform.openai.com/docs/api-reference/models/list
import { z } from 'zod'
import { ModelError } from '../language-model.ts'
import type { ModelSettings } from '../model-settings.ts'
import { type ModelErrorContext, requestError } from './errors.ts'
import type { ClientFetch } from './guarded-fetch.ts'
import { createModelClient } from './model.ts'

const TIMEOUT_MS = 15_000
const MAX_MODELS = 1_000
const MAX_NAME = 500

const ModelsResponse = z.object({ data: z.array(z.object({ id: z.string() })) })

/** Names in alphabetical order. Rejects with a `ModelError`, or with the reason of the signal. */
export async function listOpenaiModels(
  settings: ModelSettings,
  fetch: ClientFetch | null,
  signal: AbortSignal,
): Promise<string[]> {
  const { name, key, headers } = settings
  const context: ModelErrorContext = {
    name,
    secrets: [...(key === null ? [] : [key]), ...Object.values(headers)],
    ...{ firstMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
  }
  const client = createModelClient(settings, fetch)
  try {
    const answer: unknown = await client.get('/models', { signal, timeout: TIMEOUT_MS })
    return namesIn(answer)
  } catch (error) {
    signal.throwIfAborted()
    throw explain(requestError(error, context))
  }
}

function namesIn(answer: unknown): string[] {
  const { success, data } = ModelsResponse.safeParse(answer)
  if (!success) throw noList()
  const names = data.data.map(({ id }) => id).filter((it) => it.trim() !== '' && it.length <= MAX_NAME)
  return [...new Set(names.map((it) => it.replaceAll('\0', '').toWellFormed()))].sort().slice(0, MAX_MODELS)
}

/** A server that does not know the path has no list. */
const explain = (error: unknown): unknown =>
  error instanceof SyntaxError || (error instanceof ModelError && error.fault === 'unknown_model') ? noList() : error

const noList = (): ModelError => new ModelError('broken', 'it has no list of models at this address')
