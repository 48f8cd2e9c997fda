import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSecretsStayWithServer, type LlmSecrets, mergeSecrets, NO_LLM_SECRETS } from './llm-provider.ts'

const stored: LlmSecrets = {
  api_key: 'sk-0123456789-abcdefghij',
  custom_headers: [{ key: 'X-Team', value: 'search-and-find' }],
  custom_config: { region: 'eu-central-1-a' },
}
const UNSENT = {
  api_key: null,
  api_key_changed: null,
  custom_config: null,
  custom_config_changed: null,
  custom_headers: null,
}

const cases: [what: string, sent: Partial<typeof UNSENT> | object, wanted: Partial<LlmSecrets>][] = [
  ['nothing', {}, {}],
  ['the mask', { api_key: 'sk-0...ghij' }, {}],
  ['the mask, marked as changed', { api_key: 'sk-0...ghij', api_key_changed: true }, {}],
  ['an empty key', { api_key: '' }, {}],
  ['no key, marked as changed', { api_key_changed: true }, { api_key: null }],
  ['an empty key, marked as changed', { api_key: '', api_key_changed: true }, { api_key: null }],
  ['another key', { api_key: 'new' }, { api_key: 'new' }],
  ['masked headers', { custom_headers: [{ key: 'X-Team', value: 'sear...find' }] }, {}],
  ['no headers', { custom_headers: [] }, { custom_headers: [] }],
  ['a masked config', { custom_config: { region: 'eu-c...-1-a' } }, {}],
  ['no config, marked as changed', { custom_config_changed: true }, { custom_config: null }],
]
for (const [what, sent, wanted] of cases)
  test(`${what} is stored as intended`, () => {
    assert.deepEqual(mergeSecrets({ ...UNSENT, ...sent }, stored), { ...stored, ...wanted })
  })

test('the mask of another secret is not accepted as a key', () => {
  assert.throws(() => mergeSecrets({ ...UNSENT, api_key: '•'.repeat(12) }, NO_LLM_SECRETS), /`api_key` is masked/)
})

test('secrets that are entered again are no longer marked as lost', () => {
  assert.deepEqual(mergeSecrets({ ...UNSENT, api_key: 'new' }, { ...NO_LLM_SECRETS, is_lost: true }), {
    ...NO_LLM_SECRETS,
    api_key: 'new',
  })
})

const HOME = 'https://models.example.com/v1'
const moves: [what: string, to: string | null, wanted: LlmSecrets, isRefused: boolean][] = [
  ['the same address', HOME, stored, false],
  ['another path', 'https://models.example.com/v2', stored, false],
  ['another host', 'https://evil.example/v1', stored, true],
  ['another port', 'https://models.example.com:8443/v1', stored, true],
  ['no TLS', 'http://models.example.com/v1', stored, true],
  ['no address', null, stored, true],
  ['another host, with a new key but the old headers', 'https://evil.example', { ...stored, api_key: 'new' }, true],
  ['another host, with only new secrets', 'https://evil.example', { ...NO_LLM_SECRETS, api_key: 'new' }, false],
]
for (const [what, to, wanted, isRefused] of moves)
  test(`${what} ${isRefused ? 'does not get the stored secrets' : 'is accepted'}`, () => {
    const check = () => checkSecretsStayWithServer(stored, wanted, { from: HOME, to })
    if (isRefused) assert.throws(check, /points to another server/)
    else check()
  })
