import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ScimFilter } from '../domain/scim/filter.ts'
import { parseFilter, parsePath } from './filter.ts'

const compare = (
  attribute: string,
  operator: 'eq' | 'co' | 'ge',
  value: string | number | boolean | null,
): ScimFilter => ({
  kind: 'compare',
  attribute,
  operator,
  value,
})
const a: ScimFilter = { kind: 'present', attribute: 'a' }
const b: ScimFilter = { kind: 'present', attribute: 'b' }
const c: ScimFilter = { kind: 'present', attribute: 'c' }

describe('filter', () => {
  const permitted: [text: string, filter: ScimFilter][] = [
    ['userName eq "ann@example.com"', compare('username', 'eq', 'ann@example.com')],
    ['USERNAME Eq "a"', compare('username', 'eq', 'a')],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', compare('username', 'eq', 'a')],
    ['active eq True', compare('active', 'eq', true)],
    ['externalId eq null', compare('externalid', 'eq', null)],
    ['n ge -1.5', compare('n', 'ge', -1.5)],
    [String.raw`displayName co "a \"b\" \\ ' ; ü"`, compare('displayname', 'co', `a "b" \\ ' ; ü`)],
    ['a pr and b pr or c pr', { kind: 'or', filters: [{ kind: 'and', filters: [a, b] }, c] }],
    ['a pr or b pr and c pr', { kind: 'or', filters: [a, { kind: 'and', filters: [b, c] }] }],
    ['a pr and (b pr or c pr)', { kind: 'and', filters: [a, { kind: 'or', filters: [b, c] }] }],
    ['not (a pr)', { kind: 'not', filter: a }],
    ['emails[type eq "work"]', { kind: 'some', attribute: 'emails', filter: compare('type', 'eq', 'work') }],
  ]
  for (const [text, filter] of permitted) test(text, () => assert.deepEqual(parseFilter(text), filter))

  const refused: [what: string, text: string, reason: RegExp][] = [
    ['an empty text', '', /ends too early/],
    ['an unknown operator', 'a xx "b"', /"xx" is no operator/],
    ['a text without quotation marks', 'a eq b', /"b" is no value/],
    ['an open quotation mark', 'a eq "b', /not closed/],
    ['an object', 'a eq {"b":1}', /./],
    ['an open bracket', '(a pr', /"\)" is missing/],
    ['an extra bracket', 'a pr)', /not expected/],
    ['SQL', 'userName eq "a" or 1=1 --', /"1=1" is no attribute/],
    ['a quotation mark of SQL', `userName' eq "a"`, /is no attribute/],
    ['__proto__', '__proto__ eq "a"', /is no attribute/],
    ['11 levels', `${'('.repeat(10)}a pr${')'.repeat(10)}`, /deeper than 10/],
    ['1,001 characters', `a eq "${'b'.repeat(994)}"`, /more than 1000 characters/],
  ]
  for (const [what, text, reason] of refused)
    test(`${what} is refused`, () => {
      assert.throws(() => parseFilter(text), { code: 'SCIM_INVALID_FILTER', message: reason })
    })

  test('10 levels and 1,000 characters are permitted', () => {
    parseFilter(`${'('.repeat(9)}a pr${')'.repeat(9)}`)
    parseFilter(`a eq "${'b'.repeat(993)}"`)
  })
})

describe('path', () => {
  const filter = compare('type', 'eq', 'work')
  const permitted: [text: string, path: object][] = [
    ['active', { attribute: 'active', filter: null, sub: null }],
    ['name.givenName', { attribute: 'name.givenname', filter: null, sub: null }],
    ['emails[type eq "work"]', { attribute: 'emails', filter, sub: null }],
    ['emails[type eq "work"].value', { attribute: 'emails', filter, sub: 'value' }],
  ]
  for (const [text, path] of permitted) test(text, () => assert.deepEqual(parsePath(text), path))
  for (const text of ['', 'a b', 'a[', 'a[b pr', 'a[b pr].', 'a[b pr].c.d', 'a[b pr] c', '__proto__'])
    test(`"${text}" is refused`, () => {
      assert.throws(() => parsePath(text), { code: 'SCIM_INVALID_PATH' })
    })
})
