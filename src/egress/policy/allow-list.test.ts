import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EgressError } from '../egress-error.ts'
import { allowEntryMatches, formatAllowEntry, parseAllowList } from './allow-list.ts'

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
  test(`${entry} allows ${host} at ${address} on port ${port}`, () => {
    assert.equal(
      parseAllowList(entry).some((it) => allowEntryMatches(it, host, address, port)),
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
  test(`${entry} does not allow ${host} at ${address} on port ${port}`, () => {
    assert.equal(
      parseAllowList(entry).some((it) => allowEntryMatches(it, host, address, port)),
      false,
    )
  })

test('entries are separated by commas, and spaces and empty entries are ignored', () => {
  assert.equal(parseAllowList(' wiki.corp ,10.0.0.0/8,, [fd00::]/8:443,').length, 3)
  assert.deepEqual(parseAllowList(''), [])
})

const faults: [entry: string, reason: RegExp][] = [
  ['https://wiki.corp', /unknown format/],
  ['wiki.corp/path', /unknown format/],
  ['wiki corp', /unknown format/],
  ['wiki.corp:', /unknown format/],
  ['wiki.corp:0', /port/],
  ['wiki.corp:65536', /port/],
  ['wiki.corp/8', /only an IP address can have a prefix length/],
  ['*', /not a host name/],
  ['*.', /not a host name/],
  ['*corp', /not a host name/],
  ['a.*.corp', /not a host name/],
  ['*.*.corp', /not a host name/],
  ['*.0.0.1', /write it as|not a host name/],
  ['*.corp/8', /only an IP address can have a prefix length/],
  ['user@wiki.corp', /not a host name/],
  ['wiki..corp', /not a host name/],
  ['10.0.0.0/33', /at most 32/],
  ['fd00::/129', /at most 128/],
  ['10.1.2.3/8', /beyond its prefix length/],
  ['fd00::1/64', /beyond its prefix length/],
  ['10.1', /write it as 10\.0\.0\.1/],
  ['0x7f.1', /write it as 127\.0\.0\.1/],
  ['10.0.0.256', /not a host name/],
  ['::ffff:10.0.0.0/104', /write it as the IPv4 address 10\.0\.0\.0/],
  ['[10.0.0.1]:80', /brackets/],
  ['fd00:::1', /not a host name|unknown format|brackets/],
]
for (const [entry, reason] of faults)
  test(`"${entry}" is an error that quotes the entry`, () => {
    assert.throws(
      () => parseAllowList(`wiki.corp,${entry}`),
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
  test(`the suggested entry for ${host} on port ${port} allows it`, () => {
    const address = host.startsWith('wiki') ? '10.0.0.1' : host
    assert.equal(
      parseAllowList(formatAllowEntry(host, port)).some((it) => allowEntryMatches(it, host, address, port)),
      true,
    )
  })
