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

const personOf = (role: Role, isCurator = false) => ({ role, isCurator })

test('a curator may curate in place of managing all connectors, and so may each key of theirs with that scope', () => {
  const curator = personOf('curator', true)
  assert.deepEqual([...rightsOfPerson(curator)].sort(), [
    ...['chat', 'curate', 'files', 'ingest', 'pats', 'search', 'tools'],
  ])
  for (const role of ['admin', 'global_curator', 'curator'] as const) {
    const rights = (scopes: Scope[] | null) => [...rightsOfPersonKey({ role, scopes }, curator)].sort()
    assert.deepEqual(rights(['connectors', 'ingest']), ['curate', 'files', 'ingest'])
    assert.deepEqual(rights(['ingest']), ['files', 'ingest'])
    assert.ok(!rights(null).includes('connectors') && rights(null).includes('curate'))
  }
  assert.ok(!rightsOfPersonKey({ role: 'basic', scopes: ['connectors'] }, curator).has('curate'))
})

test('a curator of no group may what a basic person with the right to ingest may', () => {
  const rights = [...rightsOfPerson(personOf('curator'))].sort()
  assert.deepEqual(rights, ['chat', 'files', 'ingest', 'pats', 'search', 'tools'])
  assert.deepEqual(permissionsOf(new Set(rights)), permissionsOf(rightsOfPerson(personOf('basic'))))
})

test('no other role curates because it once curated a group', () => {
  for (const role of ['admin', 'basic', 'limited'] as const)
    assert.ok(!rightsOfPerson(personOf(role, true)).has('curate'), role)
})

test('a global curator manages all connectors and curates', () => {
  assert.ok(rightsOfPerson(personOf('global_curator')).isSupersetOf(new Set(['connectors', 'curate'])))
  const key = { role: 'curator', scopes: null } as const
  assert.ok(rightsOfPersonKey(key, personOf('global_curator')).has('connectors'))
  assert.ok(!rightsOfKey('curator', null).has('curate') && !rightsOfKey('global_curator', null).has('curate'))
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
  ['an administrator', rightsOfPerson(personOf('admin')), PERMISSIONS],
  ['a global curator', rightsOfPerson(personOf('global_curator')), CURATOR_PERMISSIONS],
  ['a curator of groups', rightsOfPerson(personOf('curator', true)), CURATOR_PERMISSIONS],
  ['a curator of no group', rightsOfPerson(personOf('curator')), BASIC_PERMISSIONS],
  ['a curator key', rightsOfKey('curator', null), CURATOR_PERMISSIONS.filter((it) => it !== 'read:user_groups')],
  ['a basic person', rightsOfPerson(personOf('basic')), BASIC_PERMISSIONS],
  ['a limited person', rightsOfPerson(personOf('limited')), []],
  ['a key that only ingests and reads metrics', rightsOfKey('admin', ['ingest', 'metrics']), []],
  ['a key that searches', rightsOfKey('limited', ['search']), ['read:search']],
  ['a token that reads chats', rightsOfPat(rightsOfKey('basic', null), ['read:chat']), ['read:chat']],
]
for (const [who, rights, permissions] of permissionCases) {
  test(`${who} has the permissions of the wire that the rights stand for`, () => {
    assert.deepEqual(permissionsOf(rights).sort(), [...permissions].sort())
  })
}
