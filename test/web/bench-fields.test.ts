import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentsOf, benchFieldsOf, valuesOfArguments } from '../../web/src/pages/tools/bench-fields.ts'

const schema = {
  type: 'object',
  required: ['id', 'body'],
  properties: {
    id: { type: 'integer' },
    since: { type: 'string', format: 'date-time' },
    level: { type: 'integer', enum: [1, 2] },
    isOpen: { type: 'boolean' },
    body: {
      type: 'object',
      required: ['title'],
      properties: {
        title: { type: 'string' },
        labels: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer' } } } },
      },
    },
  },
}
const fields = benchFieldsOf(schema)

test('the properties of a body are fields of their own', () => {
  assert.deepEqual(
    fields.map(({ field }) => [field.name, field.kind.type, field.isRequired]),
    [
      ['id', 'number', true],
      ['since', 'text', false],
      ['level', 'json', false],
      ['isOpen', 'boolean', false],
      ['body.title', 'text', true],
      ['body.labels', 'list', false],
      ['body.rows', 'json', false],
    ],
  )
})

test('arguments of a failed call fill the form, and the form sends the same arguments', () => {
  const given = {
    id: 7,
    since: '2026-01-01T00:00:00Z',
    level: 2,
    isOpen: false,
    body: { title: 'a', labels: ['b', 'c'], rows: [{ count: 3 }] },
  }
  assert.deepEqual(argumentsOf(fields, valuesOfArguments(fields, given)), given)
})

test('empty fields and untouched switches are left out', () => {
  assert.deepEqual(argumentsOf(fields, { id: '7', 'body.title': '' }), { id: 7 })
})

test('names of the prototype are arguments like others', () => {
  const properties = JSON.parse(
    '{"constructor":{"type":"string"},"toString":{"type":"boolean"},"__proto__":{"type":"string"}}',
  )
  const strange = benchFieldsOf({ properties })
  assert.equal(strange.length, 3)
  assert.deepEqual(argumentsOf(strange, {}), {})
  const given = JSON.parse('{"constructor":"a","toString":true,"__proto__":"b"}')
  assert.equal(JSON.stringify(argumentsOf(strange, valuesOfArguments(strange, given))), JSON.stringify(given))
})
