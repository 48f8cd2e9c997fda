import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BRANCHING_KEYWORDS,
  describeBoundsError,
  describeSizeError,
  MAX_BRANCHES,
  MAX_DEFINITION_NODES,
} from './definition-limits.ts'

const SERVER = 'https://tool.example/api'
const fault = (definition: object, { server = SERVER, paths = ['/now'] } = {}) =>
  describeBoundsError(definition as Record<string, unknown>, server, paths)

for (const server of ['https://{region}.tool.example', 'https://tool.example/{version}']) {
  test(`a server with variables, ${server}, is rejected [S22]`, () => {
    assert.equal(fault({}, { server }), `Server variables are not supported: write '${server}' out`)
  })
}

for (const path of [
  '/../admin',
  '/a/../../admin',
  '/a/..',
  '/./a',
  '/.',
  '/%2e%2e/admin',
  '/.%2E/admin',
  '/a\\..\\admin',
  '/..?x',
  'now',
  '',
  '@evil.example/',
  '.evil.example/',
  ':8080/',
]) {
  test(`the path "${path}" leaves the server [S22]`, () => {
    assert.match(fault({}, { paths: ['/now', path] }) ?? '', /leaves the server/)
  })
}

for (const path of ['/', '/a.b', '/..a', '/a../b', '/{id}/..x', '/.well-known/x', '//evil.example/']) {
  test(`the path "${path}" stays with the server [S22]`, () => {
    assert.equal(fault({}, { paths: [path] }), undefined)
  })
}

for (const $ref of ['https://evil.example/schema.json', 'http://127.0.0.1/#/a', 'other.yaml#/a', '/etc/passwd', '']) {
  test(`the external reference "${$ref}" is rejected anywhere [S22]`, () => {
    const said = `Only references within the definition are supported, not '${$ref}'`
    assert.equal(fault({ paths: { '/now': { get: { parameters: [{ schema: { $ref } }] } } } }), said)
    assert.equal(fault({ $ref }), said)
  })
}

const schemas = (them: object) => ({ components: { schemas: them } })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test('circular references are rejected [S22]', () => {
  for (const circle of [{ A: to('A') }, { A: to('B'), B: to('A') }, { A: to('B'), B: to('C'), C: to('B') }]) {
    assert.match(fault(schemas(circle)) ?? '', /is circular/)
  }
})

test('a recursive schema, a dangling reference, and a property called $ref are accepted', () => {
  assert.equal(fault(schemas({ Tree: { properties: { children: { items: to('Tree') } } } })), undefined)
  assert.equal(fault(schemas({ A: to('Nobody'), B: to('a~1b~0c'), C: { $ref: '#' } })), undefined)
  assert.equal(fault(schemas({ A: { properties: { $ref: { type: 'string' } } } })), undefined)
  assert.equal(fault(schemas({ A: { $ref: '#/__proto__/x' }, B: { $ref: '#/constructor' } })), undefined)
})

test('names with / and ~ are resolved through their escapes', () => {
  for (const escaped of ['a~1b~0c', 'a~1b%7E0c', '%61~1b~0c']) {
    const circle = { 'a/b~c': { $ref: `#/components/schemas/${escaped}` } }
    assert.match(fault(schemas(circle)) ?? '', /is circular/, escaped)
  }
})

test('a long chain of references is followed once', () => {
  const chain = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`S${at}`, to(`S${at + 1}`)]))
  const many = Array.from({ length: 100_000 }, () => to('S0'))
  assert.equal(fault({ ...schemas(chain), many }), undefined)
})

for (const keyword of BRANCHING_KEYWORDS) {
  test(`a list of schemas in ${keyword} is limited anywhere, and the message names the limit`, () => {
    const branches = (count: number) => ({ [keyword]: Array.from({ length: count }, () => ({})) })
    const places = (schema: object) => [
      { paths: { '/now': { get: { parameters: [{ schema }] } } } },
      { components: { schemas: { A: { properties: { b: { items: schema } } } } } },
      { $defs: { A: schema } },
      schema,
    ]
    for (const it of places(branches(MAX_BRANCHES)))
      assert.equal(describeSizeError(it as Record<string, unknown>), undefined)
    for (const it of places(branches(MAX_BRANCHES + 1))) {
      assert.match(
        describeSizeError(it as Record<string, unknown>) ?? '',
        new RegExp(`\`${keyword}\` has 101 .* most 100`),
      )
    }
  })
}

test('the number of objects and lists in a definition is limited', () => {
  const many = (count: number) => ({ many: Array.from({ length: count }, () => ({})) })
  assert.equal(describeSizeError(many(MAX_DEFINITION_NODES - 2)), undefined)
  assert.match(describeSizeError(many(MAX_DEFINITION_NODES - 1)) ?? '', /more than 200000 objects and lists/)
})
