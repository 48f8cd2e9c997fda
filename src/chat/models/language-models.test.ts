// Which model answers whom, and on what budget, over a real database.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { hear } from '../../../test/contract/language-model.ts'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import { noopMeter } from '../../domain/meter.ts'
import { NO_LLM_SECRETS } from '../../domain/models/llm-provider.ts'
import { rightsOfKey, type Subject } from '../../domain/subject.ts'
import { type LanguageModel, ModelError, type ModelEvent } from '../../inference/language-model.ts'
import type { ModelSettings } from '../../inference/model-settings.ts'
import { insertApiKey } from '../../store/identity/api-keys.ts'
import {
  insertLlmProvider,
  type LlmProviderFields,
  LOST_SECRETS,
  setDefaultModel,
} from '../../store/models/llm-providers.ts'
import { addTokenUsage, listUsageByModel } from '../../store/models/token-usage.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { updateSettings } from '../../store/settings/settings.ts'
import { type ModelChoiceRequest, openLanguageModels, SERVICE_USAGE_ID } from './language-models.ts'

const { db } = await temporaryDatabase()
const key = { kid: 'k0000001', key: Buffer.alloc(32, 7), origin: 'file' as const }
const secrets = createSecretBox({ newest: () => key, find: () => key })
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const NOW = Date.UTC(2026, 10, 21, 12)
const TODAY = '2026-11-21'

beforeEach(async () => {
  for (const table of ['llm_default', 'llm_model', 'llm_provider', 'token_usage', 'api_key'] as const) {
    await db.deleteFrom(table).execute()
  }
  await updateSettings(db, { daily_token_limit: null })
  script.answers = {}
  script.opened = []
})

/** The scripted answers, by the name of the model at the server. */
const script: { answers: Record<string, (ModelEvent | Error)[]>; opened: ModelSettings[] } = { answers: {}, opened: [] }
const USAGE = { input_tokens: 60, output_tokens: 40 }

function open(settings: ModelSettings): LanguageModel {
  script.opened.push(settings)
  const { name, max_input_tokens, model } = settings
  return {
    name,
    max_input_tokens,
    supportsTools: true,
    supportsImages: settings.supports_images,
    async *stream() {
      for (const it of script.answers[model] ?? [{ type: 'text', text: `I am ${model}.` } as const]) {
        if (it instanceof Error) throw it
        yield it
      }
      yield { type: 'end', reason: 'stop', usage: USAGE, model: name }
    },
  }
}

const HOUSE = {
  url: 'http://house/v1',
  key: null,
  model: 'house',
  max_input_tokens: 4_096,
  supports_image_input: false,
}
const openModels = (environment: typeof HOUSE | null = null) =>
  openLanguageModels({ db, secrets, environment, open, logger, meter: noopMeter, now: () => NOW })

const subjectOf = (user_id: string, groups: string[] = [], role: Subject['role'] = 'basic'): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id,
  person_id: null,
  usage_id: user_id,
  email: null,
  groups,
  curated_groups: [],
  role,
  rights: rightsOfKey(role, null),
  scopes: null,
})
const ann = subjectOf('ann')
const asks = (more: Partial<ModelChoiceRequest> = {}): ModelChoiceRequest => ({
  subject: ann,
  persona: { id: 0 },
  override: null,
  ...more,
})

const provide = (name: string, more: Partial<LlmProviderFields> = {}) =>
  insertLlmProvider(
    { db, secrets },
    {
      id: null,
      name,
      provider: 'vllm',
      api_base: `https://${name}.example.com/v1`,
      api_version: null,
      deployment_name: null,
      secrets: { ...NO_LLM_SECRETS, api_key: `key-of-${name}` },
      is_public: true,
      is_auto_mode: false,
      groups: [],
      personas: [],
      fallback_order: null,
      first_token_timeout_ms: null,
      idle_timeout_ms: null,
      models: [modelOf(`${name}-model`)],
      ...more,
    },
    NOW,
  )
const modelOf = (name: string, is_visible = true) => ({
  name,
  display_name: null,
  is_visible,
  max_input_tokens: null,
  supports_image_input: null,
  supports_tools: null,
})
const makeKey = (user_id: string, daily_token_limit: number | null) =>
  insertApiKey(db, {
    kid: user_id,
    secret_hash: user_id,
    display: user_id,
    name: user_id,
    role: 'basic',
    scopes: null,
    user_id,
    user_email: null,
    user_group_ids: [],
    created_at: NOW,
    expires_at: null,
    daily_token_limit,
  })

/** The name of the model that answers, or the reason why none does. */
async function answering(request: ModelChoiceRequest, models = openModels()): Promise<string> {
  const picked = await models.choose(request)
  return picked.model === null ? picked.reason : picked.model.name
}

test('without providers there is no model, and the reason is given', async () => {
  assert.equal(await answering(asks()), 'No language model is configured.')
})

test('the model from the environment needs no administration', async () => {
  assert.equal(await answering(asks(), openModels(HOUSE)), 'house')
  assert.equal(script.opened[0]?.urlOwner, 'operator')
})

test('the default is chosen, else the environment model, else the first fallback, else the first model', async () => {
  await provide('one')
  assert.equal(await answering(asks()), 'one-model')
  await provide('two', { fallback_order: 2 })
  await provide('three', { fallback_order: 1 })
  assert.equal(await answering(asks()), 'three-model')
  assert.equal(await answering(asks(), openModels(HOUSE)), 'house')
  const { id } = await provide('four', { models: [modelOf('hidden', false)] })
  await setDefaultModel(db, 'text', { provider_id: id, model_name: 'hidden' })
  assert.equal(await answering(asks(), openModels(HOUSE)), 'hidden')
})

test('the persona’s model precedes the default, and the requested model precedes both', async () => {
  const one = await provide('one', { models: [modelOf('a'), modelOf('b'), modelOf('c', false)] })
  await setDefaultModel(db, 'text', { provider_id: one.id, model_name: 'a' })
  const [, b, c] = one.models
  const persona = { id: 0, default_model_configuration_id: c!.id }
  assert.equal(await answering(asks({ persona })), 'c')
  assert.equal(await answering(asks({ persona: { id: 0, llm_model_version_override: 'b' } })), 'b')
  assert.equal(await answering(asks({ persona, override: { model_configuration_id: b!.id } })), 'b')
  assert.equal(await answering(asks({ persona, override: { model_provider: 'one', model_version: 'b' } })), 'b')
  assert.equal(await answering(asks({ persona, override: { model_version: 'b' } })), 'b')
  assert.equal(await answering(asks({ persona, override: { model_provider: 'vllm' } })), 'a')
  assert.equal(await answering(asks({ persona, override: {} })), 'c')
})

test('a chat names its model in one text, whatever the names hold', async () => {
  await provide('main', { models: [modelOf('usual')] })
  await provide('a__b', { models: [modelOf('small'), modelOf('small__2'), modelOf('__')] })
  await provide('c', { provider: 'openai', models: [modelOf('x__small')] })
  const answers = (chatModel: string) => answering(asks({ chatModel }))
  assert.equal(await answers('a__b__small'), 'small')
  assert.equal(await answers('a__b__small__2'), 'small__2')
  assert.equal(await answers('a__b____'), '__')
  assert.equal(await answers('c__x__small'), 'x__small')
  assert.equal(await answers('c__openai__x__small'), 'x__small')
  assert.equal(await answers('openai__x__small'), 'x__small')
  assert.equal(await answers('c__other_kind__x__small'), 'x__small')
  assert.equal(await answers('x__small'), 'x__small')
  assert.equal(await answers('nobody__small'), 'usual')
  assert.equal(await answering(asks({ chatModel: 'c__x__small', override: { model_version: 'small' } })), 'small')
})

test('chat naming uses its own default model, if one is set', async () => {
  const { id, models } = await provide('one', { models: [modelOf('a'), modelOf('b')] })
  const request = asks({ purpose: 'chat_naming', persona: { id: 0, default_model_configuration_id: models[1]!.id } })
  assert.equal(await answering(request), 'b')
  await setDefaultModel(db, 'chat_naming', { provider_id: id, model_name: 'a' })
  assert.equal(await answering(request), 'a')
})

test('a provider whose secrets cannot be decrypted does not affect the others', async () => {
  const { id } = await provide('damaged')
  await provide('whole')
  await db.updateTable('llm_provider').set({ secrets: 'v1.k0000001.x.y' }).where('id', '=', id).execute()
  assert.equal(await answering(asks()), 'whole-model')
})

test('names of unknown and of hidden models are ignored', async () => {
  await provide('one', { models: [modelOf('a'), modelOf('hidden', false)] })
  for (const override of [{ model_version: 'z' }, { model_configuration_id: 99 }, { model_version: 'hidden' }]) {
    assert.equal(await answering(asks({ override })), 'a')
  }
})

test('a model that the subject may not use is never called, even if it is named', async () => {
  const closed = await provide('closed', { is_public: false, groups: ['board'] })
  await setDefaultModel(db, 'text', { provider_id: closed.id, model_name: 'closed-model' })
  const override = { model_configuration_id: closed.models[0]!.id }
  const persona = { id: 0, default_model_configuration_id: closed.models[0]!.id }
  assert.equal(await answering(asks({ override, persona })), 'You may not use any language model here.')
  await provide('open')
  assert.equal(await answering(asks({ override, persona })), 'open-model')
  assert.equal(await answering(asks({ subject: subjectOf('bob', ['board']) })), 'closed-model')
  assert.equal(await answering(asks({ subject: subjectOf('root', [], 'admin') })), 'closed-model')
})

test('a provider limited to some personas is not used for others', async () => {
  await provide('narrow', { personas: [7] })
  assert.equal(await answering(asks({ persona: { id: 7 } })), 'narrow-model')
  assert.equal(await answering(asks({ persona: { id: 0 } })), 'You may not use any language model here.')
  assert.equal(await answering(asks({ persona: null })), 'You may not use any language model here.')
})

test('a provider with undecryptable secrets or without an address is not used', async () => {
  await provide('lost', { secrets: LOST_SECRETS })
  await provide('nowhere', { api_base: null, provider: 'mine' })
  assert.equal(await answering(asks()), 'You may not use any language model here.')
})

test('fallbacks follow in the order of their numbers, the environment model last', async () => {
  await provide('later', { fallback_order: 9 })
  await provide('sooner', { fallback_order: 1 })
  const { id } = await provide('first')
  await setDefaultModel(db, 'text', { provider_id: id, model_name: 'first-model' })
  const down = (name: string) => [new ModelError('unreachable', `${name} is away`)]
  for (const it of ['first', 'sooner', 'later']) script.answers[`${it}-model`] = down(it)
  const { model } = await openModels(HOUSE).choose(asks())
  assert.equal((await hear(model!)).text, 'I am house.')
  script.answers.house = down('house')
  const { error } = await hear(model!)
  assert.equal((error as Error).message, 'first is away; sooner is away; later is away; house is away')
})

test('a model that asked to wait is skipped by the next question', async () => {
  await provide('one')
  script.answers['one-model'] = [new ModelError('limited', 'one is asked too much', 30_000)]
  const models = openModels()
  await hear((await models.choose(asks())).model!)
  script.answers = {}
  const { error } = await hear((await models.choose(asks())).model!)
  assert.equal((error as Error).message, 'one is asked too much')
  assert.equal(script.opened.length, 1)
})

test('keys, headers and limits reach the model', async () => {
  const custom_headers = [{ key: 'X-Team', value: 'search' }]
  await provide('one', {
    secrets: { api_key: 'k', custom_headers, custom_config: null },
    api_version: '2',
    deployment_name: 'prod',
    idle_timeout_ms: 5_000,
    models: [{ ...modelOf('m'), display_name: 'Model', supports_tools: false, max_input_tokens: 9_000 }],
  })
  await openModels().choose(asks())
  const { urlOwner, ...settings } = script.opened[0]!
  assert.deepEqual(settings, {
    name: 'Model',
    model: 'prod',
    url: 'https://one.example.com/v1',
    key: 'k',
    headers: { 'X-Team': 'search' },
    api_version: '2',
    max_input_tokens: 9_000,
    supports_tools: false,
    supports_images: false,
    first_token_timeout_ms: 60_000,
    idle_timeout_ms: 5_000,
  })
  assert.ok(typeof urlOwner === 'object' && urlOwner.provider_id !== null)
})

test('the stored secrets of a provider are encrypted', async () => {
  await provide('one')
  const { secrets: sealed } = await db.selectFrom('llm_provider').select('secrets').executeTakeFirstOrThrow()
  assert.match(sealed, /^v1\.k0000001\./)
  assert.ok(!sealed.includes('key-of-one'))
})

const used = async () => (await listUsageByModel(db, { from: TODAY, userId: 'ann' })).map((it) => ({ ...it }))

test('usage is recorded by key and model', async () => {
  await provide('one')
  const { model } = await openModels().choose(asks())
  await hear(model!)
  await hear(model!)
  assert.deepEqual(await used(), [{ model: 'one-model', input_tokens: 120, output_tokens: 80, calls: 2 }])
})

test('an interrupted answer counts as usage, a failed request does not', async () => {
  await provide('one')
  const { model } = await openModels().choose(asks())
  const { signal } = new AbortController()
  script.answers['one-model'] = [{ type: 'text', text: 'x'.repeat(40) }]
  for await (const _ of model!.stream({ messages: [{ role: 'user', content: 'y'.repeat(400) }], signal })) break
  const [counted] = await used()
  assert.ok(counted!.input_tokens >= 100 && counted!.output_tokens === 10, JSON.stringify(counted))
  script.answers['one-model'] = [new ModelError('unreachable', 'away')]
  await hear(model!)
  assert.equal((await used())[0]?.calls, 1)
})

test('an exhausted key budget yields no model, and says when it resets', async () => {
  await provide('one')
  await makeKey('ann', 150)
  await makeKey('bob', null)
  const { model } = await openModels().choose(asks())
  await hear(model!)
  await hear(model!)
  const { error } = await hear(model!)
  const sentence = 'The 150 tokens per day of this key are used up. The limit resets on 2026-11-22 at 00:00 UTC.'
  assert.ok(error instanceof ModelError)
  assert.deepEqual([error.fault, error.message], ['limited', sentence])
  assert.equal(await answering(asks()), sentence)
  assert.equal(await answering(asks({ subject: subjectOf('bob') })), 'one-model')
})

test("yesterday's usage does not count", async () => {
  await provide('one')
  await makeKey('ann', 100)
  const tokens = { user_id: 'ann', model: 'one-model', input_tokens: 100, output_tokens: 0 }
  await addTokenUsage(db, tokens, NOW - 86_400_000)
  assert.equal(await answering(asks()), 'one-model')
  await addTokenUsage(db, tokens, NOW)
  assert.match(await answering(asks()), /are used up/)
})

test('a limit of zero blocks every question', async () => {
  await provide('one')
  await makeKey('ann', 0)
  assert.match(await answering(asks()), /^The 0 tokens per day of this key are used up/)
})

test('the global budget counts the usage of everybody', async () => {
  await provide('one')
  await updateSettings(db, { daily_token_limit: 100 })
  await addTokenUsage(db, { user_id: 'bob', model: 'm', input_tokens: 50, output_tokens: 50 }, NOW)
  assert.match(await answering(asks()), /^The 100 tokens per day of this service are used up/)
})

test('concurrent questions do not spend the same remaining budget', async () => {
  await provide('one')
  await makeKey('ann', 300)
  const { model } = await openModels().choose(asks())
  const request = { messages: [{ role: 'user' as const, content: 'y'.repeat(400) }] }
  const heard = await Promise.all(Array.from({ length: 20 }, () => hear(model!, request)))
  const answered = heard.filter((it) => it.error === null).length
  assert.ok(answered >= 1 && answered <= 4, String(answered))
})

test('the default vision model answers for pictures, if the subject may use it', async () => {
  const reader = { ...modelOf('eyes', false), supports_image_input: true }
  const { id } = await provide('open', { models: [modelOf('text'), reader] })
  const vision = () => answering(asks({ purpose: 'vision' }))
  assert.equal(await vision(), 'No language model that reads pictures is chosen.')
  await setDefaultModel(db, 'vision', { provider_id: id, model_name: 'text' })
  assert.equal(await vision(), 'No language model that reads pictures is chosen.')
  await setDefaultModel(db, 'vision', { provider_id: id, model_name: 'eyes' })
  assert.equal(await vision(), 'eyes')
  assert.equal(await answering(asks()), 'text')
  const closed = await provide('closed', { is_public: false, groups: ['board'], models: [reader] })
  await setDefaultModel(db, 'vision', { provider_id: closed.id, model_name: 'eyes' })
  assert.equal(await vision(), 'No language model that reads pictures is chosen.')
  assert.equal(await answering(asks({ purpose: 'vision', subject: subjectOf('bob', ['board']) })), 'eyes')
})

test('work of the service uses the default vision model, and is counted for nobody', async () => {
  const models = openModels()
  assert.deepEqual(await models.chooseForService(), {
    model: null,
    reason: 'No language model that reads pictures is chosen.',
  })
  const reader = { ...modelOf('eyes'), supports_image_input: true }
  const { id } = await provide('closed', { is_public: false, groups: ['board'], personas: [7], models: [reader] })
  await setDefaultModel(db, 'vision', { provider_id: id, model_name: 'eyes' })
  const { model } = await models.chooseForService()
  assert.deepEqual([(await hear(model!)).text, model?.supportsImages], ['I am eyes.', true])
  const counted = await listUsageByModel(db, { from: TODAY, userId: SERVICE_USAGE_ID })
  assert.deepEqual(
    counted.map((it) => ({ ...it })),
    [{ model: 'eyes', ...USAGE, calls: 1 }],
  )
  await updateSettings(db, { daily_token_limit: 50 })
  assert.match((await models.chooseForService()).reason ?? '', /^The 50 tokens per day of this service are used up/)
})
