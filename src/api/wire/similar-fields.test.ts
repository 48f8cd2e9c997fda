import assert from 'node:assert/strict'
import test from 'node:test'
import { similarFields } from './similar-fields.ts'

const KEY = ['name', 'role', 'scopes', 'expiration_days', 'user_email', 'user_group_ids', 'daily_token_limit']
const SEARCH = ['query', 'num_hits', 'offset', 'sources', 'tags', 'document_sets', 'time_cutoff', 'authors', 'cursor']
const DOCUMENT = ['id', 'semantic_identifier', 'title', 'sections', 'source', 'metadata', 'doc_updated_at']

for (const [name, fields, resembled] of [
  ['email', KEY, ['user_email']],
  ['userEmail', KEY, ['user_email']],
  ['User-Email', KEY, ['user_email']],
  ['user_emails', KEY, ['user_email']],
  ['groups', KEY, ['user_group_ids']],
  ['scope', KEY, ['scopes']],
  ['expires_in', KEY, ['expiration_days']],
  ['id', KEY, []],
  ['colour', KEY, []],
  ['limit', SEARCH, ['num_hits']],
  ['qeury', SEARCH, ['query']],
  ['quer', SEARCH, ['query']],
  ['documentsets', SEARCH, ['document_sets']],
  ['updated_at', DOCUMENT, ['doc_updated_at']],
  ['created_at', DOCUMENT, []],
  ['page_title', DOCUMENT, ['title']],
  ['parent_id', DOCUMENT, []],
  ['source_url', DOCUMENT, []],
  ['language', DOCUMENT, []],
  ['refresh_frequency', ['refresh_freq', 'prune_freq'], ['refresh_freq']],
  ['scopes[]', KEY, []],
  ['constructor', KEY, []],
  ['__proto__', KEY, []],
  ['', KEY, []],
  ['表題', DOCUMENT, []],
  [`title${'e'.repeat(100_000)}`, DOCUMENT, []],
] as const) {
  test(`"${name.slice(0, 20)}" resembles ${resembled.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(similarFields(name, fields), resembled)
  })
}
