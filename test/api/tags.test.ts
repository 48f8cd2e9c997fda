// Tags are offered only from documents that the caller may read.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makeKey } = await start()

let ann: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  await push(documentOf('One', { id: 'one', metadata: { team: 'Search', area: ['North', 'South'] } }))
  await push(documentOf('Two', { id: 'two', metadata: { team: 'Search' } }))
  await push(documentOf('Three', { id: 'three', source: 'wiki', metadata: { team: 'Search' } }))
  const external_access = { is_public: false, external_user_emails: ['bob@example.com'] }
  await push(
    documentOf('Closed', { id: 'closed', source: 'vault', metadata: { project: 'CANARY-4711' }, external_access }),
  )
})

const tags = async (query = '', key = ann): Promise<string[]> => {
  const answer = await ok('GET', `/query/valid-tags${query}`, { key })
  return answer.tags.map((it: Record<string, string>) => `${it.source}: ${it.tag_key}=${it.tag_value}`)
}

test('tags of readable documents are listed once per source, the most frequent first', async () => {
  assert.deepEqual((await tags()).sort(), [
    'web: area=North',
    'web: area=South',
    'web: team=Search',
    'wiki: team=Search',
  ])
  assert.equal((await tags())[0], 'web: team=Search')
})

test('tags of unreadable documents are never listed', async () => {
  for (const query of ['', '?match_pattern=CANARY', '?match_pattern=project', '?sources=vault', '?limit=1000']) {
    assert.doesNotMatch((await ask('GET', `/query/valid-tags${query}`, { key: ann })).text, /CANARY|vault/)
  }
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  assert.deepEqual(await tags('?match_pattern=canary', bob), ['vault: project=CANARY-4711'])
})

test('tags match a case-insensitive substring of key, value or both', async () => {
  assert.deepEqual(await tags('?match_pattern=NOR'), ['web: area=North'])
  assert.deepEqual(await tags('?match_pattern=team%3Dse&sources=wiki'), ['wiki: team=Search'])
  assert.deepEqual(await tags('?match_pattern=nothing'), [])
  assert.equal((await tags('?sources=wiki&sources=web')).length, 4)
  assert.equal((await tags('?limit=1')).length, 1)
})

test('sources are listed only if the caller may read one of their documents', async () => {
  const sources = async (key: string) => (await ok('GET', '/search/sources', { key })).sources
  assert.deepEqual(await sources(ann), [
    { source: 'web', document_count: 2 },
    { source: 'wiki', document_count: 1 },
  ])
  const bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  assert.equal(
    (await sources(bob)).some((it: { source: string }) => it.source === 'vault'),
    true,
  )
})
