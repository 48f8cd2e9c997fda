import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tiff } from '../../../test/extract/tiff-writer.ts'
import { readDirectories } from './tiff-fields.ts'

const NOTHING = new Uint8Array()

for (const isBigEndian of [false, true])
  test(`fields are read with ${isBigEndian ? 'big' : 'little'} numbers first`, () => {
    const file = tiff(NOTHING, [{ 256: [7], 273: [70_000, 2, 3] }, { 256: [8] }], { isBigEndian })
    const [first, second, ...more] = readDirectories(file, 10)
    assert.deepEqual([first?.numbers(256), first?.numbers(273), first?.numbers(999)], [[7], [70_000, 2, 3], []])
    assert.deepEqual([second?.numbers(256), more], [[8], []])
  })

test('directories in a circle are read once, and no more than requested', () => {
  const circle = tiff(NOTHING, [{ 256: [7] }, { 256: [8] }], { next: 8 })
  assert.equal(readDirectories(circle, 10_000).length, 2)
  assert.equal(readDirectories(circle, 1).length, 1)
})

test('a field that claims more numbers than the file has ends with the file', () => {
  const file = tiff(NOTHING, [{ 273: [1, 2, 3] }])
  file.writeUInt32LE(0xffffffff, 8 + 2 + 4)
  assert.deepEqual(readDirectories(file, 1)[0]?.numbers(273), [1, 2, 3])
})

test('a truncated or random file has fields or none', () => {
  const sound = tiff(NOTHING, [{ 256: [7], 273: [70_000, 2, 3] }, { 256: [8] }])
  const read = (file: Buffer) => {
    for (const fields of readDirectories(file, 100))
      for (const tag of [256, 273])
        assert.ok(fields.numbers(tag).every(Number.isInteger) && fields.bytes(tag) !== undefined)
  }
  for (let size = 0; size < sound.length; size++) read(sound.subarray(0, size))
  const rest = fc.uint8Array({ minLength: 4, maxLength: 200 })
  fc.assert(fc.property(rest, (bytes) => read(Buffer.concat([Buffer.from('II*\0', 'latin1'), bytes]))))
})
