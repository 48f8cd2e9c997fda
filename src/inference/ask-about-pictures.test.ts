import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAboutPictures } from './ask-about-pictures.ts'
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts'

const usage = { input_tokens: 1, output_tokens: 1 }
const said = (text: string): ModelEvent => ({ type: 'text', text })
const ends = (reason: 'stop' | 'length' | 'refusal'): ModelEvent => ({ type: 'end', reason, usage, model: 'Eyes' })

const asked: ModelRequest[] = []
const eyes = (events: readonly (ModelEvent | Error)[], supportsImages = true): LanguageModel => ({
  name: 'Eyes',
  max_input_tokens: 8_000,
  supportsTools: false,
  supportsImages,
  async *stream(request) {
    asked.push(request)
    for (const it of events) {
      if (it instanceof Error) throw it
      yield it
    }
  },
})
const question = {
  system: 'Describe the picture.',
  message: 'Figure 1',
  images: [{ type: 'image', media_type: 'image/png', base64: 'AAAA' }],
  max_output_tokens: 100,
  signal: new AbortController().signal,
} as const

test('the whole text is returned, and the pictures come with the message', async () => {
  const answer = await askAboutPictures(eyes([said(' A red '), said('house. '), ends('stop')]), question)
  assert.deepEqual(answer, { text: 'A red house.', failure: null })
  assert.deepEqual(asked.at(-1)?.messages, [
    { role: 'system', content: 'Describe the picture.' },
    { role: 'user', content: 'Figure 1', images: question.images },
  ])
})

for (const [name, events, reason, isTransient] of [
  ['no text', [ends('stop')], 'Eyes returned no text', false],
  ['a cut text', [said('A'), ends('length')], 'Eyes reached its maximum length', false],
  ['a refusal', [ends('refusal')], 'Eyes refused to answer', false],
  ['a rejected picture', [new ModelError('refused', 'too large')], 'too large', false],
  ['a server that is away', [new ModelError('unreachable', 'away')], 'away', true],
] as const)
  test(`${name} is a failure`, async () => {
    const { text, failure } = await askAboutPictures(eyes(events), question)
    assert.deepEqual([text, failure?.reason, failure?.isTransient], [null, reason, isTransient])
  })

test('a model that reads no pictures is not asked', async () => {
  const before = asked.length
  const { failure } = await askAboutPictures(eyes([said('Yes'), ends('stop')], false), question)
  assert.deepEqual([failure?.reason, failure?.isTransient], ['Eyes does not read pictures', false])
  assert.equal(asked.length, before)
})

test('the time that a server asks to wait is passed on', async () => {
  const { failure } = await askAboutPictures(eyes([new ModelError('limited', 'slow down', 5_000)]), question)
  assert.deepEqual([failure?.isTransient, failure?.retryAfterMs], [true, 5_000])
})

test('the reason of the signal is thrown', async () => {
  const signal = AbortSignal.abort(new Error('closing'))
  await assert.rejects(
    askAboutPictures(eyes([new ModelError('unreachable', 'away')]), { ...question, signal }),
    /closing/,
  )
})
