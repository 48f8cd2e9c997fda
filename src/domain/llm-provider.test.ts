import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHandedOn, type LlmSecrets, NO_SECRETS, secretsOf } from './llm-provider.ts'

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
  ['the mask, said to be changed', { api_key: 'sk-0...ghij', api_key_changed: true }, {}],
  ['an empty key', { api_key: '' }, {}],
  ['no key, said to be changed', { api_key_changed: true }, { api_key: null }],
  ['an empty key, said to be changed', { api_key: '', api_key_changed: true }, { api_key: null }],
  ['another key', { api_key: 'new' }, { api_key: 'new' }],
  ['masked headers', { custom_headers: [{ key: 'X-Team', value: 'sear...find' }] }, {}],
  ['no headers', { custom_headers: [] }, { custom_headers: [] }],
  ['a masked config', { custom_config: { region: 'eu-c...-1-a' } }, {}],
  ['no config, said to be changed', { custom_config_changed: true }, { custom_config: null }],
]
for (const [what, sent, wanted] of cases)
  test(`${what} is stored as it is meant`, () => {
    assert.deepEqual(secretsOf({ ...UNSENT, ...sent }, stored), { ...stored, ...wanted })
  })

test('the mask of something else is no key', () => {
  assert.throws(() => secretsOf({ ...UNSENT, api_key: '•'.repeat(12) }, NO_SECRETS), /`api_key` is a masked one/)
})

test('secrets that are entered anew are not lost any more', () => {
  assert.deepEqual(secretsOf({ ...UNSENT, api_key: 'new' }, { ...NO_SECRETS, is_lost: true }), {
    ...NO_SECRETS,
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
  ['nowhere', null, stored, true],
  ['another host, with a new key but the old headers', 'https://evil.example', { ...stored, api_key: 'new' }, true],
  ['another host, with nothing of the old', 'https://evil.example', { ...NO_SECRETS, api_key: 'new' }, false],
]
for (const [what, to, wanted, isRefused] of moves)
  test(`${what} ${isRefused ? 'gets no stored secret' : 'is fine'}`, () => {
    const check = () => checkHandedOn(stored, wanted, { from: HOME, to })
    if (isRefused) assert.throws(check, /leads to another server/)
    else check()
  })
