import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseToolMethods } from '../../domain/tools/tool-definition.ts'
import { buildOperation } from './operation.ts'
import { buildRequest } from './request.ts'

type JsonSchemaObject = Record<string, unknown>

const definitionOf = (
  path: string,
  parameters: JsonSchemaObject[],
  more: JsonSchemaObject = {},
  server = 'https://tool.example/api/',
) => ({
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url: server }],
  paths: { [path]: { get: { operationId: 'it', summary: 'It', parameters, ...more } } },
})

function sent(definition: JsonSchemaObject, args: JsonSchemaObject) {
  const [method] = parseToolMethods(definition)
  return buildRequest(buildOperation(definition, method!), args)
}

const string = { type: 'string' }
const inPath = (more: JsonSchemaObject = {}) => ({ name: 'id', in: 'path', required: true, schema: string, ...more })
const inQuery = (more: JsonSchemaObject = {}) => ({ name: 'q', in: 'query', schema: string, ...more })

const VALUES: [value: unknown, path: string][] = [
  ['plain', 'plain'],
  ['../../admin', '..%2F..%2Fadmin'],
  ['1?x=1#', '1%3Fx%3D1%23'],
  ['a&role=admin', 'a%26role%3Dadmin'],
  ['a/b', 'a%2Fb'],
  ['a\\b', 'a%5Cb'],
  ['@evil.example', '%40evil.example'],
  [';x=1', '%3Bx%3D1'],
  ['%2e%2e', '%252e%252e'],
  ['a b', 'a%20b'],
  ["it's (so)!*", 'it%27s%20%28so%29%21%2A'],
  ['日本\ud800', '%E6%97%A5%E6%9C%AC%EF%BF%BD'],
  ['\r\nHost: evil', '%0D%0AHost%3A%20evil'],
  [7, '7'],
  [true, 'true'],
]
for (const [value, path] of VALUES) {
  test(`${JSON.stringify(value)} stays a value of the path [O4]`, () => {
    const { url } = sent(definitionOf('/users/{id}/posts', [inPath()]), { id: value })
    assert.equal(url.href, `https://tool.example/api/users/${path}/posts`)
  })
}

for (const [value, path] of VALUES) {
  test(`${JSON.stringify(value)} stays a value of the query [O4]`, () => {
    const { url } = sent(definitionOf('/users', [inQuery()]), { q: value })
    assert.equal(url.href, `https://tool.example/api/users?q=${path}`)
    assert.deepEqual([...url.searchParams.keys()], ['q'])
  })
}

for (const value of ['.', '..', '']) {
  test(`"${value}" in a path is refused [O4]`, () => {
    assert.throws(() => sent(definitionOf('/users/{id}', [inPath()]), { id: value }), { code: 'INVALID_INPUT' })
    assert.throws(() => sent(definitionOf('/users/{id}/x', [inPath()]), { id: value }), { code: 'INVALID_INPUT' })
  })
}

test('two values that together make ".." are refused [O4]', () => {
  const two = [inPath(), inPath({ name: 'other' })]
  assert.throws(() => sent(definitionOf('/users/{id}{other}', two), { id: '.', other: '.' }), { code: 'INVALID_INPUT' })
})

test('a missing path parameter is named in the error', () => {
  assert.throws(() => sent(definitionOf('/users/{id}', [inPath()]), {}), /"id" is missing/)
})

const PLACED: [what: string, parameter: JsonSchemaObject, value: unknown, address: string][] = [
  ['a list in a query', inQuery(), ['a', 'b&c'], '?q=a&q=b%26c'],
  ['a list in one parameter', inQuery({ explode: false }), ['a', 'b,c'], '?q=a,b%2Cc'],
  ['a list separated by spaces', inQuery({ style: 'spaceDelimited', explode: false }), ['a', 'b'], '?q=a%20b'],
  ['a list separated by bars', inQuery({ style: 'pipeDelimited', explode: false }), ['a', 'b'], '?q=a%7Cb'],
  ['an object in a query', inQuery(), { a: 1, b: 'x y' }, '?a=1&b=x%20y'],
  ['an object in one parameter', inQuery({ explode: false }), { a: 1, b: 2 }, '?q=a,1,b,2'],
  ['a deep object', inQuery({ style: 'deepObject' }), { a: 1, 'b]': 2 }, '?q%5Ba%5D=1&q%5Bb%5D%5D=2'],
  [
    'a value as JSON',
    { name: 'q', in: 'query', content: { 'application/json': {} } },
    { a: [1] },
    '?q=%7B%22a%22%3A%5B1%5D%7D',
  ],
  ['an empty list', inQuery(), [], ''],
  ['null', inQuery(), null, ''],
  ['false', inQuery(), false, '?q=false'],
  ['an unknown style', inQuery({ style: 'constructor' }), 'a', '?q=a'],
]
for (const [what, parameter, value, address] of PLACED) {
  test(`${what} becomes ${address || 'nothing'}`, () => {
    assert.equal(sent(definitionOf('/x', [parameter]), { q: value }).url.href, `https://tool.example/api/x${address}`)
  })
}

const PATHS: [parameter: JsonSchemaObject, value: unknown, path: string][] = [
  [inPath(), ['a', 'b,c'], 'a,b%2Cc'],
  [inPath(), { a: 1, b: 2 }, 'a,1,b,2'],
  [inPath({ explode: true }), { a: 1, b: 2 }, 'a=1,b=2'],
  [inPath({ style: 'label' }), 'a', '.a'],
  [inPath({ style: 'label', explode: true }), ['a', 'b'], '.a.b'],
  [inPath({ style: 'matrix' }), ['a', 'b'], ';id=a,b'],
  [inPath({ style: 'matrix', explode: true }), ['a', 'b'], ';id=a;id=b'],
  [inPath({ style: 'matrix', explode: true }), { a: 1 }, ';a=1'],
]
for (const [parameter, value, path] of PATHS) {
  test(`${JSON.stringify(value)} in a path in style ${parameter.style ?? 'simple'} becomes ${path}`, () => {
    assert.equal(sent(definitionOf('/x/{id}', [parameter]), { id: value }).url.pathname, `/api/x/${path}`)
  })
}

test('headers are sent, except reserved ones and those of the connection', () => {
  const named = (name: string) => ({ name, in: 'header', schema: string })
  const parameters = ['X-Trace', 'Authorization', 'Host', 'Cookie', 'Accept', 'Proxy-Authorization'].map(named)
  const args = Object.fromEntries(parameters.map(({ name }) => [name, 'x']))
  const { headers } = sent(definitionOf('/x', parameters), args)
  assert.deepEqual(headers, { accept: 'application/json, text/*;q=0.9, */*;q=0.5', 'x-trace': 'x' })
  assert.throws(() => sent(definitionOf('/x', parameters), { 'X-Trace': 'a\r\nb: c' }), { code: 'INVALID_INPUT' })
  assert.throws(() => sent(definitionOf('/x', parameters), { 'X-Trace': '日本' }), /"X-Trace"/)
})

test('a body is sent as JSON', () => {
  const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } }
  const { headers, body } = sent(definitionOf('/x', [], { requestBody }), { body: { a: '€' } })
  assert.deepEqual([headers['content-type'], body], ['application/json', '{"a":"€"}'])
  assert.equal(sent(definitionOf('/x', [], { requestBody }), {}).body, undefined)
})

test('a query in the path of a definition stays, and arguments follow it', () => {
  assert.equal(
    sent(definitionOf('/x?fixed=1', [inQuery()]), { q: '#' }).url.href,
    'https://tool.example/api/x?fixed=1&q=%23',
  )
  assert.equal(sent(definitionOf('/x#y', []), {}).url.href, 'https://tool.example/api/x%23y')
})

test('parameters with the same name in two places are distinguished', () => {
  const definition = definitionOf('/x/{id}', [
    inPath(),
    inQuery({ name: 'id' }),
    { name: 'id', in: 'header', schema: string },
  ])
  const { url, headers } = sent(definition, { id: 'a', query_id: 'b', header_id: 'c' })
  assert.deepEqual([url.href, headers.id], ['https://tool.example/api/x/a?id=b', 'c'])
})
