import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hear, LOOKUP } from '../../test/contract/language-model.ts'
import { withCooldown, withFallback } from './fallback.ts'
import { type LanguageModel, ModelError, type ModelEvent } from './language-model.ts'

type Said = ModelEvent | Error

const text = (it: string): Said => ({ type: 'text', text: it })
const thought = (it: string): Said => ({ type: 'reasoning', text: it })

/** Answers each request with the next scripted answer; `asked` counts the requests. */
function model(name: string, ...answers: Said[][]) {
  const state = { asked: 0, canCall: true, canRead: false }
  const it: LanguageModel = {
    name,
    max_input_tokens: 1_000,
    get supportsTools() {
      return state.canCall
    },
    get supportsImages() {
      return state.canRead
    },
    async *stream() {
      const answer = answers[Math.min(state.asked++, answers.length - 1)]!
      for (const said of answer) {
        if (said instanceof Error) throw said
        yield said
      }
      yield { type: 'end', reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 }, model: name }
    },
  }
  return Object.assign(it, { state })
}

const down = (name: string, retryAfterMs: number | null = null) =>
  new ModelError('unreachable', `${name} cannot be reached`, retryAfterMs)

test('a single model is returned unchanged', () => {
  const one = model('one', [text('Hi')])
  assert.equal(withFallback([one]), one)
})

test('if the first model produces nothing, the next one answers and is named', async () => {
  const { text: said, ends } = await hear(withFallback([model('one', [down('one')]), model('two', [text('Hi')])]))
  assert.deepEqual([said, ends[0]?.model], ['Hi', 'two'])
})

test('reasoning does not count as output', async () => {
  const one = model('one', [thought('Hm.'), down('one')])
  const { text: said, reasoning } = await hear(withFallback([one, model('two', [text('Hi')])]))
  assert.deepEqual([said, reasoning], ['Hi', 'Hm.'])
})

test('after the first token there is no fallback', async () => {
  const two = model('two', [text('Hi')])
  const { text: said, error } = await hear(withFallback([model('one', [text('Pa'), down('one')]), two]))
  assert.deepEqual([said, (error as Error).message, two.state.asked], ['Pa', 'one cannot be reached', 0])
})

test('the last error combines all reasons, and the earliest retry time', async () => {
  const { error } = await hear(withFallback([model('one', [down('one', 5_000)]), model('two', [down('two', 2_000)])]))
  assert.ok(error instanceof ModelError)
  assert.deepEqual(
    [error.message, error.fault, error.retryAfterMs],
    ['one cannot be reached; two cannot be reached', 'unreachable', 2_000],
  )
})

test('an internal error does not trigger the fallback', async () => {
  const two = model('two', [text('Hi')])
  const { error } = await hear(withFallback([model('one', [new TypeError('x')]), two]))
  assert.deepEqual([(error as Error).name, two.state.asked], ['TypeError', 0])
})

test('a request with tools skips models without tool support if another has it', async () => {
  const [one, two] = [model('one', [text('One')]), model('two', [text('Two')])]
  one.state.canCall = false
  const both = withFallback([one, two])
  assert.deepEqual([both.supportsTools, (await hear(both, { callables: [LOOKUP] })).text], [true, 'Two'])
  assert.equal((await hear(both, { callables: [] })).text, 'One')
  two.state.canCall = false
  assert.deepEqual([both.supportsTools, (await hear(both, { callables: [LOOKUP] })).text], [false, 'One'])
})

test('a request with pictures skips models that read none, if another reads them', async () => {
  const [one, two] = [model('one', [text('One')]), model('two', [text('Two')])]
  const both = withFallback([one, two])
  const image = { type: 'image', media_type: 'image/png', base64: '' } as const
  const pictured = { messages: [{ role: 'user', content: 'Look.', images: [image] }] } as const
  assert.equal((await hear(both, pictured)).text, 'One')
  two.state.canRead = true
  assert.equal((await hear(both, pictured)).text, 'Two')
  // Tools matter less than the picture.
  two.state.canCall = false
  assert.equal((await hear(both, { ...pictured, callables: [LOOKUP] })).text, 'Two')
  assert.deepEqual([both.supportsImages, (await hear(both)).text], [false, 'One'])
  one.state.canRead = true
  assert.equal(both.supportsImages, true)
})

test('a model that asks to wait is skipped for that time, at most a minute', async () => {
  for (const [wantsMs, isLeftMs] of [
    [5_000, 5_000],
    [3_600_000, 60_000],
  ] as const) {
    let now = 0
    const one = model('one', [down('one', wantsMs)], [text('Hi')])
    const rested = withCooldown(one, () => now)
    await hear(rested)
    now = isLeftMs - 1
    const { error } = await hear(rested)
    assert.ok(error instanceof ModelError)
    assert.deepEqual([error.message, error.retryAfterMs, one.state.asked], ['one cannot be reached', 1, 1])
    now = isLeftMs
    assert.equal((await hear(rested)).text, 'Hi')
  }
})

test('a model that gives no wait time is retried at once', async () => {
  const one = model('one', [down('one')], [text('Hi')])
  const rested = withCooldown(one, () => 0)
  await hear(rested)
  assert.equal((await hear(rested)).text, 'Hi')
})
