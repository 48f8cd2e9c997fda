import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageOfText, type TextPlace } from './text-pages.ts'

const sectionOf = (text: string) => ({ text, link: null, heading: null, image_file_id: null })
const START = { section: 0, character: 0 }

function readAll(texts: readonly string[], limit: number): string[] {
  const read = texts.map(() => '')
  for (let place: TextPlace | null = START; place !== null; ) {
    const { parts, next } = pageOfText(texts.map(sectionOf), place, limit)
    for (const it of parts) {
      assert.equal(it.from, read[it.section]!.length)
      assert.ok(it.text.isWellFormed())
      read[it.section] += it.text
    }
    place = next
  }
  return read
}

test('the pages together are the whole text, without half characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 8 }),
      fc.integer({ min: 2, max: 30 }),
      (texts, limit) => {
        assert.deepEqual(readAll(texts, limit), texts)
      },
    ),
  )
})

test('a long section continues on the next page', () => {
  const sections = [sectionOf('abcdef'), sectionOf('gh')]
  const first = pageOfText(sections, START, 4)
  assert.deepEqual([first.parts.map((it) => it.text), first.next], [['abcd'], { section: 0, character: 4 }])
  const second = pageOfText(sections, first.next!, 4)
  assert.deepEqual([second.parts.map((it) => it.text), second.next], [['ef', 'gh'], null])
})

test('a place after the end has no text', () => {
  assert.deepEqual(pageOfText([sectionOf('a')], { section: 9, character: 0 }, 10), { parts: [], next: null })
})
