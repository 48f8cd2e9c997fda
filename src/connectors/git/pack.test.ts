import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { SourceError } from '../connector.ts'
import { applyDelta, openPack } from './pack.ts'

const { signal } = new AbortController()

function header(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

const entry = (type: number, data: Buffer, base = Buffer.alloc(0)) =>
  Buffer.concat([header(type, data.length), base, deflateSync(data)])

function packOf(entries: readonly Buffer[], count = entries.length): Buffer {
  const start = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  start.writeUInt32BE(count, 8)
  const content = Buffer.concat([start, ...entries])
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}

const nameOf = (data: Buffer) => createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex')

const one = Buffer.from('hello world, '.repeat(3))
/** Copies 13 of 39 bytes and appends "again". */
const delta = Buffer.from([39, 18, 0x90, 13, 5, ...Buffer.from('again')])
const two = Buffer.from('hello world, again')

test('plain objects, offset deltas and reference deltas are read', async () => {
  const whole = entry(3, one)
  const byPlace = entry(6, delta, Buffer.from([whole.length]))
  const byName = entry(7, delta, Buffer.from(nameOf(one), 'hex'))
  for (const entries of [
    [whole, byPlace],
    [byName, whole],
  ]) {
    const pack = await openPack(packOf(entries), signal)
    assert.deepEqual(pack(nameOf(two)), { type: 'blob', data: two })
    assert.deepEqual(pack(nameOf(one)), { type: 'blob', data: one })
    assert.equal(pack('0'.repeat(40)), undefined)
  }
})

test('an object that is too large is skipped, and the following ones are read', async () => {
  const large = Buffer.alloc((50 << 20) + 1)
  const pack = await openPack(packOf([entry(3, large), entry(3, one)]), signal)
  assert.equal(pack(nameOf(large)), null)
  assert.deepEqual(pack(nameOf(one))?.data, one)
})

const whole = entry(3, one)
for (const [what, pack] of [
  ['a sum that differs', Buffer.concat([packOf([whole]).subarray(0, -1), Buffer.from('x')])],
  ['nothing', Buffer.alloc(0)],
  ['fewer objects than it says', packOf([whole], 2)],
  ['an object of another size', packOf([Buffer.concat([header(3, 5), deflateSync(one)])])],
  ['bytes that are not packed', packOf([Buffer.concat([header(3, 5), Buffer.from('hello')])])],
  ['a difference from nothing', packOf([entry(7, delta, Buffer.alloc(20))])],
  ['a difference from itself', packOf([entry(6, delta, Buffer.from([0]))])],
  ['a size without end', packOf([Buffer.alloc(40, 0xff)])],
] as const)
  test(`a pack with ${what} is refused`, async () => {
    await assert.rejects(openPack(pack, signal), SourceError)
  })

for (const [what, bytes] of [
  ['that is from another object', [38, 18, 0x90, 13]],
  ['that reaches behind its base', [39, 50, 0x91, 30, 20]],
  ['that makes more than it says', [39, 5, 0x90, 13]],
  ['that makes less than it says', [39, 50, 0x90, 13]],
  ['that ends in the middle', [39, 18, 0x90]],
  ['of an unknown kind', [39, 18, 0]],
] as const)
  test(`a delta ${what} is refused`, () => {
    assert.throws(() => applyDelta(one, Buffer.from(bytes)), /damaged/)
  })
