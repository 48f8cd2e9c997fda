import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { type EgressRequest, openEgress } from '../../egress/egress.ts'
import { explainFailure } from './failure-of.ts'
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

test('a provider that never answers, or never ends its answer, is reported as one that cannot be reached', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/slow') response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  })
  server.listen(0, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = { proxy: '', own: () => [], isApproved: async () => false }
  const egress = openEgress({ ...settings, allow: '127.0.0.1' })
  const fetch = createProviderFetch(egress, 7, { bytes: 1_000, timeoutMs: 50, redirects: 0 })
  for (const path of ['/silent', '/slow']) {
    const fault: unknown = await fetch(`http://127.0.0.1:${port}${path}`, {}).then(
      () => assert.fail('it answered'),
      (error: unknown) => error,
    )
    const explained = explainFailure(fault)
    assert.equal(explained?.error.failure, 'provider_unavailable')
    assert.match(explained?.detail ?? '', /in time|seconds|timeout|too long/i)
  }
  await egress.close()
})
