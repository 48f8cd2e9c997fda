// Suggestions while a person types.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey, alterRecord } = await start()

const suggest = (query: string, key?: string) =>
  ok('POST', '/search/suggest', { body: { query }, ...(key !== undefined && { key }) })

before(async () => {
  await push(documentOf('How we travel.', { id: 'travel', semantic_identifier: 'Travel policy', source: 'wiki' }))
  await push(documentOf('Trains and travelling.', { id: 'trains', semantic_identifier: 'Train tickets' }))
})

test('suggestions are titles with the word prefix, and completed queries', async () => {
  const { titles, terms } = await suggest('trav')
  assert.deepEqual(titles, [
    {
      document_id: 'travel',
      semantic_identifier: 'Travel policy',
      title: 'Travel policy',
      link: null,
      source_type: 'wiki',
    },
  ])
  assert.deepEqual(terms.toSorted(), ['travel', 'travelling'])
})

test('words before the last one stay as they are', async () => {
  const { terms, titles } = await suggest('Travel pol')
  assert.deepEqual(terms, ['Travel policy'])
  assert.equal(titles[0].document_id, 'travel')
})

test('typed operators narrow suggestions', async () => {
  assert.deepEqual((await suggest('source:wiki tra')).terms.toSorted(), ['source:wiki travel'])
  assert.deepEqual((await suggest('source:tra')).terms, [])
})

for (const query of [
  '',
  ' ',
  '"',
  '-',
  'x',
  '\u0000',
  'trav\u0000',
  'after:',
  '👩\u200d👩\u200d👧',
  'a'.repeat(2_048),
]) {
  test(`${JSON.stringify(query).slice(0, 30)} is answered`, async () => {
    const { titles, terms } = await suggest(query)
    assert.ok(Array.isArray(titles) && Array.isArray(terms))
  })
}

test('a remembered query is suggested to its user only', async () => {
  const [ann, bob] = [await makeKey({ role: 'basic' }), await makeKey({ role: 'basic' })]
  await search('harbour opening hours', { remember: true }, { key: ann })
  await search('harbour master', {}, { key: ann })
  assert.deepEqual((await suggest('Harb', ann)).recent, ['harbour opening hours'])
  assert.deepEqual((await suggest('', ann)).recent, ['harbour opening hours'])
  assert.deepEqual((await suggest('Harb', bob)).recent, [])
  assert.deepEqual((await suggest('Harb')).recent, [])
})

test('recent queries are sorted by last use', async () => {
  const key = await makeKey({ role: 'basic' })
  for (const query of ['one', 'two', 'one']) await search(query, { remember: true }, { key })
  assert.deepEqual((await suggest('', key)).recent, ['one', 'two'])
})

test('a user can delete recent queries', async () => {
  const key = await makeKey({ role: 'basic' })
  await search('forget me', { remember: true }, { key })
  await ok('DELETE', '/search/recent', { key })
  assert.deepEqual((await suggest('', key)).recent, [])
})

test('recent queries expire after the retention, and 0 disables them', async () => {
  const key = await makeKey({ role: 'basic' })
  await search('long ago', { remember: true }, { key })
  await alterRecord(`update recent_query set asked_at = asked_at - 3456000000 where query = 'long ago'`)
  assert.deepEqual((await suggest('long', key)).recent, [])
  await ok('PATCH', '/admin/settings', { body: { recent_query_retention_days: 0 } })
  await search('never written', { remember: true }, { key })
  await ok('PATCH', '/admin/settings', { body: { recent_query_retention_days: null } })
  assert.deepEqual((await suggest('never', key)).recent, [])
})

test('recent queries are exported and deleted with the person', async () => {
  const key = await makeKey({ role: 'basic', user_email: 'seeker@example.com' })
  await search('my secret wish', { remember: true }, { key })
  const { text } = await ask('GET', '/admin/person/seeker@example.com/export')
  assert.match(text, /"kind":"recent_query","query":"my secret wish"/)
  await ok('DELETE', '/admin/person/seeker@example.com')
  assert.doesNotMatch((await ask('GET', '/admin/person/seeker@example.com/export')).text, /my secret wish/)
})
