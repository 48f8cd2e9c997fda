import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageBefore, pageOfText, type TextPlace } from './text-pages.ts'

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

test('pages that are read backwards are the whole text too', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 8 }),
      fc.integer({ min: 2, max: 30 }),
      (texts, limit) => {
        const read = texts.map(() => '')
        const isStart = ({ section, character }: TextPlace) => section === 0 && character === 0
        for (let end: TextPlace = { section: texts.length, character: 0 }; !isStart(end); ) {
          const { parts, start } = pageBefore(texts.map(sectionOf), end, limit)
          for (const it of parts.toReversed()) {
            assert.ok(it.text.isWellFormed())
            read[it.section] = it.text + read[it.section]
          }
          end = start
        }
        assert.deepEqual(read, texts)
      },
    ),
  )
})

test('a page backwards has at most 200 sections', () => {
  const sections = Array.from({ length: 1_000 }, () => sectionOf(''))
  const { parts, start } = pageBefore(sections, { section: 900, character: 0 }, 20_000)
  assert.deepEqual([parts.length, start], [200, { section: 700, character: 0 }])
})
