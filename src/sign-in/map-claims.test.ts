import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimMapping } from '../domain/sign-in/provider.ts'
import { SignInError } from '../domain/sign-in/verified-identity.ts'
import { mapClaims } from './map-claims.ts'

const MAPPING: ClaimMapping = {
  email_claim: 'email',
  email_verified_claim: 'email_verified',
  name_claim: 'name',
  groups_claim: 'groups',
  roles_claim: 'realm_access.roles',
}
const map = (claims: Record<string, unknown>, mapping: Partial<ClaimMapping> = {}) =>
  mapClaims({ ...MAPPING, ...mapping }, claims)

test('claims become an address, a name, groups and roles', () => {
  const claims = {
    email: ' Ann@example.com ',
    email_verified: true,
    name: 'Ann',
    groups: ['sales', 'sales', ' ', 'board'],
    realm_access: { roles: ['boss'] },
  }
  const mapped = { email: 'Ann@example.com', email_verified: true, name: 'Ann' }
  assert.deepEqual(map(claims), { ...mapped, groups: ['sales', 'board'], roles: ['boss'] })
})

test('a name with dots is a name first', () => {
  const claims = { 'https://example.com/groups': ['a'], https: 'other' }
  assert.deepEqual(map(claims, { groups_claim: 'https://example.com/groups' }).groups, ['a'])
})

test('a group that is one text, and no group at all', () => {
  assert.deepEqual(map({ groups: 'sales' }).groups, ['sales'])
  assert.deepEqual(map({}).groups, [])
  assert.equal(map({ groups: ['sales'] }, { groups_claim: null }).groups, null)
})

for (const value of [true, 'true', 1, '1'])
  test(`an address is verified if the claim is ${JSON.stringify(value)}`, () => {
    assert.equal(map({ email_verified: value }).email_verified, true)
  })
for (const value of [false, 'false', 0, 'yes', null, undefined, ['true'], {}])
  test(`an address is not verified if the claim is ${JSON.stringify(value)}`, () => {
    assert.equal(map({ email_verified: value }).email_verified, false)
  })

for (const email of [
  42,
  'ann',
  'a b@example.com',
  'ann@@example.com',
  `${'a'.repeat(320)}@example.com`,
  'a\0@b',
  {},
  null,
])
  test(`"${String(email).slice(0, 20)}" is no address`, () => assert.equal(map({ email }).email, null))

test('claims named like members of objects are absent', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'constructor.name', 'groups.length']) {
    assert.deepEqual(map({ groups: ['x'] }, { groups_claim: name }).groups, name === 'groups.length' ? [] : [], name)
  }
})

test('names that no record can hold are left out', () => {
  assert.deepEqual(map({ groups: ['ok', 'a\0b', 'x'.repeat(501), '\ud800', 7, null] }).groups, ['ok'])
})

test('more than 1,000 groups are refused', () => {
  const groups = Array.from({ length: 1_001 }, (_, at) => `group ${at}`)
  assert.throws(
    () => map({ groups }),
    (error) => error instanceof SignInError && error.failure === 'too_many_groups',
  )
})
