// Any server with the /chat/completions of OpenAI: https://platform.openai.com/docs/api-reference/chat
import type OpenAI from 'openai'
import type { Fetch } from './guarded-fetch.ts'
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts'
import { eventsOf } from './model-events.ts'
import type { ModelSettings } from './model-settings.ts'
import { type Chunks, chunksOf } from './openai-chunks.ts'
import { openClient } from './openai-client.ts'
import { askFailure, type Facts, lateFailure, readFailure } from './openai-failure.ts'
import { bodyOf, learn, type Taken } from './openai-request.ts'
import { openPatience, type Patience } from './patience.ts'

/** With `fetch` null, by the client's own. */
export function openOpenaiModel(settings: ModelSettings, fetch: Fetch | null): LanguageModel {
  const { name, max_input_tokens, key, headers } = settings
  const taken: Taken = { counting: true, newerLimit: false, temperature: true, tools: settings.supports_tools }
  const client = clientOf(settings, fetch)
  const facts: Facts = {
    name,
    secrets: [...(key === null ? [] : [key]), ...Object.values(headers)],
    firstMs: settings.first_token_timeout_ms,
    idleMs: settings.idle_timeout_ms,
  }
  const asked = { client, model: settings.model, taken, facts }
  return {
    name,
    max_input_tokens,
    get canCall() {
      return taken.tools
    },
    stream: (request) => stream(asked, request),
  }
}

interface Asked {
  client: OpenAI
  model: string
  taken: Taken
  facts: Facts
}

async function* stream(asked: Asked, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { facts } = asked
  request.signal.throwIfAborted()
  const patience = openPatience(facts, request.signal)
  try {
    const response = await ask(asked, request, patience)
    const chunks = readable(chunksOf(response, asked.client, patience.stop), patience, facts)
    yield* eventsOf(chunks, { name: facts.name, request, patience })
    // When the time is over the pieces simply end, as they do when the caller goes.
    throwIfLate(patience, facts)
    request.signal.throwIfAborted()
  } catch (error) {
    request.signal.throwIfAborted()
    throwIfLate(patience, facts)
    throw error
  } finally {
    patience.end()
  }
}

function throwIfLate(patience: Patience, facts: Facts): void {
  const late = patience.late()
  if (late !== null && late !== 'closing') throw lateFailure(late, facts)
}

/** Again with less, as often as the server says what it does not take. */
async function ask(
  { client, model, taken, facts }: Asked,
  request: ModelRequest,
  patience: Patience,
): Promise<Response> {
  for (;;) {
    const body = bodyOf(model, request, taken)
    try {
      return await client.chat.completions.create(body, { signal: patience.stop.signal }).asResponse()
    } catch (error) {
      const learnt = learn(error, body)
      if (learnt === null) throw askFailure(error, facts)
      Object.assign(taken, learnt)
      if (learnt.tools === false) throw new ModelError('refused', `${facts.name} takes no tools`)
    }
  }
}

/** What goes wrong while an answer is read is the server's; after the last word it is nobody's. */
const readable = (chunks: Chunks, patience: Patience, facts: Facts): Chunks => ({
  isWhole: chunks.isWhole,
  async *[Symbol.asyncIterator]() {
    try {
      for await (const chunk of chunks) {
        patience.pause()
        yield chunk
        patience.resume()
      }
    } catch (error) {
      if (!patience.isClosing()) throw readFailure(error, facts)
    }
  },
})

/** Longer than anybody waits: what ends a call is `Patience`. */
const CLIENT_TIMEOUT_MS = 60 * 60_000

const clientOf = ({ url, key, headers, api_version }: ModelSettings, fetch: Fetch | null): OpenAI =>
  openClient({
    baseURL: url.replace(/\/+$/, '').replace(/\/chat\/completions$/, ''),
    key,
    headers: { 'User-Agent': 'Pharos', ...headers },
    ...(api_version !== null && { defaultQuery: { 'api-version': api_version } }),
    ...(fetch === null ? { fetchOptions: { redirect: 'error' } } : { fetch }),
    timeout: CLIENT_TIMEOUT_MS,
  })
