// Turns streamed chunks into model events.
import {
  estimateRequestTokens,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type TokenUsage,
} from '../language-model.ts'
import type { ChunkStream, CompletionChunk } from './chunks.ts'
import type { ResponseTimeout } from './response-timeout.ts'
import { createThinkTagParser } from './think-tags.ts'
import { createToolCallAssembler } from './tool-call-assembler.ts'
import { createWellFormedStream } from './well-formed.ts'

/** Text, reasoning and arguments together; bounds the memory of an answer. */
const MAX_CHARACTERS = 1_000_000

interface ModelEventOptions {
  name: string
  request: ModelRequest
  timeout: Pick<ResponseTimeout, 'onOutput' | 'onFinish' | 'expiredPhase'>
}

export async function* readModelEvents(
  chunks: ChunkStream,
  { name, request, timeout }: ModelEventOptions,
): AsyncGenerator<ModelEvent> {
  const answer = createAnswerReader()
  for await (const chunk of chunks) {
    const lengthBefore = answer.length
    yield* answer.take(chunk)
    if (answer.length > lengthBefore) timeout.onOutput()
    if (answer.isFinished()) timeout.onFinish()
    if (answer.length > MAX_CHARACTERS) break
  }
  // Then the chunks simply end.
  if (request.signal.aborted || hasTimedOut(timeout)) return
  yield* answer.rest()
  const isWhole = answer.length <= MAX_CHARACTERS && (answer.isFinished() || chunks.isComplete())
  const reason = answer.reason(isWhole)
  if (reason === 'calls') for (const call of answer.calls()) yield { type: 'call', call }
  if (reason !== 'calls' && reason !== 'refusal' && !answer.hasSpoken()) throw emptyAnswerError(name, reason)
  yield { type: 'end', reason, usage: answer.usage(request), model: name }
}

const hasTimedOut = ({ expiredPhase }: Pick<ResponseTimeout, 'expiredPhase'>) =>
  expiredPhase() !== null && expiredPhase() !== 'closing'

const emptyAnswerError = (name: string, reason: 'stop' | 'length') =>
  new ModelError(
    'broken',
    `${name} ${reason === 'stop' ? 'returned no text' : 'was cut off before it returned any text'}`,
  )

function createAnswerReader() {
  const thinkTagParser = createThinkTagParser()
  const [clean, cleanThought] = [createWellFormedStream(), createWellFormedStream()]
  const calls = createToolCallAssembler()
  let [length, textLength, finish, isRefused]: [number, number, string | null, boolean] = [0, 0, null, false]
  let usage: TokenUsage | null = null
  const pieces = function* (parts: Iterable<{ type: 'text' | 'reasoning'; text: string }>): Generator<ModelEvent> {
    for (const it of parts) {
      if (it.type === 'text') textLength += it.text.trim().length
      yield it
    }
  }
  return {
    get length() {
      return length
    },
    *take({ choices, usage: counted }: CompletionChunk): Generator<ModelEvent> {
      if (counted) usage = { input_tokens: counted.prompt_tokens, output_tokens: counted.completion_tokens }
      // Only the first choice counts.
      const choice = choices?.find((it) => (it.index ?? 0) === 0)
      const delta = choice?.delta ?? choice?.message
      finish ??= choice?.finish_reason || null
      if (!delta) return
      const { content, refusal, reasoning_content, reasoning, tool_calls } = delta
      const thought = reasoning_content || reasoning || ''
      isRefused ||= Boolean(refusal)
      const text = `${content ?? ''}${refusal ?? ''}`
      calls.add(tool_calls ?? [])
      length += thought.length + text.length + argumentsLength(tool_calls ?? [])
      const cleared = cleanThought.push(thought)
      if (cleared !== '') yield { type: 'reasoning', text: cleared }
      yield* pieces(thinkTagParser.push(clean.push(text)))
    },
    *rest(): Generator<ModelEvent> {
      yield* pieces([...thinkTagParser.push(clean.end()), ...thinkTagParser.end()])
    },
    isFinished: () => finish !== null,
    hasSpoken: () => textLength > 0,
    calls: () => calls.list(),
    reason(isWhole: boolean): 'stop' | 'calls' | 'length' | 'refusal' {
      if (isRefused || /filter|safety|refus|blocked/i.test(finish ?? '')) return 'refusal'
      if (!isWhole || /length|max_tokens/i.test(finish ?? '')) return 'length'
      return calls.list().length > 0 ? 'calls' : 'stop'
    },
    usage: (request: ModelRequest): TokenUsage =>
      usage ?? {
        input_tokens: estimateRequestTokens(request),
        output_tokens: Math.ceil(length / CHARACTERS_PER_TOKEN),
      },
  }
}

const CHARACTERS_PER_TOKEN = 4

const argumentsLength = (
  calls: NonNullable<NonNullable<NonNullable<CompletionChunk['choices']>[number]['delta']>['tool_calls']>,
) => calls.reduce((sum, it) => sum + (it.function?.name?.length ?? 0) + (it.function?.arguments?.length ?? 0), 0)
