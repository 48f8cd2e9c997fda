// Preferences of a person, and what a person gets and deletes of their own data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, makeKey, push, found } = await start()
const PATH = '/user/preferences'

test('preferences are kept with the person: every key and browser has them', async () => {
  const key = await makeKey({ user_email: 'ann@example.com' })
  const change = { language: 'de', time_zone: 'Europe/Berlin', theme_preference: 'dark', density: 'compact' }
  const saved = await ok('PATCH', PATH, { key, body: change })
  assert.deepEqual({ ...saved, ...change }, saved)
  const other = await makeKey({ user_email: 'ann@example.com' })
  assert.deepEqual((await ok('GET', '/me', { key: other })).preferences, saved)
  const after = await ok('PATCH', PATH, { key, body: { language: null } })
  assert.deepEqual(after, { ...saved, language: null })
  assert.deepEqual(await ok('PATCH', PATH, { key, body: {} }), after)
  const bob = await makeKey({ user_email: 'bob@example.com' })
  assert.equal((await ok('GET', '/me', { key: bob })).preferences.theme_preference, null)
})

test('a preference must be known, and a key that acts for nobody has none', async () => {
  const key = await makeKey({ user_email: 'cal@example.com' })
  const refused = async (body: object) => (await ask('PATCH', PATH, { key, body })).status
  assert.deepEqual(
    [
      await refused({ time_zone: 'Moon/Tranquility' }),
      await refused({ language: '<script>' }),
      await refused({ theme_preference: 'pink' }),
      await refused({ density: 'x'.repeat(100) }),
    ],
    [400, 422, 422, 422],
  )
  const nobody = await makeKey({})
  for (const reply of [
    await ask('PATCH', PATH, { key: nobody, body: { language: 'de' } }),
    await ask('GET', '/user/data', { key: nobody }),
  ])
    assert.deepEqual([reply.status, reply.body.error_code], [409, 'NO_PERSON'])
})

test('the own export has no document that names the person, and no action of an administrator', async () => {
  const email = 'dora@example.com'
  const key = await makeKey({ user_email: email, name: 'Her key' })
  await push(documentOf('named', { id: 'names-dora', primary_owners: [{ display_name: 'Dora', email }] }))
  await ok('PATCH', '/user/personalization', { key, body: { name: 'Dora' } })
  await ok('PATCH', PATH, { key, body: { language: 'de' } })
  const { status, headers, text } = await ask('GET', '/user/data', { key })
  assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
  const lines = text
    .trimEnd()
    .split('\n')
    .map((it) => JSON.parse(it))
  const of = (kind: string) => lines.filter((it) => it.kind === kind)
  assert.deepEqual([of('account')[0].name, of('account')[0].preferences.language], ['Dora', 'de'])
  assert.equal(of('api_key')[0].name, 'Her key')
  assert.deepEqual(of('document'), [])
  assert.deepEqual(new Set(of('audit_entry').map((it) => it.action)), new Set(['person.name', 'person.export']))
  assert.equal(lines.at(-1).lines, lines.length)
  assert.doesNotMatch(text, /_hash|names-dora/)
})

test('a person deletes their own feedback, and nobody else’s', async () => {
  await push(documentOf('lighthouse opening hours', { id: 'lighthouse' }))
  assert.deepEqual(await found('lighthouse'), ['lighthouse'])
  const [eve, fay] = [
    await makeKey({ user_email: 'eve@example.com' }),
    await makeKey({ user_email: 'fay@example.com' }),
  ]
  for (const key of [eve, fay]) {
    const { search_id } = await ok('POST', '/search', { key, body: { query: 'lighthouse' } })
    await ok('POST', '/search/feedback', { key, body: { search_id, document_id: 'lighthouse', kind: 'click' } })
  }
  const countOf = async (key: string) =>
    (await ask('GET', '/user/data', { key })).text.split('"search_feedback"').length - 1
  assert.deepEqual([await countOf(eve), await countOf(fay)], [1, 1])
  await ok('DELETE', '/search/feedback', { key: eve })
  assert.deepEqual([await countOf(eve), await countOf(fay)], [0, 1])
})
