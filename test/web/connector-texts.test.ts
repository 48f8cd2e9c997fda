// Every field of every kind of connector has a label and a help text; `texts.test.ts` sees to the other languages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJsonSchema } from '../../src/api/openapi/json-schema.ts'
import { connectors } from '../../src/connectors/load.ts'
import { type Field, readFields, toObject } from '../../web/src/parts/schema-form/fields.ts'
import en from '../../web/src/text/en.json' with { type: 'json' }

/** Fields that the upload of files fills. */
const FILLED_BY_UPLOAD = ['file.file_locations', 'file.file_names']

const texts: Record<string, Record<string, Record<string, string>>> = en.admin.connector_kinds
const fieldsOf = (source: string): Field[] => {
  const it = connectors.find(({ sources }) => sources[0] === source)
  assert.ok(it !== undefined, source)
  const schemas = [it.config, it.credential].filter((schema) => schema !== null)
  return schemas.flatMap((schema) => readFields(toJsonSchema(schema, 'input')))
}
const names = connectors.map((it) => it.sources[0])

test('every kind, field and choice has words', () => {
  for (const source of names) {
    const known = texts[source] ?? {}
    const fields = fieldsOf(source).filter(({ name }) => !FILLED_BY_UPLOAD.includes(`${source}.${name}`))
    for (const name of ['kind', ...fields.map((it) => it.name)])
      for (const part of ['label', 'help']) assert.ok(known[name]?.[part], `${source}.${name}.${part}`)
    for (const { name, kind } of fields)
      if (kind.type === 'choice') for (const it of kind.choices) assert.ok(known[name]?.[it], `${source}.${name}.${it}`)
      else if (kind.type === 'rows')
        for (const it of kind.columns) assert.ok(known[`${name}_${it}`]?.label, `${source}.${name}_${it}`)
    const columns = fields.flatMap(({ name, kind }) =>
      kind.type === 'rows' ? kind.columns.map((it) => `${name}_${it}`) : [],
    )
    const used = ['kind', ...fields.map((it) => it.name), ...columns]
    assert.deepEqual(
      Object.keys(known).filter((it) => !used.includes(it)),
      [],
      `${source} has no such field`,
    )
  }
  assert.deepEqual(
    Object.keys(texts).filter((it) => !names.includes(it)),
    [],
  )
})

test('the fields of a form have the kinds of the schema', () => {
  const kinds = Object.fromEntries(fieldsOf('web').map((it) => [it.name, [it.kind.type, it.isRequired, it.usual]]))
  assert.deepEqual(kinds, {
    base_url: ['text', true, ''],
    web_connector_type: ['choice', false, 'recursive'],
    include_patterns: ['list', false, ''],
    exclude_patterns: ['list', false, ''],
    max_pages: ['number', false, '10000'],
    max_depth: ['number', false, '32'],
    url_rewrites: ['rows', false, ''],
  })
  const secrets = names.flatMap((source) => fieldsOf(source).filter((it) => it.kind.type === 'secret'))
  assert.deepEqual(secrets.map((it) => it.name).sort(), [
    'aws_secret_access_key',
    'aws_session_token',
    'confluence_access_token',
    'git_access_token',
    'github_access_token',
    'gitlab_access_token',
    'imap_password',
    'jira_api_token',
    'mediawiki_password',
    'pdf_password',
    'redmine_api_key',
  ])
})

test('a form sends what was filled in, and leaves the defaults to the service', () => {
  const values = {
    base_url: ' https://a.example ',
    include_patterns: 'a\n\n b ',
    max_pages: '5',
    max_depth: '',
    url_rewrites: '[{"source":"a","target":""},{"source":"","target":""}]',
  }
  assert.deepEqual(toObject(fieldsOf('web'), values), {
    base_url: 'https://a.example',
    include_patterns: ['a', 'b'],
    max_pages: 5,
    url_rewrites: [{ source: 'a', target: '' }],
  })
  const switches = { wiki_base: 'x', include_attachments: 'false', index_recursively: 'false' }
  assert.deepEqual(toObject(fieldsOf('confluence'), switches), {
    wiki_base: 'x',
    is_cloud: false,
    include_attachments: false,
  })
})
