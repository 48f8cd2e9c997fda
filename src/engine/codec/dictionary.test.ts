import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  cursorFrom,
  type Dictionary,
  DictionaryCursor,
  DictionaryWriter,
  findOrdinal,
  findOrdinals,
} from './dictionary.ts'
import { decodeText, encodeText, sortByBytes } from './text-encoding.ts'

const unit = fc.constantFrom('grapheme' as const, 'binary' as const)
const term = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }),
  unit.chain((it) => fc.string({ unit: it, maxLength: 8 })),
  fc.constant('x'.repeat(300)),
)
const terms = fc.uniqueArray(term, { maxLength: 80 })

function dictionaryOf(names: readonly string[]): { dictionary: Dictionary; sorted: Buffer[] } {
  const writer = new DictionaryWriter()
  const sorted = names.map(encodeText).sort(Buffer.compare)
  for (const bytes of sorted) writer.add(bytes)
  return { dictionary: { bytes: writer.bytes.view(), blocks: writer.blocks.view(), size: writer.size }, sorted }
}

test('adding a string as text is the same as adding its bytes', () => {
  fc.assert(
    fc.property(terms, (names) => {
      const writer = new DictionaryWriter()
      for (const name of sortByBytes(names)) writer.addText(name)
      assert.deepEqual(writer.bytes.view(), dictionaryOf(names).dictionary.bytes)
    }),
  )
})

test('every string is found under its ordinal, and other strings are not found', () => {
  fc.assert(
    fc.property(terms, terms, (names, others) => {
      const { dictionary, sorted } = dictionaryOf(names)
      for (const [ordinal, bytes] of sorted.entries()) assert.equal(findOrdinal(dictionary, bytes), ordinal)
      for (const other of others)
        if (!names.includes(other)) assert.equal(findOrdinal(dictionary, encodeText(other)), -1)
    }),
  )
})

test('looking up strings together gives the same ordinals as looking up each of them', () => {
  fc.assert(
    fc.property(terms, terms, (names, others) => {
      const { dictionary } = dictionaryOf(names)
      const wanted = [...names, ...others].map(encodeText).sort(Buffer.compare)
      const alone = wanted.map((it) => findOrdinal(dictionary, it))
      assert.deepEqual(findOrdinals(dictionary, wanted), alone)
    }),
  )
})

test('a cursor returns all strings in order', () => {
  fc.assert(
    fc.property(terms, (names) => {
      const { dictionary, sorted } = dictionaryOf(names)
      const cursor = new DictionaryCursor(dictionary)
      const found: string[] = []
      while (cursor.next()) found.push(cursor.text())
      assert.deepEqual(found, sorted.map(decodeText))
    }),
  )
})

test('a cursor starts at the first string that is not before the given one, even if it occurs several times', () => {
  const repeated = fc.array(fc.oneof(term, fc.constantFrom('a', 'b')), { maxLength: 80 })
  fc.assert(
    fc.property(repeated, fc.oneof(term, fc.constantFrom('a', 'b')), (names, wanted) => {
      const { dictionary, sorted } = dictionaryOf(names)
      const expected = sorted.findIndex((it) => Buffer.compare(it, encodeText(wanted)) >= 0)
      assert.equal(cursorFrom(dictionary, encodeText(wanted))?.ordinal ?? -1, expected)
    }),
  )
})
