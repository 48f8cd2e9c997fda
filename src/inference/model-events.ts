// From the pieces of the wire to what a model says.
import { estimateRequest, ModelError, type ModelEvent, type ModelRequest, type TokenUsage } from './language-model.ts'
import { modelCalls } from './model-calls.ts'
import type { Chunk, Chunks } from './openai-chunks.ts'
import type { Patience } from './patience.ts'
import { thoughts } from './thoughts.ts'
import { wellFormed } from './well-formed.ts'

/** Of texts, thoughts and arguments together: nobody reads more, and it must lie somewhere. */
const MAX_CHARACTERS = 1_000_000

interface Needs {
  name: string
  request: ModelRequest
  patience: Pick<Patience, 'heard' | 'closing' | 'late'>
}

export async function* eventsOf(chunks: Chunks, { name, request, patience }: Needs): AsyncGenerator<ModelEvent> {
  const answer = openAnswer()
  for await (const chunk of chunks) {
    const heard = answer.length
    yield* answer.take(chunk)
    if (answer.length > heard) patience.heard()
    if (answer.isFinished()) patience.closing()
    if (answer.length > MAX_CHARACTERS) break
  }
  // Then the pieces simply end.
  if (request.signal.aborted || isLate(patience)) return
  yield* answer.rest()
  const isWhole = answer.length <= MAX_CHARACTERS && (answer.isFinished() || chunks.isWhole())
  const reason = answer.reason(isWhole)
  if (reason === 'calls') for (const call of answer.calls()) yield { type: 'call', call }
  if (reason !== 'calls' && reason !== 'refusal' && !answer.hasSpoken()) throw silence(name, reason)
  yield { type: 'end', reason, usage: answer.usage(request), model: name }
}

const isLate = ({ late }: Pick<Patience, 'late'>) => late() !== null && late() !== 'closing'

const silence = (name: string, reason: 'stop' | 'length') =>
  new ModelError('broken', `${name} ${reason === 'stop' ? 'said nothing' : 'was cut off before it said anything'}`)

function openAnswer() {
  const split = thoughts()
  const [clean, cleanThought] = [wellFormed(), wellFormed()]
  const calls = modelCalls()
  let [length, spoken, finish, isRefused]: [number, number, string | null, boolean] = [0, 0, null, false]
  let usage: TokenUsage | null = null
  const pieces = function* (parts: Iterable<{ type: 'text' | 'reasoning'; text: string }>): Generator<ModelEvent> {
    for (const it of parts) {
      if (it.type === 'text') spoken += it.text.trim().length
      yield it
    }
  }
  return {
    get length() {
      return length
    },
    *take({ choices, usage: counted }: Chunk): Generator<ModelEvent> {
      if (counted) usage = { input_tokens: counted.prompt_tokens, output_tokens: counted.completion_tokens }
      // Of several answers to one question the first one counts.
      const choice = choices?.find((it) => (it.index ?? 0) === 0)
      const delta = choice?.delta ?? choice?.message
      finish ??= choice?.finish_reason || null
      if (!delta) return
      const { content, refusal, reasoning_content, reasoning, tool_calls } = delta
      const thought = reasoning_content || reasoning || ''
      isRefused ||= Boolean(refusal)
      const text = `${content ?? ''}${refusal ?? ''}`
      calls.add(tool_calls ?? [])
      length += thought.length + text.length + lengthOf(tool_calls ?? [])
      const cleared = cleanThought.push(thought)
      if (cleared !== '') yield { type: 'reasoning', text: cleared }
      yield* pieces(split.push(clean.push(text)))
    },
    *rest(): Generator<ModelEvent> {
      yield* pieces([...split.push(clean.end()), ...split.end()])
    },
    isFinished: () => finish !== null,
    hasSpoken: () => spoken > 0,
    calls: () => calls.list(),
    reason(isWhole: boolean): 'stop' | 'calls' | 'length' | 'refusal' {
      if (isRefused || /filter|safety|refus|blocked/i.test(finish ?? '')) return 'refusal'
      if (!isWhole || /length|max_tokens/i.test(finish ?? '')) return 'length'
      return calls.list().length > 0 ? 'calls' : 'stop'
    },
    usage: (request: ModelRequest): TokenUsage =>
      usage ?? { input_tokens: estimateRequest(request), output_tokens: Math.ceil(length / CHARACTERS_PER_TOKEN) },
  }
}

const CHARACTERS_PER_TOKEN = 4

const lengthOf = (calls: NonNullable<NonNullable<NonNullable<Chunk['choices']>[number]['delta']>['tool_calls']>) =>
  calls.reduce((sum, it) => sum + (it.function?.name?.length ?? 0) + (it.function?.arguments?.length ?? 0), 0)
