import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { EgressRequest } from '../../egress/egress.ts'
import { createProviderFetch } from './provider-fetch.ts'

test('a request has limits on size and time, and follows no redirect', async () => {
  const requests: EgressRequest[] = []
  const fetch = createProviderFetch(
    {
      fetch: async (url, request) => {
        requests.push(request)
        const text = async () => '{"a":1}'
        const bytes = async () => Buffer.from(await text())
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          url: String(url),
          body: Readable.from([]),
          bytes,
          text,
        }
      },
    },
    7,
  )
  const body = new URLSearchParams({ code: 'c' })
  const response = await fetch('https://idp.example/token', { method: 'POST', headers: { accept: 'x' }, body })
  assert.deepEqual(await response.json(), { a: 1 })
  const [request] = requests
  assert.deepEqual(request?.limits, { bytes: 524_288, timeoutMs: 10_000, redirects: 0 })
  assert.deepEqual(
    [request?.method, request?.headers?.accept, request?.body, request?.isBound, request?.asker.id],
    ['POST', 'x', 'code=c', true, 7],
  )
})
