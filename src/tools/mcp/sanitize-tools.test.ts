import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListedTool, sanitizeTools } from './sanitize-tools.ts'

const tool = (more: Partial<ListedTool>): ListedTool => ({ name: 'look', inputSchema: { type: 'object' }, ...more })
const one = (more: Partial<ListedTool>) => sanitizeTools([tool(more)])[0]

test('visible text is unchanged', () => {
  assert.deepEqual(one({ title: 'Look up', description: 'Finds “things”.\n\nNäh!' }), {
    name: 'look',
    display_name: 'Look up',
    description: 'Finds “things”.\n\nNäh!',
    input_schema: { type: 'object' },
    is_read_only: false,
  })
})

const hidden = [...'ignore'].map((it) => String.fromCodePoint(0xe0000 + it.charCodeAt(0))).join('')
for (const unseen of [hidden, '\u202e', '\u200b', '\u0007', '\ufeff', '\u2066']) {
  test(`invisible characters are removed: U+${unseen.codePointAt(0)!.toString(16)}`, () => {
    const schema = { type: 'object', properties: { [`a${unseen}`]: { description: `b${unseen}` } } }
    const found = one({ description: `a${unseen}b`, title: `c${unseen}`, inputSchema: schema })
    assert.equal(found?.description, 'ab')
    assert.equal(found?.display_name, 'c')
    assert.deepEqual(found?.input_schema, { type: 'object', properties: { a: { description: 'b' } } })
  })
}

for (const name of ['', 'a b', 'a\u200bb', 'x'.repeat(129), 'a\nb']) {
  test(`a tool named ${JSON.stringify(name.slice(0, 10))} is dropped`, () => {
    assert.deepEqual(sanitizeTools([tool({ name })]), [])
  })
}

test('a long description is cut, in the schema too, and an endless schema is dropped', () => {
  const long = 'x'.repeat(10_000)
  assert.equal(one({ description: long })?.description.length, 2_000)
  assert.match(JSON.stringify(one({ inputSchema: { type: 'object', description: long } })), /^.{2000,2200}$/)
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, {}]))
  assert.deepEqual(sanitizeTools([tool({ inputSchema: { type: 'object', properties: many } })]), [])
})

test('repeated names and tools beyond two hundred are dropped', () => {
  assert.equal(
    sanitizeTools([tool({ description: 'first' }), tool({ description: 'second' })])[0]?.description,
    'first',
  )
  assert.equal(sanitizeTools(Array.from({ length: 300 }, (_, at) => tool({ name: `t${at}` }))).length, 200)
})

test('a tool is read-only only if the server declares it', () => {
  assert.equal(one({ annotations: { readOnlyHint: true } })?.is_read_only, true)
  assert.equal(one({ annotations: {} })?.is_read_only, false)
})
