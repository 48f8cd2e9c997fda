import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyAddress } from './address.ts'

const cases: Record<string, readonly string[]> = {
  public: ['8.8.8.8', '93.184.216.34', '100.63.255.255', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'],
  private: [
    ...[
      '127.0.0.1',
      '127.255.255.255',
      '10.0.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '192.0.0.1',
      '192.0.2.1',
    ],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
    ...[
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      'fc00::1',
      'fdff::1',
      'fec0::1',
      'ff02::1',
      '100::1',
      '2001:db8::1',
    ],
    ...['2001:2::1', '2001:10::1', '3fff::1', '5f00::1', '4000::1', 'e000::1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  ],
  never: [
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '::',
      '169.254.169.254',
      '169.254.0.1',
      'fe80::1',
      'febf::1',
      'fd00:ec2::254',
      'fd00:ec2::23',
    ],
    ...['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd20:ce::254', 'fd00:42::42', '::ffff:169.254.169.254'],
    ...[
      '::7f00:1',
      '::808:808',
      '::ffff:0:7f00:1',
      '2002:7f00:1::',
      '2001::1',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::a83f:8110',
    ],
    ...['', 'localhost', '127.1', '0127.0.0.1', '1.2.3.4.5', '2130706433', 'fe80::1%eth0', '[::1]', ' 8.8.8.8'],
  ],
}
for (const [expected, addresses] of Object.entries(cases))
  for (const address of addresses)
    test(`"${address}" is ${expected}`, () => {
      assert.equal(classifyAddress(address), expected)
    })

test('an IPv4 address has the same class in every notation that a URL accepts', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const bytes = fc.tuple(fc.constantFrom(0, 8, 10, 100, 127, 169, 172, 192, 198, 224), byte, byte, byte)
  fc.assert(
    fc.property(bytes, ([a, b, c, d]) => {
      const plain = `${a}.${b}.${c}.${d}`
      const number = ((a * 256 + b) * 256 + c) * 256 + d
      const notations = [
        number,
        `0x${number.toString(16)}`,
        `0${number.toString(8)}`,
        `${a}.${(b << 16) | (c << 8) | d}`,
        `0${a.toString(8)}.0x${b.toString(16)}.${(c << 8) | d}`,
        `${plain}.`,
        plain.replaceAll('.', '。'),
        plain.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
      ]
      for (const notation of notations) {
        assert.equal(
          classifyAddress(new URL(`http://${notation}/`).hostname.replace(/\.$/, '')),
          classifyAddress(plain),
          `${notation}`,
        )
      }
      const mapped = new URL(`http://[::ffff:${plain}]/`).hostname.slice(1, -1)
      assert.equal(classifyAddress(mapped), classifyAddress(plain), mapped)
    }),
    { numRuns: 500 },
  )
})
