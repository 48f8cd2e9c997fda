import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cursorAt, type Dictionary, DictionaryCursor, DictionaryWriter, findTerm, findTerms } from './dictionary.ts'
import { bytesOfText, inByteOrder, textOfBytes } from './key-text.ts'

const unit = fc.constantFrom('grapheme' as const, 'binary' as const)
const term = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }),
  unit.chain((it) => fc.string({ unit: it, maxLength: 8 })),
  fc.constant('x'.repeat(300)),
)
const terms = fc.uniqueArray(term, { maxLength: 80 })

function dictionaryOf(names: readonly string[]): { dictionary: Dictionary; sorted: Buffer[] } {
  const writer = new DictionaryWriter()
  const sorted = names.map(bytesOfText).sort(Buffer.compare)
  for (const bytes of sorted) writer.add(bytes)
  return { dictionary: { bytes: writer.bytes.view(), blocks: writer.blocks.view(), size: writer.size }, sorted }
}

test('a string that is added as text is what its bytes are', () => {
  fc.assert(
    fc.property(terms, (names) => {
      const writer = new DictionaryWriter()
      for (const name of inByteOrder(names)) writer.addText(name)
      assert.deepEqual(writer.bytes.view(), dictionaryOf(names).dictionary.bytes)
    }),
  )
})

test('every string is found under its ordinal, and no other string is found', () => {
  fc.assert(
    fc.property(terms, terms, (names, others) => {
      const { dictionary, sorted } = dictionaryOf(names)
      for (const [ordinal, bytes] of sorted.entries()) assert.equal(findTerm(dictionary, bytes), ordinal)
      for (const other of others) if (!names.includes(other)) assert.equal(findTerm(dictionary, bytesOfText(other)), -1)
    }),
  )
})

test('strings that are looked up together are found as each of them alone', () => {
  fc.assert(
    fc.property(terms, terms, (names, others) => {
      const { dictionary } = dictionaryOf(names)
      const wanted = [...names, ...others].map(bytesOfText).sort(Buffer.compare)
      const alone = wanted.map((it) => findTerm(dictionary, it))
      assert.deepEqual(findTerms(dictionary, wanted), alone)
    }),
  )
})

test('a cursor gives all strings in order', () => {
  fc.assert(
    fc.property(terms, (names) => {
      const { dictionary, sorted } = dictionaryOf(names)
      const cursor = new DictionaryCursor(dictionary)
      const found: string[] = []
      while (cursor.next()) found.push(cursor.text())
      assert.deepEqual(found, sorted.map(textOfBytes))
    }),
  )
})

test('a cursor starts at the first string that is not before the wanted one, which may be there several times', () => {
  const repeated = fc.array(fc.oneof(term, fc.constantFrom('a', 'b')), { maxLength: 80 })
  fc.assert(
    fc.property(repeated, fc.oneof(term, fc.constantFrom('a', 'b')), (names, wanted) => {
      const { dictionary, sorted } = dictionaryOf(names)
      const expected = sorted.findIndex((it) => Buffer.compare(it, bytesOfText(wanted)) >= 0)
      assert.equal(cursorAt(dictionary, bytesOfText(wanted))?.ordinal ?? -1, expected)
    }),
  )
})
