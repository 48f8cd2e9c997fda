import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Right, rightsOfKey, rightsOfPerson } from '../subject.ts'
import { type Curator, type ManagedObject, mayManage, maySeeCredential } from './may-manage.ts'

const subjectOf = (user_id: string, rights: ReadonlySet<Right>, curated_groups: string[] = []): Curator => ({
  user_id,
  rights,
  curated_groups,
})
const curatorOf = (...groups: string[]) =>
  subjectOf('me', rightsOfPerson({ role: 'curator', isCurator: groups.length > 0 }), groups)
const personOf = (role: 'admin' | 'global_curator' | 'basic' | 'limited') =>
  subjectOf('me', rightsOfPerson({ role, isCurator: false }))

const SUBJECTS = {
  admin: personOf('admin'),
  global: personOf('global_curator'),
  'curator key': subjectOf('me', rightsOfKey('curator', null)),
  A: curatorOf('a'),
  'A and B': curatorOf('a', 'b'),
  C: curatorOf('c'),
  none: curatorOf(),
  basic: personOf('basic'),
  limited: personOf('limited'),
  // A token without the right, whose person curates the group.
  'token of A': subjectOf('me', new Set<Right>(['search', 'chat']), ['a']),
}
type Name = keyof typeof SUBJECTS

const access = (isPrivate: boolean, ...groups: string[]) => ({ isPrivate, groups })
const pair = (...it: Parameters<typeof access>): ManagedObject => ({ kind: 'cc_pair', ...access(...it) })
const set = (...it: Parameters<typeof access>): ManagedObject => ({ kind: 'document_set', ...access(...it) })
const persona = (owner: string | null, ...it: Parameters<typeof access>): ManagedObject => ({
  kind: 'persona',
  owner,
  ...access(...it),
})
const connector = (creator: string | null, ...pairs: ReturnType<typeof access>[]): ManagedObject => ({
  kind: 'connector',
  creator,
  pairs,
})

const ALL: Name[] = ['admin', 'global', 'curator key']
const EVERYBODY = Object.keys(SUBJECTS) as Name[]
const CASES: [what: string, object: ManagedObject, who: Name[]][] = [
  ['a private pair of A', pair(true, 'a'), [...ALL, 'A', 'A and B']],
  ['a private pair of B', pair(true, 'b'), [...ALL, 'A and B']],
  ['a private pair of A and B', pair(true, 'a', 'b'), [...ALL, 'A and B']],
  ['a private pair of no group', pair(true), ALL],
  ['a public or synced pair that names A', pair(false, 'a'), ALL],
  ['a private document set of A', set(true, 'a'), [...ALL, 'A', 'A and B']],
  ['a private document set of A and B', set(true, 'a', 'b'), [...ALL, 'A and B']],
  ['a private document set of no group', set(true), ALL],
  ['a public document set that names A', set(false, 'a'), ALL],
  ['a connector of pairs of A', connector('other', access(true, 'a')), [...ALL, 'A', 'A and B']],
  [
    'a connector of a pair of A and one of B',
    connector('me', access(true, 'a'), access(true, 'b')),
    [...ALL, 'A and B'],
  ],
  ['a connector of a pair of A and a public one', connector('me', access(true, 'a'), access(false)), ALL],
  ['an own connector without a pair', connector('me'), [...ALL, 'A', 'A and B', 'C']],
  ['a connector without a pair of another person', connector('other'), ALL],
  ['a connector without a pair from before creators were recorded', connector(null), ALL],
  ['an own credential', { kind: 'credential', owner: 'me' }, EVERYBODY],
  ['a credential of another person', { kind: 'credential', owner: 'other' }, ['admin']],
  ['a credential without an owner', { kind: 'credential', owner: null }, ['admin']],
  ['an own persona', persona('me', false), EVERYBODY],
  ['a private persona of A of another person', persona('other', true, 'a'), ['admin', 'global', 'A', 'A and B']],
  ['a private persona of A and B of another person', persona('other', true, 'a', 'b'), ['admin', 'global', 'A and B']],
  ['a private persona of no group of another person', persona('other', true), ['admin']],
  ['a public persona that names A of another person', persona('other', false, 'a'), ['admin']],
  ['the members of A', { kind: 'group', name: 'a' }, ['admin', 'global', 'A', 'A and B']],
  ['the members of a group with another case', { kind: 'group', name: 'A' }, ['admin', 'global']],
]

for (const [what, object, who] of CASES) {
  test(`${what} is managed by: ${who.join(', ')}`, () => {
    const managing = EVERYBODY.filter((name) => mayManage(SUBJECTS[name], object))
    assert.deepEqual(managing.sort(), [...who].sort())
  })
}

test('a curator sees own credentials, those without an owner and those that are shared with curators', () => {
  const sees = (name: Name, user_id: string | null, curator_public: 0 | 1) =>
    maySeeCredential(SUBJECTS[name], { user_id, curator_public })
  assert.deepEqual(
    [sees('A', 'me', 0), sees('A', null, 0), sees('A', 'other', 1), sees('A', 'other', 0)],
    [...[true, true, true, false]],
  )
  assert.ok(sees('global', 'other', 0))
})
