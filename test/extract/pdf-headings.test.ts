// Headings of PDFs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'
import { type PdfOptions, type PdfRun, pdf } from './pdf-writer.ts'

const sectionsOf = async (pages: readonly (readonly PdfRun[])[], options: PdfOptions = {}) => {
  const { sections } = await extract(
    pdf(
      pages.map((runs) => ({ runs })),
      options,
    ),
    'a.pdf',
  )
  return sections.map(({ heading, anchor, text }) => [anchor, heading, text])
}
const text = (at: number, y: number): PdfRun[] =>
  ['one', 'two', 'three', 'four'].map((it, line) => ({ text: `Text ${at} ${it}`, x: 50, y: y - line * 14 }))

test('lines that are larger than the text are headings, over several lines and pages', async () => {
  const page: PdfRun[] = [
    ...text(1, 780),
    { text: '2 Tides of', x: 50, y: 700, size: 15 },
    { text: 'the harbour', x: 50, y: 683, size: 15 },
    ...text(2, 650),
    ...text(3, 594),
  ]
  assert.deepEqual(await sectionsOf([page, text(4, 780)]), [
    ['page=1', null, 'Text 1 one\nText 1 two\nText 1 three\nText 1 four'],
    [
      'page=1',
      '2 Tides of the harbour',
      ['2', '3'].flatMap((it) => ['one', 'two', 'three', 'four'].map((name) => `Text ${it} ${name}`)).join('\n'),
    ],
    ['page=2', '2 Tides of the harbour', 'Text 4 one\nText 4 two\nText 4 three\nText 4 four'],
  ])
})

test('a title above the names of authors keeps its words', async () => {
  const title: PdfRun = { text: 'Tides of the harbour', x: 50, y: 810, size: 20 }
  const author: PdfRun = { text: 'Ada Lovelace', x: 50, y: 790, size: 14 }
  const found = await sectionsOf([[title, author, ...text(1, 760), ...text(2, 700)]])
  assert.deepEqual(
    found.map(([, heading]) => heading),
    ['Tides of the harbour', 'Ada Lovelace'],
  )
})

test('large sentences, small parts of words and pages of large text have no headings', async () => {
  const large = (content: string): PdfRun => ({ text: content, x: 50, y: 700, size: 15 })
  for (const content of ['The tide rises.', 'and falls again', '12'])
    assert.deepEqual((await sectionsOf([[...text(1, 780), large(content), ...text(2, 650)]])).length, 1, content)
  const poster = text(1, 780).map((it) => ({ ...it, size: 30 }))
  assert.deepEqual((await sectionsOf([poster, [...text(2, 780), ...text(3, 700)]]))[0]?.[1], null)
})

test('the titles of the outline begin their sections where they stand, and larger lines do not', async () => {
  const page = [...text(1, 780), { text: '2.1 Tides', x: 50, y: 700, size: 15 }, ...text(2, 650)]
  const outline = [
    { title: 'Start', page: 0 },
    { title: 'Tides', page: 0 },
  ]
  assert.deepEqual(
    (await sectionsOf([[{ text: 'Start', x: 50, y: 810, size: 9 }, ...page], page], { outline })).map((it) =>
      it.slice(0, 2),
    ),
    [
      ['page=1', 'Start'],
      ['page=1', 'Tides'],
      ['page=2', 'Tides'],
    ],
  )
})
