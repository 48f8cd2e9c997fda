import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, createApiClient } from './api.ts'
import { getReceipt, listIngestedDocuments, searchDocuments } from './operations.ts'

/** Gives every request the same response and records the requests. */
function fakeServer(status: number, text: string, headers: Record<string, string> = {}) {
  const asked: { url: string; init: RequestInit }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, init })
    return new Response(text, { status, headers })
  }
  return { asked, api: createApiClient({ url: 'http://host/api/', key: 'secret', fetch }) }
}

test('an operation sends its body and its key, and omits absent fields', async () => {
  const { asked, api } = fakeServer(200, '{"results":[]}')
  assert.deepEqual(await searchDocuments(api, { body: { query: 'tea' } }), { results: [] })
  assert.equal(asked[0]!.url, 'http://host/api/search')
  assert.deepEqual(asked[0]!.init, {
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    body: '{"query":"tea"}',
  })
})

test('path parameters are percent-encoded, and absent query parameters are omitted', async () => {
  const { asked, api } = fakeServer(200, '[]')
  await getReceipt(api, { document_id: 'a/b ?' })
  await listIngestedDocuments(api, { limit: 5, after: null })
  assert.deepEqual(
    asked.map((it) => it.url),
    ['http://host/api/service-api/ingestion/a%2Fb%20%3F', 'http://host/api/service-api/ingestion?limit=5'],
  )
})

const ERRORS = [
  {
    what: 'an error of the service',
    answer: [503, '{"error_code":"QUEUE_FULL","detail":"Too many."}', { 'retry-after': '5', 'x-request-id': 'r1' }],
    told: { error_code: 'QUEUE_FULL', detail: 'Too many.', retryAfterMs: 5_000, request_id: 'r1' },
  },
  {
    what: 'a validation error',
    answer: [422, '{"detail":[{"loc":["body","query"],"msg":"Field required","type":"missing"}]}', {}],
    told: { error_code: null, detail: 'body.query: Field required', retryAfterMs: null, request_id: null },
  },
  {
    what: 'an HTML page of a proxy',
    answer: [502, '<h1>Bad gateway</h1>', {}],
    told: { error_code: null, detail: 'The answer was HTTP 502.', retryAfterMs: null, request_id: null },
  },
] as const

for (const { what, answer, told } of ERRORS)
  test(`${what} is an ApiError`, async () => {
    const [status, text, headers] = answer
    const { api } = fakeServer(status, text, headers)
    await assert.rejects(searchDocuments(api, { body: { query: 'tea' } }), (error) => {
      assert.ok(error instanceof ApiError)
      const { error_code, detail, retryAfterMs, request_id } = error
      assert.deepEqual({ error_code, detail, retryAfterMs, request_id }, told)
      return error.status === status
    })
  })
