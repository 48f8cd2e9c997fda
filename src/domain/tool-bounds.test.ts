import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundsFault } from './tool-bounds.ts'

const SERVER = 'https://tool.example/api'
const fault = (definition: object, { server = SERVER, paths = ['/now'] } = {}) =>
  boundsFault(definition as Record<string, unknown>, server, paths)

for (const server of ['https://{region}.tool.example', 'https://tool.example/{version}']) {
  test(`S22 a server with variables, ${server}, is refused`, () => {
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
  test(`S22 the path "${path}" leaves the server`, () => {
    assert.match(fault({}, { paths: ['/now', path] }) ?? '', /does not stay with the server/)
  })
}

for (const path of ['/', '/a.b', '/..a', '/a../b', '/{id}/..x', '/.well-known/x', '//evil.example/']) {
  test(`S22 the path "${path}" stays`, () => {
    assert.equal(fault({}, { paths: [path] }), undefined)
  })
}

for (const $ref of ['https://evil.example/schema.json', 'http://127.0.0.1/#/a', 'other.yaml#/a', '/etc/passwd', '']) {
  test(`S22 the external reference "${$ref}" is refused, wherever it stands`, () => {
    const said = `Only references within the definition are followed, not '${$ref}'`
    assert.equal(fault({ paths: { '/now': { get: { parameters: [{ schema: { $ref } }] } } } }), said)
    assert.equal(fault({ $ref }), said)
  })
}

const schemas = (them: object) => ({ components: { schemas: them } })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test('S22 references that only lead to each other are refused', () => {
  for (const circle of [{ A: to('A') }, { A: to('B'), B: to('A') }, { A: to('B'), B: to('C'), C: to('B') }]) {
    assert.match(fault(schemas(circle)) ?? '', /leads to itself/)
  }
})

test('a schema that holds itself, a reference to nothing, and a property called $ref are fine', () => {
  assert.equal(fault(schemas({ Tree: { properties: { children: { items: to('Tree') } } } })), undefined)
  assert.equal(fault(schemas({ A: to('Nobody'), B: to('a~1b~0c'), C: { $ref: '#' } })), undefined)
  assert.equal(fault(schemas({ A: { properties: { $ref: { type: 'string' } } } })), undefined)
  assert.equal(fault(schemas({ A: { $ref: '#/__proto__/x' }, B: { $ref: '#/constructor' } })), undefined)
})

test('names with / and ~ are found by their escapes', () => {
  for (const escaped of ['a~1b~0c', 'a~1b%7E0c', '%61~1b~0c']) {
    const circle = { 'a/b~c': { $ref: `#/components/schemas/${escaped}` } }
    assert.match(fault(schemas(circle)) ?? '', /leads to itself/, escaped)
  }
})

test('a long chain of references is walked once', () => {
  const chain = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`S${at}`, to(`S${at + 1}`)]))
  const many = Array.from({ length: 100_000 }, () => to('S0'))
  assert.equal(fault({ ...schemas(chain), many }), undefined)
})
