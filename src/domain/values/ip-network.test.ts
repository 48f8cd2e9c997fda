import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIpAddress, parseIpNetwork } from './ip-network.ts'

for (const [text, address] of [
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:a00:1', '10.0.0.1'],
  ['0:0:0:0:0:ffff:10.0.0.1', '10.0.0.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::1', '::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['10.1', undefined],
  ['010.0.0.1', undefined],
  ['10.0.0.1:80', undefined],
  ['[::1]', undefined],
  ['localhost', undefined],
  ['%', undefined],
  ['', undefined],
] as const) {
  test(`the address "${text}" is ${address}`, () => assert.equal(parseIpAddress(text)?.address, address))
}

for (const [text, network] of [
  ['10.0.0.0/8', ['10.0.0.0', 8]],
  ['0.0.0.0/0', ['0.0.0.0', 0]],
  ['10.0.0.1', ['10.0.0.1', 32]],
  ['fd00::/8', ['fd00::', 8]],
  ['::1', ['::1', 128]],
  ['::ffff:10.0.0.1', ['10.0.0.1', 32]],
  ['::ffff:10.0.0.0/8', null],
  ['10.0.0.0/33', null],
  ['::/129', null],
  ['10.0.0.0/', null],
  ['10.0.0.0/-1', null],
  ['10.0.0.0/8/8', null],
  ['10.0.0.0 /8', null],
  ['fe80::1%eth0', null],
  ['proxy.corp', null],
] as const) {
  test(`the network "${text}" is ${network}`, () => {
    const parsed = parseIpNetwork(text)
    assert.deepEqual(parsed === null ? null : [parsed.address, parsed.prefixLength], network)
  })
}
