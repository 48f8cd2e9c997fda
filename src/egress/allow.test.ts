import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryFor, isCovered, parseAllow } from './allow.ts'
import { EgressError } from './egress-error.ts'

const covered: [entry: string, host: string, address: string, port: number][] = [
  ['wiki.corp', 'wiki.corp', '10.0.0.1', 443],
  ['wiki.corp', 'wiki.corp', '10.0.0.1', 9200],
  ['Wiki.Corp.', 'wiki.corp', '10.0.0.1', 80],
  ['wiki.corp', 'wiki.corp.', '10.0.0.1', 80],
  ['wiki.corp:8443', 'wiki.corp', 'fd00::1', 8443],
  ['büro.corp', 'xn--bro-hoa.corp', '10.0.0.1', 80],
  ['*.corp', 'wiki.corp', '10.0.0.1', 80],
  ['*.Wiki.corp:443', 'a.b.wiki.corp.', '10.0.0.1', 443],
  ['10.0.0.0/8', 'wiki.corp', '10.255.0.1', 22],
  ['10.0.0.0/8', '10.1.1.1', '10.1.1.1', 80],
  ['10.0.0.0/8', 'wiki.corp', '::ffff:10.1.1.1', 80],
  ['10.0.0.0/8:443', 'wiki.corp', '10.1.1.1', 443],
  ['10.1.1.1:443', 'wiki.corp', '10.1.1.1', 443],
  ['fd00::/8', 'wiki.corp', 'fdff::1', 80],
  ['[fd00::]/8:443', 'wiki.corp', 'fd00::1', 443],
  ['[fd00::1]:443', 'wiki.corp', 'fd00:0::1', 443],
  ['::1', 'localhost', '::1', 11434],
  ['0.0.0.0/0', 'wiki.corp', '192.168.0.1', 80],
]
for (const [entry, host, address, port] of covered)
  test(`${entry} opens ${host} at ${address} on port ${port}`, () => {
    assert.equal(
      parseAllow(entry).some((it) => isCovered(it, host, address, port)),
      true,
    )
  })

const uncovered: typeof covered = [
  ['wiki.corp', 'sub.wiki.corp', '10.0.0.1', 80],
  ['*.wiki.corp', 'wiki.corp', '10.0.0.1', 80],
  ['*.wiki.corp', 'evilwiki.corp', '10.0.0.1', 80],
  ['*.wiki.corp', 'a.wiki.corp.evil.example', '10.0.0.1', 80],
  ['*.wiki.corp:443', 'a.wiki.corp', '10.0.0.1', 80],
  ['wiki.corp', 'wiki.corp.evil.example', '10.0.0.1', 80],
  ['wiki.corp:8443', 'wiki.corp', '10.0.0.1', 443],
  ['10.0.0.0/8', 'wiki.corp', '11.0.0.1', 80],
  ['10.0.0.0/8', 'wiki.corp', 'fd00::1', 80],
  ['10.0.0.0/8:443', 'wiki.corp', '10.1.1.1', 80],
  ['10.1.1.1', '10.1.1.1', '10.1.1.2', 80],
  ['fd00::/8', 'wiki.corp', 'fc00::1', 80],
  ['0.0.0.0/0', 'wiki.corp', 'fd00::1', 80],
]
for (const [entry, host, address, port] of uncovered)
  test(`${entry} does not open ${host} at ${address} on port ${port}`, () => {
    assert.equal(
      parseAllow(entry).some((it) => isCovered(it, host, address, port)),
      false,
    )
  })

test('entries are parted by commas, with spaces and gaps', () => {
  assert.equal(parseAllow(' wiki.corp ,10.0.0.0/8,, [fd00::]/8:443,').length, 3)
  assert.deepEqual(parseAllow(''), [])
})

const faults: [entry: string, reason: RegExp][] = [
  ['https://wiki.corp', /none of these forms/],
  ['wiki.corp/path', /none of these forms/],
  ['wiki corp', /none of these forms/],
  ['wiki.corp:', /none of these forms/],
  ['wiki.corp:0', /port/],
  ['wiki.corp:65536', /port/],
  ['wiki.corp/8', /only an address has a length/],
  ['*', /no host name/],
  ['*.', /no host name/],
  ['*corp', /no host name/],
  ['a.*.corp', /no host name/],
  ['*.*.corp', /no host name/],
  ['*.0.0.1', /write it as|no host name/],
  ['*.corp/8', /only an address has a length/],
  ['user@wiki.corp', /no host name/],
  ['wiki..corp', /no host name/],
  ['10.0.0.0/33', /at most 32/],
  ['fd00::/129', /at most 128/],
  ['10.1.2.3/8', /beyond its length/],
  ['fd00::1/64', /beyond its length/],
  ['10.1', /write it as 10\.0\.0\.1/],
  ['0x7f.1', /write it as 127\.0\.0\.1/],
  ['10.0.0.256', /no host name/],
  ['::ffff:10.0.0.0/104', /write it as the IPv4 address 10\.0\.0\.0/],
  ['[10.0.0.1]:80', /brackets/],
  ['fd00:::1', /no host name|none of these forms|brackets/],
]
for (const [entry, reason] of faults)
  test(`"${entry}" is refused by name`, () => {
    assert.throws(
      () => parseAllow(`wiki.corp,${entry}`),
      (error) =>
        error instanceof EgressError &&
        error.code === 'EGRESS_SETTING' &&
        error.message.startsWith('EGRESS_ALLOW must be') &&
        error.message.includes(`"${entry}"`) &&
        reason.test(error.message),
    )
  })

for (const [host, port] of [
  ['wiki.corp', 80],
  ['wiki.corp.', 8443],
  ['10.0.0.1', 22],
  ['fd00::1', 443],
  ['fd00::1', 99],
] as const)
  test(`the entry that an error names for ${host} on port ${port} opens it`, () => {
    const address = host.startsWith('wiki') ? '10.0.0.1' : host
    assert.equal(
      parseAllow(entryFor(host, port)).some((it) => isCovered(it, host, address, port)),
      true,
    )
  })
