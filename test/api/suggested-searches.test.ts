// Searches of the company that are suggested to everybody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ok, push, search, makeKey, makePair } = await start()

const suggested = async (key: string): Promise<string[]> => (await ok('GET', '/search/suggested', { key })).queries
const makeKeys = (count: number) => Promise.all(Array.from({ length: count }, () => makeKey({ role: 'basic' })))

test('a search is suggested once five people sent it, to those who find something', async () => {
  const secret = await makePair('Board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('How we travel by train.'))
  await push(documentOf('The merger with Acme.', { id: 'merger' }), { cc_pair_id: secret })
  const people = await makeKeys(5)
  const board = await Promise.all(
    people.map(() => makeKey({ role: 'basic', scopes: ['search'], user_group_ids: ['board'] })),
  )
  for (const key of people) await search('Travel  by TRAIN', {}, { key })
  for (const key of people.slice(1)) await search('train', {}, { key })
  for (const key of people) await search('nothing-has-this-word', {}, { key })
  for (const key of board) await search('merger', {}, { key })
  await waitFor(async () => (await suggested(board[0]!)).length === 2, 'the recorded searches')
  assert.deepEqual((await suggested(board[0]!)).toSorted(), ['merger', 'travel by train'])
  assert.deepEqual(await suggested(people[0]!), ['travel by train'])
})

test('nothing is suggested while query history is disabled', async () => {
  const [key] = await makeKeys(1)
  await ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  assert.deepEqual(await suggested(key!), [])
  await ok('PATCH', '/admin/settings', { body: { query_history_type: null } })
  assert.deepEqual(await suggested(key!), ['travel by train'])
})
