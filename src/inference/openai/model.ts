// Any server with the OpenAI /chat/completions API: https://platform.openai.com/docs/api-reference/chat

import type OpenAI from 'openai'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from '../language-model.ts'
import type { ModelSettings } from '../model-settings.ts'
import { type ChunkStream, readChunks } from './chunks.ts'
import { createOpenaiClient } from './client.ts'
import { type ModelErrorContext, requestError, responseError, timeoutError } from './errors.ts'
import type { ClientFetch } from './guarded-fetch.ts'
import { readModelEvents } from './model-events.ts'
import { buildRequestBody, capabilitiesRefused, type ServerCapabilities } from './request.ts'
import { type ResponseTimeout, startResponseTimeout } from './response-timeout.ts'

/** With `fetch` null, the client uses its own connection. */
export function openOpenaiModel(settings: ModelSettings, fetch: ClientFetch | null): LanguageModel {
  const { name, max_input_tokens, key, headers } = settings
  const capabilities: ServerCapabilities = {
    streamUsage: true,
    maxCompletionTokens: false,
    temperature: true,
    reasoningEffort: true,
    tools: settings.supports_tools,
    images: settings.supports_images,
  }
  const client = createModelClient(settings, fetch)
  const context: ModelErrorContext = {
    name,
    secrets: [...(key === null ? [] : [key]), ...Object.values(headers)],
    firstMs: settings.first_token_timeout_ms,
    idleMs: settings.idle_timeout_ms,
  }
  const state = { client, model: settings.model, capabilities, context }
  return {
    name,
    max_input_tokens,
    get supportsTools() {
      return capabilities.tools
    },
    get supportsImages() {
      return capabilities.images
    },
    stream: (request) => streamAnswer(state, request),
  }
}

interface OpenaiModelState {
  client: OpenAI
  model: string
  capabilities: ServerCapabilities
  context: ModelErrorContext
}

async function* streamAnswer(state: OpenaiModelState, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { context } = state
  request.signal.throwIfAborted()
  const timeout = startResponseTimeout(context, request.signal)
  try {
    const response = await openStream(state, request, timeout)
    const chunks = withResponseErrors(readChunks(response, state.client, timeout.controller), timeout, context)
    yield* readModelEvents(chunks, { name: context.name, request, timeout })
    // On a timeout or an abort the chunks simply end.
    throwIfTimedOut(timeout, context)
    request.signal.throwIfAborted()
  } catch (error) {
    request.signal.throwIfAborted()
    throwIfTimedOut(timeout, context)
    throw error
  } finally {
    timeout.dispose()
  }
}

function throwIfTimedOut(timeout: ResponseTimeout, context: ModelErrorContext): void {
  const late = timeout.expiredPhase()
  if (late !== null && late !== 'closing') throw timeoutError(late, context)
}

/** Retries without the fields that the server rejects. */
async function openStream(
  { client, model, capabilities, context }: OpenaiModelState,
  request: ModelRequest,
  timeout: ResponseTimeout,
): Promise<Response> {
  for (;;) {
    const body = buildRequestBody(model, request, capabilities)
    try {
      return await client.chat.completions.create(body, { signal: timeout.controller.signal }).asResponse()
    } catch (error) {
      const unsupported = capabilitiesRefused(error, body)
      if (unsupported === null) throw requestError(error, context)
      Object.assign(capabilities, unsupported)
      if (unsupported.tools === false) throw new ModelError('refused', `${context.name} does not support tools`)
      if (unsupported.images === false) throw new ModelError('refused', `${context.name} does not read pictures`)
    }
  }
}

/** Errors while reading are the server's; after the last token they are ignored. */
const withResponseErrors = (
  chunks: ChunkStream,
  timeout: ResponseTimeout,
  context: ModelErrorContext,
): ChunkStream => ({
  isComplete: chunks.isComplete,
  async *[Symbol.asyncIterator]() {
    try {
      for await (const chunk of chunks) {
        timeout.pause()
        yield chunk
        timeout.resume()
      }
    } catch (error) {
      if (!timeout.isFinishing()) throw responseError(error, context)
    }
  },
})

/** Longer than any call: `ResponseTimeout` ends calls. */
const CLIENT_TIMEOUT_MS = 60 * 60_000

export const createModelClient = (
  { url, key, headers, api_version }: ModelSettings,
  fetch: ClientFetch | null,
): OpenAI =>
  createOpenaiClient({
    baseURL: trimEndCharacters(url, '/').replace(/\/chat\/completions$/, ''),
    key,
    headers: { 'User-Agent': 'Pharos', ...headers },
    ...(api_version !== null && { defaultQuery: { 'api-version': api_version } }),
    ...(fetch === null ? { fetchOptions: { redirect: 'error' } } : { fetch }),
    timeout: CLIENT_TIMEOUT_MS,
  })
