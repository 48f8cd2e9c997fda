import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readJpegHeader } from './jpeg.ts'

const pictures = join(import.meta.dirname, '../../../test/extract/pictures')
const turned = readFileSync(join(pictures, 'turned.jpg'))

test('the header has the size as stored, the colours and the orientation', () => {
  assert.deepEqual(readJpegHeader(turned), {
    width: 80,
    height: 120,
    components: 3,
    hasAdobeMark: false,
    orientation: 6,
  })
  const cmyk = readJpegHeader(readFileSync(join(pictures, 'cmyk.jpg')))
  assert.deepEqual([cmyk?.components, cmyk?.hasAdobeMark, cmyk?.orientation], [4, true, 1])
})

test('fill bytes before a marker are skipped', () => {
  const filled = Buffer.concat([turned.subarray(0, 2), Buffer.alloc(5, 0xff), turned.subarray(2)])
  assert.equal(readJpegHeader(filled)?.width, 80)
})

test('a truncated or changed file has a header or none', () => {
  for (let size = 0; size < turned.length; size++) readJpegHeader(turned.subarray(0, size))
  assert.equal(readJpegHeader(turned.subarray(0, 100)), null)
  const change = fc.tuple(fc.nat({ max: turned.length - 1 }), fc.nat({ max: 255 }))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
      const bytes = Buffer.from(turned)
      for (const [at, byte] of changes) bytes[at] = byte
      const header = readJpegHeader(bytes)
      assert.ok(header === null || (header.width > 0 && header.height > 0))
    }),
  )
})
