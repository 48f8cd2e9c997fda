// Against a real server that speaks the documented protocol, and all invalid answers of servers: once with the client's
// own connection, once through egress.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hear, LOOKUP, testLanguageModel } from '../../../test/contract/language-model.ts'
import { calls, delta, fails, finish, says, startModelServer, text } from '../../../test/model/model-server.ts'
import { KEY, ODD_ANSWERS, oddScript } from '../../../test/model/odd-answers.ts'
import { waitFor } from '../../../test/server.ts'
import { openEgress } from '../../egress/egress.ts'
import { type LanguageModel, ModelError } from '../language-model.ts'
import { MODEL_DEFAULTS, type ModelSettings } from '../model-settings.ts'
import { createModelOpener } from '../open-model.ts'

const server = await startModelServer(oddScript)
const egress = openEgress({ allow: '127.0.0.1', proxy: '', own: () => [], isApproved: null })
const closed = openEgress({ allow: '', proxy: '', own: () => [], isApproved: null })
after(() => Promise.all([egress.close(), closed.close()]))

const settings: ModelSettings = {
  ...MODEL_DEFAULTS,
  max_input_tokens: 8_192,
  name: 'Small',
  model: 'small',
  url: server.url,
  key: KEY,
  headers: {},
  api_version: null,
  supports_tools: true,
  supports_images: false,
  urlOwner: 'operator',
}
const open = createModelOpener({ egress })
const model = (more: Partial<ModelSettings> = {}): LanguageModel => open({ ...settings, ...more })
const lastAsked = () => server.requests.at(-1)!

for (const [what, urlOwner] of [
  ['the operator’s', 'operator'],
  ['an administrator’s', { provider_id: 1 }],
] as const) {
  const openOdd = async ({ name, script: _, sees: __, ...limits }: (typeof ODD_ANSWERS)[number]) =>
    model({ model: name, urlOwner, ...limits })
  testLanguageModel(what, openOdd, ODD_ANSWERS, [KEY, server.url, '127.0.0.1'])
}

test('there are at least forty invalid responses, each with a unique name', () => {
  assert.ok(ODD_ANSWERS.length >= 40, String(ODD_ANSWERS.length))
  assert.equal(new Set(ODD_ANSWERS.map((it) => it.name)).size, ODD_ANSWERS.length)
})

test('the request follows the OpenAI protocol', async () => {
  const messages = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Where?' },
    { role: 'assistant', content: '', calls: [{ id: 'c1', name: 'lookup', arguments: '{"city":"Paris"}' }] },
    { role: 'tool', call_id: 'c1', content: 'In France.' },
    { role: 'assistant', content: 'Wait.', calls: [{ id: 'c2', name: 'lookup', arguments: 'no JSON' }] },
    { role: 'tool', call_id: 'c2', content: 'What?' },
  ] as const
  const request = { messages, temperature: 0.5, max_output_tokens: 7, toolChoice: { name: 'lookup' } }
  await hear(model({ headers: { 'X-Team': 'search' }, api_version: '2026-01-01' }), request)
  const { path, headers, body } = lastAsked()
  assert.equal(path, '/v1/chat/completions?api-version=2026-01-01')
  assert.deepEqual([headers.authorization, headers['x-team']], [`Bearer ${KEY}`, 'search'])
  const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'lookup', arguments: args } })
  assert.deepEqual(body, {
    model: 'small',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: null, tool_calls: [call('c1', '{"city":"Paris"}')] },
      { role: 'tool', tool_call_id: 'c1', content: 'In France.' },
      { role: 'assistant', content: 'Wait.', tool_calls: [call('c2', '{}')] },
      { role: 'tool', tool_call_id: 'c2', content: 'What?' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    max_tokens: 7,
    tools: [{ type: 'function', function: LOOKUP }],
    tool_choice: { type: 'function', function: { name: 'lookup' } },
  })
})

test('no key is sent to a server without keys, and egress reveals nothing about this machine', async () => {
  await hear(model({ key: null, urlOwner: { provider_id: 1 } }))
  const { headers } = lastAsked()
  assert.equal(headers.authorization, undefined)
  assert.deepEqual(
    Object.keys(headers).filter((it) => it.startsWith('x-stainless')),
    [],
  )
  await hear(model({ key: null }))
  assert.equal(lastAsked().headers.authorization, undefined)
})

test('the address may end with the path or a slash', async () => {
  for (const end of ['/chat/completions', '/', '/chat/completions/']) {
    await hear(model({ url: server.url + end }))
    assert.equal(lastAsked().path, '/v1/chat/completions')
  }
})

test('usage is taken from the server, or estimated if it reports none', async () => {
  const counted = await hear(model())
  assert.deepEqual(counted.ends[0]?.usage, { input_tokens: 20, output_tokens: 5 })
  const { ends } = await hear(model({ model: 'no usage' }))
  assert.ok(ends[0]!.usage.input_tokens > 10 && ends[0]!.usage.output_tokens === 8, JSON.stringify(ends))
})

test('a field that the server rejects is omitted from then on', async () => {
  const learning = model({ model: 'counting is refused' })
  await hear(learning)
  const before = server.requests.length
  await hear(learning)
  assert.deepEqual([server.requests.length - before, lastAsked().body.stream_options], [1, undefined])
})

test('the reasoning effort is sent, and omitted once the server rejects it', async () => {
  const own = await startModelServer(({ body }) =>
    'reasoning_effort' in body && body.model === 'plain'
      ? fails(400, 'Unrecognized request argument supplied: reasoning_effort')
      : says('Paris.'),
  )
  const effortsOf = () => own.requests.map(({ body }) => ('reasoning_effort' in body ? body.reasoning_effort : null))
  await hear(model({ url: own.url }), { reasoning_effort: 'high' })
  await hear(model({ url: own.url }), { reasoning_effort: 'off' })
  const learning = model({ url: own.url, model: 'plain' })
  assert.equal((await hear(learning, { reasoning_effort: 'low' })).text, 'Paris.')
  await hear(learning, { reasoning_effort: 'low' })
  assert.deepEqual(effortsOf(), ['high', 'none', 'low', null, null])
})

test('a server without tool support rejects tools once, and is then called without them', async () => {
  const own = await startModelServer(({ body }) =>
    body.tools === undefined ? says('Paris.') : fails(400, 'registry.ollama.ai/library/small does not support tools'),
  )
  const learning = model({ url: own.url })
  assert.equal(learning.supportsTools, true)
  const { error } = await hear(learning)
  assert.ok(error instanceof ModelError)
  assert.deepEqual(
    [error.fault, error.message, learning.supportsTools],
    ['refused', 'Small does not support tools', false],
  )
  assert.equal((await hear(learning)).text, 'Paris.')
})

test('a server configured without tool support gets no tools', async () => {
  const known = model({ supports_tools: false })
  assert.equal(known.supportsTools, false)
  await hear(known)
  assert.equal(lastAsked().body.tools, undefined)
})

for (const [server_, sentence] of [
  ['Ollama', 'registry.ollama.ai/library/gemma:2b does not support tools'],
  ['vLLM', '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ['llama.cpp', 'tools param requires --jinja flag'],
  ['OpenRouter', 'No endpoints found that support tool use. Try disabling "lookup".'],
  ['a strict schema', 'Unrecognized request argument supplied: tools'],
] as const)
  test(`the way ${server_} rejects tools is recognised`, async () => {
    const own = await startModelServer([fails(400, sentence)])
    const learning = model({ url: own.url })
    await hear(learning)
    assert.equal(learning.supportsTools, false)
  })

test('other rejections are not taken for missing tool support', async () => {
  const own = await startModelServer([fails(400, 'This model reads 8192 tokens')])
  const asked = model({ url: own.url })
  await hear(asked)
  assert.equal(asked.supportsTools, true)
})

const PICTURE = { type: 'image', media_type: 'image/png', base64: 'iVBORw0=' } as const
const pictured = { messages: [{ role: 'user', content: 'What is this?', images: [PICTURE] }], callables: [] } as const

test('pictures are sent as data URLs before the text', async () => {
  const own = await startModelServer()
  const seeing = model({ url: own.url, supports_images: true })
  assert.equal((await hear(seeing, pictured)).text, 'Yes.')
  assert.deepEqual(own.requests[0]!.body.messages, [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } },
        { type: 'text', text: 'What is this?' },
      ],
    },
  ])
  await hear(seeing)
  assert.equal(typeof own.requests[1]!.body.messages[0].content, 'string')
})

test('a model that reads no pictures gets the text alone', async () => {
  const own = await startModelServer()
  assert.equal((await hear(model({ url: own.url }), pictured)).text, 'Yes.')
  assert.deepEqual(own.requests[0]!.body.messages, [{ role: 'user', content: 'What is this?' }])
})

for (const [server_, sentence] of [
  ['Ollama', 'this model is missing data required for image input'],
  ['vLLM', 'small is not a multimodal model'],
  ['llama.cpp', 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  ['OpenRouter', 'No endpoints found that support image input'],
  ['OpenAI', 'Invalid content type. image_url is only supported by certain models.'],
  ['a server for texts', 'messages.0.content: Input should be a valid string'],
] as const)
  test(`the way ${server_} rejects pictures is recognised`, async () => {
    const own = await startModelServer(({ body }) =>
      Array.isArray(body.messages[0].content) ? fails(400, sentence) : says('Paris.'),
    )
    const learning = model({ url: own.url, supports_images: true })
    const { error } = await hear(learning, pictured)
    assert.ok(error instanceof ModelError)
    assert.deepEqual(
      [error.fault, error.message, learning.supportsImages],
      ['refused', 'Small does not read pictures', false],
    )
    assert.equal((await hear(learning, pictured)).text, 'Paris.')
  })

test('a picture that is rejected for itself says nothing about the model', async () => {
  for (const sentence of ['The image format webp is not supported', 'Image size is not supported: too large']) {
    const own = await startModelServer([fails(400, sentence)])
    const asked = model({ url: own.url, supports_images: true })
    const { error } = await hear(asked, pictured)
    assert.deepEqual([(error as ModelError).fault, asked.supportsImages], ['refused', true])
  }
})

for (const from of ['operator', { provider_id: 1 }] as const)
  test(`an abandoned answer ends at the server within a second (${JSON.stringify(from)})`, async () => {
    const own = await startModelServer([{ steps: [text('Paris '), { hang: true }] }])
    const stop = new AbortController()
    const listening = hear(model({ url: own.url, urlOwner: from }), { signal: stop.signal })
    await waitFor(() => own.requests.length === 1, 'the question')
    const reason = new Error('gone')
    stop.abort(reason)
    assert.equal((await listening).error, reason)
    await waitFor(() => own.requests[0]!.isAbandoned, 'the end at the server', 1_000)
  })

test('ending the iteration cancels the request', async () => {
  const own = await startModelServer([{ steps: [text('Paris '), text('is '), { hang: true }] }])
  const { signal } = new AbortController()
  for await (const _ of model({ url: own.url }).stream({ messages: [{ role: 'user', content: 'x' }], signal })) break
  await waitFor(() => own.requests[0]!.isAbandoned, 'the end at the server', 1_000)
})

test('nothing is sent for a caller that has already aborted', async () => {
  const before = server.requests.length
  const { error } = await hear(model(), { signal: AbortSignal.abort(new Error('gone')) })
  assert.deepEqual([String(error), server.requests.length], ['Error: gone', before])
})

test("the reader's time does not count towards the timeouts", async () => {
  const own = await startModelServer([{ steps: [delta({ content: 'Paris' }), text(' is.'), finish()] }])
  const { signal } = new AbortController()
  const patient = model({ url: own.url, idle_timeout_ms: 100, first_token_timeout_ms: 5_000 })
  let heard = ''
  for await (const event of patient.stream({ messages: [{ role: 'user', content: 'x' }], signal })) {
    if (event.type !== 'text') continue
    heard += event.text
    // Longer than the idle timeout: the reader is slow, not the model.
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  assert.equal(heard, 'Paris is.')
})

test('a model that timed out asks to be skipped for as long', async () => {
  const own = await startModelServer([{ steps: [{ hang: true }] }])
  const { error } = await hear(model({ url: own.url, first_token_timeout_ms: 200 }))
  assert.equal(error instanceof ModelError && error.retryAfterMs, 200)
})

test('an unreachable server is reported as such', async () => {
  const gone = await startModelServer()
  await gone.end()
  const { error } = await hear(model({ url: gone.url }))
  assert.ok(error instanceof ModelError)
  assert.match(error.message, /^Small cannot be reached: ECONNREFUSED$/)
})

test('an address that egress refuses is not called, and only the cause names it', async () => {
  const before = server.requests.length
  const shut = createModelOpener({ egress: closed })({ ...settings, urlOwner: { provider_id: 1 } })
  const { error } = await hear(shut)
  assert.ok(error instanceof ModelError)
  assert.equal(error.message, 'Small cannot be reached')
  assert.match(String(error.cause), /EGRESS_ALLOW=127\.0\.0\.1/)
  assert.equal(server.requests.length, before)
})

test('more than 8 answers are read concurrently from one host', async () => {
  const own = await startModelServer([{ steps: [text('Paris '), { hang: true }] }])
  const stop = new AbortController()
  const many = Array.from({ length: 40 }, () =>
    hear(model({ url: own.url, urlOwner: { provider_id: 1 } }), { signal: stop.signal }),
  )
  await waitFor(() => own.requests.length === 40, 'all questions')
  stop.abort()
  await Promise.all(many)
})

test('a call keeps the id given by the server', async () => {
  const own = await startModelServer([calls({ id: 'call_abc', name: 'lookup', arguments: {} })])
  const { ids } = await hear(model({ url: own.url }))
  assert.deepEqual(ids, ['call_abc'])
})
