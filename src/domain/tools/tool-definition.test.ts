import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseToolMethods } from './tool-definition.ts'

const now = { operationId: 'now', summary: 'The weather now' }
const whole = {
  openapi: '3.0.0',
  info: { title: 'Weather', description: 'Says the weather' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/now': { get: now } },
}
const withPaths = (paths: unknown) => ({ ...whole, paths })
const withOperation = (more: object) => withPaths({ '/now': { get: { ...now, ...more } } })
const without = (field: keyof typeof whole) => {
  const { [field]: _, ...rest } = whole
  return rest
}

const BROKEN: [what: string, definition: object, reason: string][] = [
  ['nothing', {}, '`info` section is required in OpenAPI schema'],
  ['no info', without('info'), '`info` section is required in OpenAPI schema'],
  ['info as text', { ...whole, info: 'x' }, '`info` section is required in OpenAPI schema'],
  ['no title', { ...whole, info: { description: 'x' } }, '`title` is required in `info` section of OpenAPI schema'],
  [
    'a title that is only inherited',
    { ...whole, info: Object.create({ title: 'x', description: 'x' }) },
    '`title` is required in `info` section of OpenAPI schema',
  ],
  [
    'no description',
    { ...whole, info: { title: 'x' } },
    '`description` is required in `info` section of OpenAPI schema',
  ],
  ['no version', without('openapi'), '`openapi` field which specifies OpenAPI schema version is required'],
  ['Swagger 2', { ...whole, openapi: '2.0' }, "OpenAPI version '2.0' is not supported"],
  ['OpenAPI 30', { ...whole, openapi: '30.1' }, "OpenAPI version '30.1' is not supported"],
  ['a version as number', { ...whole, openapi: 3.1 }, "OpenAPI version '3.1' is not supported"],
  [
    'a version that is an object',
    { ...whole, openapi: { toString: 1 } },
    `OpenAPI version '{"toString":1}' is not supported`,
  ],
  ['no paths', without('paths'), '`paths` section is required in OpenAPI schema'],
  ['paths as list', withPaths([]), '`paths` section is required in OpenAPI schema'],
  ['no servers', without('servers'), 'Expected exactly one URL in OpenAPI schema, but found []'],
  ['servers as object', { ...whole, servers: {} }, 'Expected exactly one URL in OpenAPI schema, but found []'],
  ['a server without url', { ...whole, servers: [{}] }, 'Expected exactly one URL in OpenAPI schema, but found []'],
  [
    'two servers',
    { ...whole, servers: [{ url: 'https://a' }, { url: 'https://b' }] },
    "Expected exactly one URL in OpenAPI schema, but found ['https://a', 'https://b']",
  ],
  ['no operation id', withPaths({ '/now': { get: { summary: 'x' } } }), 'Operation ID is not specified for GET /now'],
  ['an empty operation id', withOperation({ operationId: '' }), 'Operation ID is not specified for GET /now'],
  [
    'parameters of a path',
    withPaths({ '/now': { parameters: [], get: now } }),
    'Operation ID is not specified for PARAMETERS /now',
  ],
  ['no summary', withOperation({ summary: undefined }), 'Summary is not specified for GET /now'],
  [
    'an operation id twice',
    withPaths({ '/now': { get: now, post: now } }),
    "Duplicate operation ID 'now'. Each operation must have a unique operationId.",
  ],
  [
    'two operation ids that become the same name',
    withPaths({
      '/now': { get: { ...now, operationId: 'the weather' }, post: { ...now, operationId: 'the.weather' } },
    }),
    "Operation IDs 'the weather' and 'the.weather' both become 'the_weather'. Rename one of them.",
  ],
  ['no path', withPaths({}), 'No methods found in OpenAPI schema'],
  ['a path without operations', withPaths({ '/now': {} }), 'No methods found in OpenAPI schema'],
  [
    'a path parameter that is not described',
    withPaths({ '/in/{city}': { get: now } }),
    "Missing path parameter: 'city'",
  ],
  [
    'a path parameter without schema',
    withPaths({ '/in/{city}': { get: { ...now, parameters: [{ name: 'city', in: 'path' }] } } }),
    "Missing path parameter: 'city'",
  ],
  [
    'a path parameter that is described as a query',
    withPaths({ '/in/{city}': { get: { ...now, parameters: [{ name: 'city', in: 'query', schema: {} }] } } }),
    "Missing path parameter: 'city'",
  ],
  [
    'a body that is not JSON',
    withOperation({ requestBody: { content: { 'text/plain': {}, 'text/html': {} } } }),
    "Unsupported content type: 'text/plain'. Only 'application/json' is supported.",
  ],
  ['an unknown method', withPaths({ '/now': { trace: now } }), "HTTP method 'trace' is not supported."],
  // Rules are checked in a fixed order, independent of the definition.
  [
    'a path parameter and a method that are both wrong',
    withPaths({ '/{x}': { head: now } }),
    "Missing path parameter: 'x'",
  ],
  [
    'a method that is wrong before an id that is missing',
    withPaths({ '/now': { head: now }, '/then': { get: {} } }),
    'Operation ID is not specified for GET /then',
  ],
]
for (const [what, definition, reason] of BROKEN) {
  test(`a definition with ${what} is rejected`, () => {
    assert.throws(() => parseToolMethods(definition as Record<string, unknown>), {
      code: 'INVALID_DEFINITION',
      message: reason,
    })
  })
}

test('each operation of a definition becomes a method', () => {
  const city = { name: 'city', in: 'path', required: true, schema: { type: 'string' } }
  const read = { operationId: 'read.city', description: 'The weather there', parameters: [city] }
  const write = {
    operationId: 'write',
    summary: 'Sets it',
    parameters: [city],
    requestBody: { content: { 'application/json': {} } },
  }
  assert.deepEqual(parseToolMethods(withPaths({ '/now': { get: now }, '/in/{city}': { get: read, PUT: write } })), [
    { name: 'now', raw_name: 'now', summary: 'The weather now', path: '/now', method: 'get', spec: now },
    {
      name: 'read_city',
      raw_name: 'read.city',
      summary: 'The weather there',
      path: '/in/{city}',
      method: 'get',
      spec: read,
    },
    { name: 'write', raw_name: 'write', summary: 'Sets it', path: '/in/{city}', method: 'PUT', spec: write },
  ])
})

const NAMES: [id: string, name: string][] = [
  ['getWeather', 'getWeather'],
  ['get-weather_2', 'get-weather_2'],
  ['weather.get/v1 now!', 'weather_get_v1_now_'],
  ['天気', '__'],
  ['🌦', '_'],
]
for (const [id, name] of NAMES) {
  test(`a model calls the operation ${id} ${name}`, () => {
    assert.equal(parseToolMethods(withOperation({ operationId: id }))[0]!.name, name)
  })
}

test('the message about a definition is short, however long the definition is', () => {
  const servers = Array.from({ length: 10_000 }, () => ({ url: 'https://weather.example.com' }))
  assert.throws(
    () => parseToolMethods({ ...whole, servers }),
    ({ message }: Error) => message.length === 1_000,
  )
})
