// An MCP client learns nothing about documents that its key may not read. There are a thousand documents of twenty
// people, each with a unique canary.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { settled } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, makeKey, makePair, ok } = await start()
const PEOPLE = 20
const DOCUMENTS = 1_000
const email = (person: number) => `person${person}@example.com`
const keys: string[] = []

/** Every fiftieth document is public. */
const ownerOf = (at: number) => (at % 50 === 49 ? null : at % PEOPLE)
const canary = (at: number) => `canary${String(at).padStart(4, '0')}quokka`
const CANARY = /canary(\d{4})quokka/g

function documentAt(at: number) {
  const owner = ownerOf(at)
  return documentOf(`The quarterly harbour report, number ${at}: ${canary(at)}.`, {
    id: `report-${canary(at)}`,
    semantic_identifier: `Report ${canary(at)}`,
    source: owner === null ? 'web' : `desk${owner}`,
    metadata: { team: canary(at) },
    external_access: {
      is_public: owner === null,
      external_user_emails: owner === null ? [] : [email(owner)],
      external_user_group_ids: [],
    },
  })
}

before(async () => {
  for (let person = 0; person < PEOPLE; person++) {
    keys.push(await makeKey({ role: 'basic', user_email: email(person) }))
  }
  const pair = await makePair('Desks', { access_type: 'public' })
  const set = { name: 'Desks', description: 'All of them', cc_pair_ids: [pair], is_public: true }
  await ok('POST', '/manage/admin/document-set', { body: set })
  const bytes = Array.from({ length: DOCUMENTS }, (_, at) => {
    return JSON.stringify({ document: documentAt(at), cc_pair_id: pair })
  }).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, text } = await ask('POST', '/service-api/ingestion/batch', { bytes, headers })
  assert.equal(status, 200)
  assert.doesNotMatch(text, /"error"/)
  await settled(server, 120_000)
})

async function connected<T>(key: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** Asserts that every canary in a response is from a document that the person may read. */
function assertOwn(person: number, answer: unknown, what: string): number {
  const seen = [...JSON.stringify(answer).matchAll(CANARY)].map(([, at]) => Number(at))
  const foreign = seen.filter((at) => ownerOf(at) !== null && ownerOf(at) !== person)
  assert.deepEqual(foreign, [], `${what} told person ${person} of documents of others`)
  return new Set(seen).size
}

test('each of twenty users finds own and public documents, and no response contains others', async () => {
  for (let person = 0; person < PEOPLE; person++) {
    await connected(keys[person]!, async (client) => {
      const search = (args: Record<string, unknown>) => client.callTool({ name: 'search', arguments: args })
      const found = await search({ query: 'quarterly harbour report', num: 50 })
      assert.equal(assertOwn(person, found, 'search'), 50)
      const { total } = found.structuredContent as { total: number }
      const own = Array.from({ length: DOCUMENTS }, (_, at) => ownerOf(at)).filter((it) => it === null || it === person)
      assert.equal(total, own.length)
      const question = `What does the quarterly harbour report ${canary((person + 1) % PEOPLE)} say?`
      const asked = await client.callTool({ name: 'ask', arguments: { question } })
      const { citations } = asked.structuredContent as { citations: { id: string }[] }
      assert.ok(citations.length > 0)
      assertOwn(person, asked, 'ask')
      for (let at = person; at < DOCUMENTS; at += 97) {
        const isOwn = ownerOf(at) === null || ownerOf(at) === person
        const args = { query: canary(at) }
        const { results } = (await search(args)).structuredContent as { results: { id: string }[] }
        assert.equal(
          results.some((it) => it.id.includes(canary(at))),
          isOwn,
        )
        const fetched = await client.callTool({ name: 'fetch', arguments: { id: `report-${canary(at)}` } })
        assert.equal(fetched.isError !== true, isOwn)
        assertOwn(person, fetched, 'fetch')
        const narrowed = await search({ query: 'report', tags: [{ tag_key: 'team', tag_value: canary(at) }] })
        assertOwn(person, narrowed, 'search by tag')
      }
    })
  }
})

test('resources only count and name what the user may read', async () => {
  for (let person = 0; person < PEOPLE; person++) {
    await connected(keys[person]!, async (client) => {
      const { resources } = await client.listResources()
      const sources = resources.map((it) => it.uri).filter((it) => it.startsWith('pharos://source/'))
      assert.deepEqual(sources.sort(), [`pharos://source/desk${person}`, 'pharos://source/web'])
      for (const { uri } of resources) assertOwn(person, await client.readResource({ uri }), uri)
      const set = resources.find((it) => it.name === 'Desks')
      const { contents } = await client.readResource({ uri: set!.uri })
      const { documents, sources: held } = JSON.parse((contents[0] as { text: string }).text)
      const own = Array.from({ length: DOCUMENTS }, (_, at) => ownerOf(at)).filter((it) => it === null || it === person)
      assert.deepEqual([documents, held.length], [own.length, 2])
      await assert.rejects(
        client.readResource({ uri: `pharos://source/desk${(person + 1) % PEOPLE}` }),
        (error: Error) => {
          assertOwn(person, error.message, 'an error')
          return true
        },
      )
    })
  }
})
