import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type PatScope,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  type Role,
  rightsOfKey,
  rightsOfPat,
  rightsOfPerson,
  rightsOfPersonKey,
  type Scope,
} from './subject.ts'

const cases: [Role, Scope[] | null, string[]][] = [
  ['admin', null, ['admin', 'chat', 'connectors', 'files', 'ingest', 'metrics', 'pats', 'search', 'tools']],
  ['curator', null, ['chat', 'connectors', 'files', 'ingest', 'pats', 'search', 'tools']],
  ['global_curator', null, ['chat', 'connectors', 'files', 'ingest', 'pats', 'search', 'tools']],
  ['basic', null, ['chat', 'files', 'pats', 'search', 'tools']],
  ['limited', null, []],
  ['admin', ['search'], ['search']],
  ['admin', ['ingest'], ['files', 'ingest']],
  ['curator', ['admin'], ['chat', 'connectors', 'files', 'ingest', 'pats', 'search', 'tools']],
  ['basic', ['ingest'], ['files', 'ingest']],
  ['basic', ['connectors'], ['files']],
  ['basic', ['admin'], ['chat', 'files', 'pats', 'search', 'tools']],
  ['limited', ['ingest'], ['files', 'ingest']],
  ['limited', ['search', 'connectors', 'tools'], ['search']],
  ['limited', ['metrics'], ['metrics']],
  ['curator', ['metrics'], []],
  ['admin', ['metrics'], ['metrics']],
]
for (const [role, scopes, rights] of cases) {
  test(`${role} with scopes ${scopes?.join(', ') ?? 'unset'} may ${rights.join(', ') || 'nothing'}`, () => {
    assert.deepEqual([...rightsOfKey(role, scopes)].sort(), rights)
  })
}

const patCases: [Role, Scope[] | null, PatScope[] | null, string[]][] = [
  ['admin', null, null, ['admin', 'chat', 'connectors', 'files', 'ingest', 'metrics', 'search', 'tools']],
  ['basic', null, null, ['chat', 'files', 'search', 'tools']],
  ['limited', null, null, []],
  ['basic', ['search'], null, ['search']],
  ['admin', null, ['read:search'], ['search']],
  ['basic', null, ['read:chat'], ['read:chat']],
  ['basic', null, ['write:chat'], ['chat', 'read:chat']],
  ['basic', null, ['use:llm_gateway'], []],
  ['basic', null, ['read:search', 'read:chat', 'write:chat'], ['chat', 'read:chat', 'search']],
  ['limited', null, ['read:search', 'write:chat'], []],
  ['basic', ['search'], ['read:search', 'read:chat', 'write:chat'], ['search']],
]
for (const [role, scopes, patScopes, rights] of patCases) {
  const owner = `${role} with scopes ${scopes?.join(', ') ?? 'unset'}`
  test(`a token of ${owner}, narrowed to ${patScopes?.join(', ') ?? 'nothing'}, may ${rights.join(', ') || 'nothing'}`, () => {
    assert.deepEqual([...rightsOfPat(rightsOfKey(role, scopes), patScopes)].sort(), rights)
  })
}

test('a curator lacks the right to manage all connectors, and so does each key of theirs', () => {
  const curator = { role: 'curator' } as const
  assert.deepEqual([...rightsOfPerson(curator)].sort(), ['chat', 'files', 'ingest', 'pats', 'search', 'tools'])
  for (const role of ['admin', 'global_curator', 'curator'] as const) {
    assert.deepEqual([...rightsOfPersonKey({ role, scopes: ['connectors', 'ingest'] }, curator)].sort(), [
      'files',
      'ingest',
    ])
  }
})

test('a global curator manages all connectors', () => {
  assert.ok(rightsOfPerson({ role: 'global_curator' }).has('connectors'))
  assert.ok(rightsOfPersonKey({ role: 'curator', scopes: null }, { role: 'global_curator' }).has('connectors'))
})

const BASIC_PERMISSIONS: Permission[] = [
  'basic',
  'add:agents',
  'read:agents',
  'read:search',
  'read:chat',
  'write:chat',
  'generate:image',
  'use:llm_gateway',
  'create:user_api_keys',
  'manage:actions',
]
const CURATOR_PERMISSIONS: Permission[] = [
  ...BASIC_PERMISSIONS,
  'manage:connectors',
  'read:connectors',
  'read:user_groups',
  'manage:document_sets',
  'read:document_sets',
]
const permissionCases: [who: string, rights: ReturnType<typeof rightsOfKey>, permissions: readonly Permission[]][] = [
  ['an administrator', rightsOfPerson({ role: 'admin' }), PERMISSIONS],
  ['a global curator', rightsOfPerson({ role: 'global_curator' }), CURATOR_PERMISSIONS],
  ['a curator of groups', rightsOfPerson({ role: 'curator' }), BASIC_PERMISSIONS],
  ['a curator key', rightsOfKey('curator', null), CURATOR_PERMISSIONS],
  ['a basic person', rightsOfPerson({ role: 'basic' }), BASIC_PERMISSIONS],
  ['a limited person', rightsOfPerson({ role: 'limited' }), []],
  ['a key that only ingests and reads metrics', rightsOfKey('admin', ['ingest', 'metrics']), []],
  ['a key that searches', rightsOfKey('limited', ['search']), ['read:search']],
  ['a token that reads chats', rightsOfPat(rightsOfKey('basic', null), ['read:chat']), ['read:chat']],
]
for (const [who, rights, permissions] of permissionCases) {
  test(`${who} has the permissions of the wire that the rights stand for`, () => {
    assert.deepEqual(permissionsOf(rights).sort(), [...permissions].sort())
  })
}
