import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { accessForPerson } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import type { Right, Subject } from '../../domain/subject.ts'
import type { Queryable } from '../../store/database/database.ts'
import { handleMcpRequest } from './server.ts'
import type { ChatAnswer, McpServerDeps } from './tool-result.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const subject: Subject = {
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id: 'u',
  person_id: null,
  usage_id: 'u',
  email: null,
  groups: [],
  curated_groups: [],
  role: 'basic',
  rights: new Set<Right>(['chat', 'search']),
  scopes: null,
}
const needs: McpServerDeps = {
  // These tests do not read the record.
  db: {} as Queryable,
  retrieve: () => Promise.reject(new Error('the password of the database is hunter2')),
  accessOf: async () => accessForPerson({ email: null, groups: [] }, []),
  logger: quiet,
  version: '1',
}

async function connected<T>(own: Partial<McpServerDeps>, era: 'auto' | 'legacy', work: (client: Client) => Promise<T>) {
  const waits: string[] = []
  const caller = { subject, requestId: 'r', releaseSlot: () => void waits.push('waits') }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  const fetch = (url: string | URL, init: RequestInit = {}) =>
    handleMcpRequest({ ...needs, ...own }, caller, new Request(url, init as RequestInit))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://pharos.test/mcp'), { fetch }))
  try {
    return { value: await work(client), waits: waits.length }
  } finally {
    await client.close()
  }
}

const answer: ChatAnswer = {
  answer: 'Thirty days [1].',
  is_extractive: true,
  citation_info: [{ citation_number: 1, document_id: 'd', link: null, quote: 'thirty days' }],
  top_documents: [{ document_id: 'd', semantic_identifier: 'The handbook' }],
  error_msg: null,
}

for (const era of ['auto', 'legacy'] as const) {
  test(`${era}: ask answers with citations, reports progress, and releases its permit meanwhile`, async () => {
    const steps: string[] = []
    const { value, waits } = await connected({ ask: async () => answer }, era, (client) =>
      client.callTool(
        { name: 'ask', arguments: { question: 'How long is leave?' } },
        { onprogress: ({ message }) => void steps.push(message ?? '') },
      ),
    )
    assert.deepEqual(value.structuredContent, {
      answer: 'Thirty days [1].',
      is_extractive: true,
      citations: [{ number: 1, id: 'd', title: 'The handbook', url: 'pharos://document/d', quote: 'thirty days' }],
    })
    assert.deepEqual([steps, waits], [['Searching and answering'], 1])
  })

  test(`${era}: internal errors are hidden, and errors of the caller are described`, async () => {
    const failing = (error: Error) =>
      connected({ retrieve: () => Promise.reject(error) }, era, (client) =>
        client.callTool({ name: 'search', arguments: { query: 'x' } }),
      )
    const inside = (await failing(new Error('the password is hunter2'))).value
    assert.deepEqual([inside.isError, /hunter2/.test(JSON.stringify(inside))], [true, false])
    const known = (await failing(new AppError('INVALID_INPUT', { reason: 'That is no cursor.' }))).value
    assert.deepEqual(known.content, [{ type: 'text', text: 'That is no cursor.' }])
    const resources = connected({}, era, (client) => client.listResources())
    await assert.rejects(resources, (error: Error) => !/hunter2/.test(error.message))
  })
}

test('a cancelled call ends the answer', async () => {
  const stopped = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const endless: NonNullable<McpServerDeps['ask']> = async (_, __, signal) => {
    asked.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    stopped.resolve()
    throw signal.reason
  }
  const cancel = new AbortController()
  await connected({ ask: endless }, 'auto', async (client) => {
    const call = client.callTool({ name: 'ask', arguments: { question: 'Why?' } }, { signal: cancel.signal })
    await asked.promise
    cancel.abort()
    await assert.rejects(call)
    await stopped.promise
  })
})

test('a missing answer gives its reason', async () => {
  const ask = async () => ({ ...answer, answer: '', error_msg: 'The model does not answer.' })
  const { value } = await connected({ ask }, 'auto', (client) =>
    client.callTool({ name: 'ask', arguments: { question: 'Why?' } }),
  )
  assert.equal((value.structuredContent as { answer: string }).answer, 'The model does not answer.')
})

test('without a chat the tool ask is missing', async () => {
  const { value } = await connected({}, 'auto', (client) => client.listTools())
  assert.deepEqual(
    value.tools.map((it) => it.name),
    ['search', 'fetch'],
  )
})
