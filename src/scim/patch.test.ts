import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScimUserContent } from '../domain/scim/user.ts'
import { readGroupChanges } from './group.ts'
import { readPatch } from './patch-operations.ts'
import { patchUser } from './patch-user.ts'
import { readUser } from './user.ts'

const ANN = readUser({
  userName: 'ann@example.com',
  displayName: 'Ann',
  name: { givenName: 'Ann', familyName: 'Lee' },
  emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
})
const message = (...Operations: object[]) => ({ Operations })
const patched = (...operations: object[]): ScimUserContent => patchUser(ANN, readPatch(message(...operations)))
const work = ANN.emails[0]!
const home = { value: 'a@home.example', type: 'home', primary: false }

describe('PATCH of a user', () => {
  const cases: [what: string, operations: object[], changed: Partial<ScimUserContent>][] = [
    ['replace', [{ op: 'replace', path: 'displayName', value: 'A' }], { displayName: 'A' }],
    ['Entra ID: Replace with "False"', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    ['Okta: no path', [{ op: 'replace', value: { active: false } }], { active: false }],
    [
      'a path as a name of the value',
      [{ op: 'add', value: { 'name.givenName': 'B' } }],
      { name: { ...ANN.name, givenName: 'B' } },
    ],
    [
      'a part of the name',
      [{ op: 'add', path: 'name', value: { familyName: 'C' } }],
      { name: { ...ANN.name, familyName: 'C' } },
    ],
    ['remove', [{ op: 'remove', path: 'displayName' }], { displayName: null }],
    [
      'Entra ID: the address of a type',
      [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'b@example.com' }],
      { emails: [{ ...work, value: 'b@example.com' }] },
    ],
    [
      'Entra ID: an address of a new type',
      [{ op: 'Add', path: 'emails[type eq "home"].value', value: home.value }],
      { emails: [work, home] },
    ],
    ['add an address', [{ op: 'add', path: 'emails', value: [home] }], { emails: [work, home] }],
    [
      'a new primary address',
      [{ op: 'add', path: 'emails', value: [{ ...home, primary: true }] }],
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    ['remove an address', [{ op: 'remove', path: 'emails[type eq "work" and primary eq true]' }], { emails: [] }],
    [
      'attributes that are not kept',
      [
        { op: 'add', path: 'title', value: 'x' },
        { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
        { op: 'replace', value: { password: 'x', phoneNumbers: [], roles: [{ value: 'admin' }], id: '1' } },
      ],
      {},
    ],
  ]
  for (const [what, operations, changed] of cases)
    test(what, () => assert.deepEqual(patched(...operations), { ...ANN, ...changed }))

  const refused: [what: string, body: unknown, code: string][] = [
    ['no operations', {}, 'SCIM_INVALID_SYNTAX'],
    ['a list', [], 'SCIM_INVALID_SYNTAX'],
    ['an unknown op', message({ op: 'move', path: 'a' }), 'SCIM_INVALID_SYNTAX'],
    [
      '1,001 operations',
      message(...Array.from({ length: 1_001 }, () => ({ op: 'remove', path: 'title' }))),
      'SCIM_INVALID_SYNTAX',
    ],
    ['an unknown attribute', message({ op: 'add', path: 'shoe', value: 1 }), 'SCIM_INVALID_PATH'],
    ['remove without a path', message({ op: 'remove' }), 'SCIM_NO_TARGET'],
    ['no matching value', message({ op: 'replace', path: 'emails[value eq "x"].type', value: 'x' }), 'SCIM_NO_TARGET'],
    ['a text for active', message({ op: 'replace', path: 'active', value: 'no' }), 'SCIM_INVALID_VALUE'],
    ['no userName', message({ op: 'remove', path: 'userName' }), 'SCIM_INVALID_VALUE'],
    ['no address', message({ op: 'add', path: 'emails', value: [{ value: 'x' }] }), 'SCIM_INVALID_VALUE'],
    ['__proto__ as a path', message({ op: 'add', path: '__proto__.x', value: 1 }), 'SCIM_INVALID_PATH'],
    ['__proto__ as a name', message({ op: 'add', value: JSON.parse('{"__proto__":{"x":1}}') }), 'SCIM_INVALID_PATH'],
    ['constructor', message({ op: 'add', path: 'constructor.prototype', value: 1 }), 'SCIM_INVALID_PATH'],
  ]
  for (const [what, body, code] of refused)
    test(`${what} is refused`, () => {
      assert.throws(() => patchUser(ANN, readPatch(body)), { code })
      assert.equal(Reflect.get({}, 'x'), undefined)
    })
})

describe('PATCH of a group', () => {
  const cases: [what: string, operation: object, change: object][] = [
    [
      'Entra ID: Add',
      { op: 'Add', path: 'members', value: [{ value: '1' }, { value: '2' }] },
      { kind: 'add', members: ['1', '2'] },
    ],
    [
      'Entra ID: Remove with values',
      { op: 'Remove', path: 'members', value: [{ value: '1' }] },
      { kind: 'remove', members: ['1'] },
    ],
    ['a value path', { op: 'remove', path: 'members[value eq "1"]' }, { kind: 'remove', members: ['1'] }],
    [
      'two values',
      { op: 'remove', path: 'members[value eq "1" or value eq "2"]' },
      { kind: 'remove', members: ['1', '2'] },
    ],
    ['all members', { op: 'remove', path: 'members' }, { kind: 'replace', members: [] }],
    [
      'Okta: replace members',
      { op: 'replace', path: 'members', value: [{ value: '1', display: 'a' }] },
      { kind: 'replace', members: ['1'] },
    ],
    ['Okta: name without a path', { op: 'replace', value: { id: '7', displayName: 'X' } }, { kind: 'name', name: 'X' }],
  ]
  for (const [what, operation, change] of cases)
    test(what, () => assert.deepEqual(readGroupChanges(readPatch(message(operation))), [change]))

  const refused: [what: string, operation: object, code: string][] = [
    ['a member without an id', { op: 'add', path: 'members', value: [{}] }, 'SCIM_INVALID_VALUE'],
    ['another filter', { op: 'remove', path: 'members[display eq "a"]' }, 'SCIM_INVALID_FILTER'],
    ['a changed member', { op: 'replace', path: 'members[value eq "1"]', value: {} }, 'SCIM_MUTABILITY'],
    ['no name', { op: 'remove', path: 'displayName' }, 'SCIM_INVALID_VALUE'],
  ]
  for (const [what, operation, code] of refused)
    test(`${what} is refused`, () => {
      assert.throws(() => readGroupChanges(readPatch(message(operation))), { code })
    })
})
