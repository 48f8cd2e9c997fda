// Who answers whom, on what budget, over a real record.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { hear } from '../../test/contract/language-model.ts'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { NO_SECRETS } from '../domain/llm-provider.ts'
import { rightsOf, type Subject } from '../domain/subject.ts'
import { type LanguageModel, ModelError, type ModelEvent } from '../inference/language-model.ts'
import type { ModelSettings } from '../inference/model-settings.ts'
import { insertApiKey } from '../store/api-keys.ts'
import { insertLlmProvider, type LlmProviderFields, LOST_SECRETS, setDefault } from '../store/llm-providers.ts'
import { secretBox } from '../store/secret-box.ts'
import { updateSettings } from '../store/settings.ts'
import { addUsage, usageByModel } from '../store/token-usage.ts'
import { openLanguageModels, type PickRequest } from './choose-model.ts'

const { db } = await temporaryDatabase()
const key = { kid: 'k0000001', key: Buffer.alloc(32, 7), origin: 'file' as const }
const secrets = secretBox({ newest: () => key, find: () => key })
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

/** What models say, by their name at the server. */
const script: { answers: Record<string, (ModelEvent | Error)[]>; opened: ModelSettings[] } = { answers: {}, opened: [] }
const USAGE = { input_tokens: 60, output_tokens: 40 }

function open(settings: ModelSettings): LanguageModel {
  script.opened.push(settings)
  const { name, max_input_tokens, model } = settings
  return {
    name,
    max_input_tokens,
    canCall: true,
    async *stream() {
      for (const it of script.answers[model] ?? [{ type: 'text', text: `I am ${model}.` } as const]) {
        if (it instanceof Error) throw it
        yield it
      }
      yield { type: 'end', reason: 'stop', usage: USAGE, model: name }
    },
  }
}

const HOUSE = { url: 'http://house/v1', key: null, model: 'house', max_input_tokens: 4_096 }
const openModels = (environment: typeof HOUSE | null = null) =>
  openLanguageModels({ db, secrets, environment, open, logger, now: () => NOW })

const subjectOf = (user_id: string, groups: string[] = [], role: Subject['role'] = 'basic'): Subject => ({
  api_key_id: 1,
  user_id,
  email: null,
  groups,
  role,
  rights: rightsOf(role, null),
  scopes: null,
})
const ann = subjectOf('ann')
const asks = (more: Partial<PickRequest> = {}): PickRequest => ({
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
      secrets: { ...NO_SECRETS, api_key: `key-of-${name}` },
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
    user_group_ids: '[]',
    created_at: NOW,
    expires_at: null,
    daily_token_limit,
  })

/** The name of the one that answers, or why none does. */
async function answering(request: PickRequest, models = openModels()): Promise<string> {
  const picked = await models.pick(request)
  return picked.model === null ? picked.reason : picked.model.name
}

test('without any there is none, and it is said so', async () => {
  assert.equal(await answering(asks()), 'No language model is set up.')
})

test('that of the settings is there without administration', async () => {
  assert.equal(await answering(asks(), openModels(HOUSE)), 'house')
  assert.equal(script.opened[0]?.from, 'operator')
})

test('the default answers, else that of the settings, else the first of the chain, else the first', async () => {
  await provide('one')
  assert.equal(await answering(asks()), 'one-model')
  await provide('two', { fallback_order: 2 })
  await provide('three', { fallback_order: 1 })
  assert.equal(await answering(asks()), 'three-model')
  assert.equal(await answering(asks(), openModels(HOUSE)), 'house')
  const { id } = await provide('four', { models: [modelOf('hidden', false)] })
  await setDefault(db, 'text', { provider_id: id, model_name: 'hidden' })
  assert.equal(await answering(asks(), openModels(HOUSE)), 'hidden')
})

test('the persona’s model goes before the default, and what is asked for before both', async () => {
  const one = await provide('one', { models: [modelOf('a'), modelOf('b'), modelOf('c', false)] })
  await setDefault(db, 'text', { provider_id: one.id, model_name: 'a' })
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

test('the name of a chat has a model of its own, if one is set', async () => {
  const { id, models } = await provide('one', { models: [modelOf('a'), modelOf('b')] })
  const request = asks({ purpose: 'chat_naming', persona: { id: 0, default_model_configuration_id: models[1]!.id } })
  assert.equal(await answering(request), 'b')
  await setDefault(db, 'chat_naming', { provider_id: id, model_name: 'a' })
  assert.equal(await answering(request), 'a')
})

test('one whose secrets cannot be opened does not take the others along', async () => {
  const { id } = await provide('damaged')
  await provide('whole')
  await db.updateTable('llm_provider').set({ secrets: 'v1.k0000001.x.y' }).where('id', '=', id).execute()
  assert.equal(await answering(asks()), 'whole-model')
})

test('a name that leads to nothing counts as none, and so does a model that is hidden', async () => {
  await provide('one', { models: [modelOf('a'), modelOf('hidden', false)] })
  for (const override of [{ model_version: 'z' }, { model_configuration_id: 99 }, { model_version: 'hidden' }]) {
    assert.equal(await answering(asks({ override })), 'a')
  }
})

test('what is closed to somebody is not asked, whoever names it', async () => {
  const closed = await provide('closed', { is_public: false, groups: ['board'] })
  await setDefault(db, 'text', { provider_id: closed.id, model_name: 'closed-model' })
  const override = { model_configuration_id: closed.models[0]!.id }
  const persona = { id: 0, default_model_configuration_id: closed.models[0]!.id }
  assert.equal(await answering(asks({ override, persona })), 'No language model is open to you here.')
  await provide('open')
  assert.equal(await answering(asks({ override, persona })), 'open-model')
  assert.equal(await answering(asks({ subject: subjectOf('bob', ['board']) })), 'closed-model')
  assert.equal(await answering(asks({ subject: subjectOf('root', [], 'admin') })), 'closed-model')
})

test('one that is for some personas is not asked for others', async () => {
  await provide('narrow', { personas: [7] })
  assert.equal(await answering(asks({ persona: { id: 7 } })), 'narrow-model')
  assert.equal(await answering(asks({ persona: { id: 0 } })), 'No language model is open to you here.')
  assert.equal(await answering(asks({ persona: null })), 'No language model is open to you here.')
})

test('one whose secrets are lost, or that is nowhere, is asked nothing', async () => {
  await provide('lost', { secrets: LOST_SECRETS })
  await provide('nowhere', { api_base: null, provider: 'mine' })
  assert.equal(await answering(asks()), 'No language model is open to you here.')
})

test('others stand in, in the order of their numbers, and the settings’ at last', async () => {
  await provide('later', { fallback_order: 9 })
  await provide('sooner', { fallback_order: 1 })
  const { id } = await provide('first')
  await setDefault(db, 'text', { provider_id: id, model_name: 'first-model' })
  const down = (name: string) => [new ModelError('unreachable', `${name} is away`)]
  for (const it of ['first', 'sooner', 'later']) script.answers[`${it}-model`] = down(it)
  const { model } = await openModels(HOUSE).pick(asks())
  assert.equal((await hear(model!)).text, 'I am house.')
  script.answers.house = down('house')
  const { error } = await hear(model!)
  assert.equal((error as Error).message, 'first is away; sooner is away; later is away; house is away')
})

test('what a model was told to leave alone is known to the next question', async () => {
  await provide('one')
  script.answers['one-model'] = [new ModelError('limited', 'one is asked too much', 30_000)]
  const models = openModels()
  await hear((await models.pick(asks())).model!)
  script.answers = {}
  const { error } = await hear((await models.pick(asks())).model!)
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
  await openModels().pick(asks())
  const { from, ...settings } = script.opened[0]!
  assert.deepEqual(settings, {
    name: 'Model',
    model: 'prod',
    url: 'https://one.example.com/v1',
    key: 'k',
    headers: { 'X-Team': 'search' },
    api_version: '2',
    max_input_tokens: 9_000,
    supports_tools: false,
    first_token_timeout_ms: 60_000,
    idle_timeout_ms: 5_000,
  })
  assert.ok(typeof from === 'object' && from.provider_id !== null)
})

test('what is in the record of a provider is sealed', async () => {
  await provide('one')
  const { secrets: sealed } = await db.selectFrom('llm_provider').select('secrets').executeTakeFirstOrThrow()
  assert.match(sealed, /^v1\.k0000001\./)
  assert.ok(!sealed.includes('key-of-one'))
})

const used = async () => (await usageByModel(db, { from: TODAY, userId: 'ann' })).map((it) => ({ ...it }))

test('what was used is counted by key and model', async () => {
  await provide('one')
  const { model } = await openModels().pick(asks())
  await hear(model!)
  await hear(model!)
  assert.deepEqual(await used(), [{ model: 'one-model', input_tokens: 120, output_tokens: 80, calls: 2 }])
})

test('an answer that was left in the middle was used all the same, one that never came was not', async () => {
  await provide('one')
  const { model } = await openModels().pick(asks())
  const { signal } = new AbortController()
  script.answers['one-model'] = [{ type: 'text', text: 'x'.repeat(40) }]
  for await (const _ of model!.stream({ messages: [{ role: 'user', content: 'y'.repeat(400) }], signal })) break
  const [counted] = await used()
  assert.ok(counted!.input_tokens >= 100 && counted!.output_tokens === 10, JSON.stringify(counted))
  script.answers['one-model'] = [new ModelError('unreachable', 'away')]
  await hear(model!)
  assert.equal((await used())[0]?.calls, 1)
})

test('a spent budget of the key gives no model, and says when it begins anew', async () => {
  await provide('one')
  await makeKey('ann', 150)
  await makeKey('bob', null)
  const { model } = await openModels().pick(asks())
  await hear(model!)
  await hear(model!)
  const { error } = await hear(model!)
  const sentence =
    'The 150 tokens that this key may use in a day are spent. They begin anew on 2026-11-22 at 00:00 UTC.'
  assert.ok(error instanceof ModelError)
  assert.deepEqual([error.fault, error.message], ['limited', sentence])
  assert.equal(await answering(asks()), sentence)
  assert.equal(await answering(asks({ subject: subjectOf('bob') })), 'one-model')
})

test('yesterday does not count', async () => {
  await provide('one')
  await makeKey('ann', 100)
  const tokens = { user_id: 'ann', model: 'one-model', input_tokens: 100, output_tokens: 0 }
  await addUsage(db, tokens, NOW - 86_400_000)
  assert.equal(await answering(asks()), 'one-model')
  await addUsage(db, tokens, NOW)
  assert.match(await answering(asks()), /are spent/)
})

test('a limit of nothing lets nobody ask', async () => {
  await provide('one')
  await makeKey('ann', 0)
  assert.match(await answering(asks()), /^The 0 tokens that this key may use in a day are spent/)
})

test('the budget of all counts everybody', async () => {
  await provide('one')
  await updateSettings(db, { daily_token_limit: 100 })
  await addUsage(db, { user_id: 'bob', model: 'm', input_tokens: 50, output_tokens: 50 }, NOW)
  assert.match(await answering(asks()), /^The 100 tokens that this service may use in a day are spent/)
})

test('many questions at once do not each find the same rest', async () => {
  await provide('one')
  await makeKey('ann', 300)
  const { model } = await openModels().pick(asks())
  const request = { messages: [{ role: 'user' as const, content: 'y'.repeat(400) }] }
  const heard = await Promise.all(Array.from({ length: 20 }, () => hear(model!, request)))
  const answered = heard.filter((it) => it.error === null).length
  assert.ok(answered >= 1 && answered <= 4, String(answered))
})
