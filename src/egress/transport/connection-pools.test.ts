import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { EgressError } from '../egress-error.ts'
import { openConnectionPools } from './connection-pools.ts'
import { systemNetwork } from './network.ts'

const url = new URL('http://site.example/')
const route = { host: 'site.example', port: 80, addresses: ['93.184.216.34', '93.184.216.35'] }

const server = createServer((_request, response) => response.setHeader('connection', 'close').end('hello'))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
after(() => server.close())
const { port } = server.address() as AddressInfo

test('a pool is shared per host, set of addresses and certificate', async () => {
  const pools = openConnectionPools(async () => assert.fail())
  const pool = await pools.poolFor(url, route, {})
  assert.equal(await pools.poolFor(url, { ...route, addresses: route.addresses.toReversed() }, {}), pool)
  assert.notEqual(await pools.poolFor(url, { ...route, addresses: ['93.184.216.34'] }, {}), pool)
  assert.notEqual(await pools.poolFor(url, route, { ca: 'a certificate' }), pool)
  assert.notEqual(await pools.poolFor(url, route, { connections: 512 }), pool)
  assert.notEqual(await pools.poolFor(new URL('https://site.example/'), route, {}), pool)
  await pools.close()
})

test('a pool is closed with its last connection', async () => {
  const pools = openConnectionPools((_route, _tls, signal) => systemNetwork.open(['127.0.0.2'], port, signal))
  const pool = await pools.poolFor(url, route, {})
  const gone = new Promise((resolve) => pool.once('disconnect', resolve))
  const { body } = await pool.request({ path: '/', method: 'GET' })
  assert.equal(await body.text(), 'hello')
  await gone
  assert.notEqual(await pools.poolFor(url, route, {}), pool)
  await pools.close()
})

test('a pool that could not connect is closed too, and its error is passed on', async () => {
  const pools = openConnectionPools(async () => {
    throw new EgressError('connect', 'site.example', { port: 80 })
  })
  const pool = await pools.poolFor(url, route, {})
  await assert.rejects(pool.request({ path: '/', method: 'GET' }), { reason: 'connect' })
  assert.notEqual(await pools.poolFor(url, route, {}), pool)
  await pools.close()
})
