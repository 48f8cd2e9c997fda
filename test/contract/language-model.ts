// The contract of every language model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelRequest,
} from '../../src/inference/language-model.ts'
import type { OddAnswer } from '../model/odd-answers.ts'

export interface Heard {
  text: string
  reasoning: string
  calls: { name: string; arguments: string }[]
  ids: string[]
  ends: Extract<ModelEvent, { type: 'end' }>[]
  error: unknown
}

/** Returns everything up to the end, or the error. */
export async function hear(model: LanguageModel, request: Partial<ModelRequest> = {}): Promise<Heard> {
  const heard: Heard = { text: '', reasoning: '', calls: [], ids: [], ends: [], error: null }
  const question = [{ role: 'user', content: 'What is the capital of France?' }] as const
  const { signal } = new AbortController()
  try {
    for await (const event of model.stream({ messages: question, callables: [LOOKUP], signal, ...request })) {
      assert.equal(heard.ends.length, 0, 'there is nothing after the end')
      if (event.type === 'text') heard.text += event.text
      if (event.type === 'reasoning') heard.reasoning += event.text
      if (event.type === 'end') heard.ends.push(event)
      if (event.type !== 'call') continue
      heard.calls.push({ name: event.call.name, arguments: event.call.arguments })
      heard.ids.push(event.call.id)
    }
  } catch (error) {
    heard.error = error
  }
  return heard
}

export const LOOKUP = {
  name: 'lookup',
  description: 'Looks a city up',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

/** The user must not see any of these. */
export function checkAnswer({ sees }: Pick<OddAnswer, 'sees'>, heard: Heard, secrets: readonly string[] = []): void {
  const { text, calls, ends, error, ids } = heard
  assert.ok(text.isWellFormed() && !text.includes('\0'), 'the text can be stored')
  assert.equal(new Set(ids).size, ids.length, 'each call has a unique id')
  if ('fault' in sees) {
    assert.ok(error instanceof ModelError, `the answer ended without an error: ${JSON.stringify(heard)}`)
    assert.deepEqual([error.fault, text, calls, ends], [sees.fault, sees.text ?? '', [], []], error.message)
    assert.match(error.message, sees.says)
    for (const it of secrets) assert.ok(!error.message.includes(it), error.message)
    return
  }
  if (error !== null) throw error
  const [end] = ends
  assert.ok(end !== undefined && end.usage.input_tokens > 0 && end.usage.output_tokens >= 0, JSON.stringify(end))
  assert.ok(Number.isSafeInteger(end.usage.input_tokens + end.usage.output_tokens))
  const expected = 'calls' in sees ? { ...sees, reason: 'calls', reasoning: '' } : { calls: [], ...sees }
  assert.deepEqual([text, calls], [expected.text ?? '', expected.calls])
  assert.deepEqual([heard.reasoning, end.reason], [expected.reasoning ?? '', expected.reason ?? 'stop'])
}

/** `open` returns a model whose server gives the answer. */
export function testLanguageModel(
  what: string,
  open: (answer: OddAnswer) => Promise<LanguageModel>,
  answers: readonly OddAnswer[],
  secrets: readonly string[],
): void {
  for (const answer of answers)
    test(`${what}: ${answer.name}`, async () => {
      const model = await open(answer)
      checkAnswer(answer, await hear(model, { max_output_tokens: 1_000, temperature: 0.2 }), secrets)
    })
}
