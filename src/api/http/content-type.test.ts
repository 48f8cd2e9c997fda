import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonType, parseContentType } from './content-type.ts'

const read: [header: string, type: string, isUtf8: boolean][] = [
  ['application/json', 'application/json', true],
  ['APPLICATION/JSON ; charset=UTF-8', 'application/json', true],
  ['application/json;charset="utf8";', 'application/json', true],
  ['application/json\t', 'application/json', true],
  ['application/json; charset=utf-16', 'application/json', false],
]
for (const [header, type, isUtf8] of read) {
  test(`"${header}" is ${type}${isUtf8 ? '' : ', not in UTF-8'}`, () =>
    assert.deepEqual(parseContentType(header), { type, isUtf8 }))
}

const refused: [what: string, header: string][] = [
  ['201 characters', `application/json${' '.repeat(185)}`],
  ['60,000 tabs', `application/json;charset=utf8${'\t'.repeat(60_000)};charset=utf8`],
  ['two parameters', 'application/json;charset=utf8;charset=utf8'],
]
for (const [what, header] of refused) test(`${what} are rejected`, () => assert.equal(parseContentType(header), null))

const kinds: [type: string, is: boolean][] = [
  ['application/json', true],
  ['application/problem+json', true],
  ['application/vnd.api+json', true],
  ['application/+json', false],
  ['application/a b+json', false],
  ['application/jsonx', false],
  ['text/json', false],
]
for (const [type, is] of kinds) test(`${type} is ${is ? '' : 'not '}JSON`, () => assert.equal(isJsonType(type), is))
