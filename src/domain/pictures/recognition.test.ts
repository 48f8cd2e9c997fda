import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSection, fillSections, picturesOf, recognisedText, withRecognisedPages } from './recognition.ts'

const PAGES = [
  { page: 0, text: 'one', confidence: 1 },
  { page: 1, reason: 'damaged' },
  { page: 2, text: 'two and three', confidence: 0.5 },
]
const section = (picture: { blob: string; page?: number; confidence?: number }, text = '') => ({
  text,
  link: null,
  heading: null,
  image_file_id: null,
  image_file_name: 'plan.png',
  picture,
})

test('the confidence of a file counts each character once', () => {
  const read = recognisedText(PAGES)
  assert.deepEqual(read, { text: 'one\n\ntwo and three', confidence: 0.594 })
  assert.equal(recognisedText([{ page: 1, reason: 'damaged' }]), null)
  assert.equal(recognisedText([{ page: 1, text: '', confidence: 1 }]), null)
})

test('a section gets the text of its page behind its own, once', () => {
  const filled = fillSection(section({ blob: 'a', page: 2 }, 'A caption'), PAGES)
  assert.equal(filled.text, 'A caption\ntwo and three')
  assert.deepEqual(filled.picture, { blob: 'a', page: 2, confidence: 0.5 })
  assert.equal(fillSection(filled, PAGES), filled)
})

test('a section without a page gets all pages, and one whose page failed stays as it is', () => {
  assert.equal(fillSection(section({ blob: 'a' }), PAGES).text, 'one\n\ntwo and three')
  const failed = section({ blob: 'a', page: 1 })
  assert.equal(fillSection(failed, PAGES), failed)
})

test('sections are filled as far as the document has room', () => {
  const pagesOf = new Map([['a', [{ page: 0, text: 'x'.repeat(98), confidence: 1 }]]])
  const sections = Array.from({ length: 10_000 }, () => section({ blob: 'a' }))
  const filled = fillSections([...sections, section({ blob: 'b' }, 'y'.repeat(50))], pagesOf, 360)
  assert.equal(filled.filter((it) => it.text !== '').length, 4)
  assert.ok(filled.reduce((sum, it) => sum + it.text.length, 0) <= 360)
})

test('a picture is settled when each section that shows it has its text', () => {
  const sections = [
    section({ blob: 'a', confidence: 1 }),
    section({ blob: 'a' }),
    section({ blob: 'b', confidence: 1 }),
    { ...section({ blob: 'c' }), picture: undefined },
  ]
  const found = picturesOf(sections.map(({ picture, ...it }) => ({ ...it, ...(picture && { picture }) })))
  assert.deepEqual(
    found.map((it) => [it.blob, it.isSettled]),
    [
      ['a', false],
      ['b', true],
    ],
  )
})

test('recognised pages stand among the pages that have text', () => {
  const own = (text: string, anchor: string | null) => ({ text, heading: null, anchor })
  const sections = [own('first', 'page=1'), own('a note on it', null), own('third', 'page=3')]
  const pages = [
    { page: 1, text: 'second', confidence: 1 },
    { page: 3, reason: 'damaged' },
  ]
  assert.deepEqual(
    withRecognisedPages(sections, pages).map((it) => it.text),
    ['first', 'a note on it', 'second', 'third'],
  )
})
