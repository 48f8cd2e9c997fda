// The samples of the specification match the served description, and the service accepts them.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { start } from './setup.ts'

const { ask, ok } = await start()
const CONNECTOR = '/manage/admin/connector'
const INGESTION = '/service-api/ingestion'

let description: { paths: Record<string, Record<string, Json>> }
type Json = Record<string, never>
let compile: (path: string, method: string) => ValidateFunction
before(async () => {
  description = await ok('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(description, 'openapi')
  compile = (path, method) => {
    const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    const escaped = pointer.map((it) => encodeURIComponent(it.replaceAll('~', '~0').replaceAll('/', '~1')))
    return ajv.compile({ $ref: `openapi#/${escaped.join('/')}` })
  }
})

const tracker = {
  name: 'Ticket tracker',
  source: 'ticket_tracker',
  input_type: 'poll',
  access_type: 'PUBLIC',
  connector_specific_config: {
    tracker_base_url: 'https://tracker.example.com',
    project_key: null,
    comment_email_blacklist: null,
  },
  refresh_freq: 1800,
  prune_freq: 86400,
}
const smallest = {
  semantic_identifier: 'The title',
  sections: [{ text: 'The text', link: 'https://example.com/page' }],
  source: 'web',
  metadata: { tag: 'value', tags: ['one', 'two'] },
}
const owner = {
  display_name: 'Ada Lovelace',
  first_name: 'Ada',
  middle_initial: null,
  last_name: 'Lovelace',
  email: 'ada@example.com',
}
const largest = {
  ...smallest,
  id: 'sample-1',
  title: 'The title for search',
  sections: [{ text: 'The text' }, { image_file_id: 'an-image', link: 'https://example.com/image' }],
  doc_updated_at: '2026-05-04T10:00:00Z',
  chunk_count: 1,
  primary_owners: [owner],
  secondary_owners: [owner],
  from_ingestion_api: true,
}
const definition = {
  openapi: '3.0.0',
  info: { title: 'Weather', description: 'Says the weather', version: '1' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
}
const update = {
  name: 'Weather',
  description: 'Says the weather',
  definition,
  custom_headers: [{ key: 'X-Key', value: 'secret' }],
  passthrough_auth: false,
  oauth_config_id: null,
}
const nothing = Object.fromEntries(Object.keys(update).map((name) => [name, null]))

const SAMPLES: [name: string, method: string, path: string, body: object][] = [
  ['a connector of a ticket tracker', 'post', CONNECTOR, tracker],
  [
    'a connector of a project',
    'post',
    CONNECTOR,
    {
      ...tracker,
      name: 'B',
      connector_specific_config: {
        ...tracker.connector_specific_config,
        project_key: 'AB',
        comment_email_blacklist: ['a@b.example'],
      },
    },
  ],
  ['a private connector', 'post', CONNECTOR, { ...tracker, name: 'C', access_type: 'private' }],
  ['the smallest document', 'post', INGESTION, { document: smallest }],
  ['a document with every field', 'post', INGESTION, { document: largest, cc_pair_id: 1 }],
  ['a document of the pair 0', 'post', INGESTION, { document: smallest, cc_pair_id: 0 }],
  [
    'an association without a body',
    'put',
    `${CONNECTOR}/{connector_id}/credential/{credential_id}`,
    { access_type: 'PUBLIC' },
  ],
  ['an update of a tool', 'put', '/admin/tool/custom/{tool_id}', update],
  ['an update of a tool with nothing but null', 'put', '/admin/tool/custom/{tool_id}', nothing],
  ['an update of a tool with nothing', 'put', '/admin/tool/custom/{tool_id}', {}],
]
for (const [name, method, path, body] of SAMPLES) {
  test(`${name} matches the served description and is accepted`, async () => {
    const fits = compile(path, method)
    assert.ok(fits(body), JSON.stringify(fits.errors))
    const reply = await ask(method.toUpperCase(), await addressOf(path), { body })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers['pharos-warnings'], undefined)
  })
}

/** Creates the objects that the samples refer to. */
async function addressOf(path: string): Promise<string> {
  if (path.includes('{tool_id}')) {
    const made = await ok('POST', '/admin/tool/custom', { body: { name: 'T', definition, passthrough_auth: false } })
    return path.replace('{tool_id}', made.id)
  }
  if (!path.includes('{connector_id}')) return path
  const connector = { ...tracker, name: 'To associate', source: 'ingestion_api', connector_specific_config: {} }
  const { id } = await ok('POST', CONNECTOR, { body: connector })
  return path.replace('{connector_id}', id).replace('{credential_id}', '0')
}

test('invalid samples are rejected', () => {
  assert.equal(compile(CONNECTOR, 'post')({ ...tracker, access_type: 'secret' }), false)
  assert.equal(compile(CONNECTOR, 'post')({ ...tracker, refresh_freq: 'soon' }), false)
  assert.equal(compile(INGESTION, 'post')({}), false)
})

test('an unusable definition is 422 in the format of the specification', async () => {
  const path = await addressOf('/admin/tool/custom/{tool_id}')
  const { status, body } = await ask('PUT', path, { body: { definition: { openapi: '3.0.0' } } })
  assert.equal(status, 422)
  assert.deepEqual(body.detail, [
    { loc: ['body', 'definition'], msg: '`info` section is required in OpenAPI schema', type: 'INVALID_DEFINITION' },
  ])
})
