// Running headers, footers and page numbers of PDFs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'
import { type PdfRun, pdf } from './pdf-writer.ts'

const textsOf = async (pages: readonly (readonly PdfRun[])[]) => {
  const { sections } = await extract(pdf(pages.map((runs) => ({ runs }))), 'a.pdf')
  return sections.map(({ heading, text }) => (heading === null ? text : `${heading}: ${text}`))
}
const NAMES = ['Anchor', 'Buoy', 'Cable', 'Dock', 'Estuary', 'Ferry']
const body = (at: number): PdfRun => ({ text: `${NAMES[at]} text`, x: 50, y: 600 })
const numbered = (count: number, runs: (at: number) => PdfRun[]) => Array.from({ length: count }, (_, at) => runs(at))

test('a header and the number of the page are left out, and the header comes once at the end', async () => {
  const header: PdfRun = { text: 'Harbour rules', x: 50, y: 800 }
  const pages = numbered(4, (at) => [header, body(at), { text: `Page ${at + 7} of 10`, x: 280, y: 40 }])
  assert.deepEqual(await textsOf(pages), [
    'Anchor text',
    'Buoy text',
    'Cable text',
    'Dock text',
    'Headers and footers: Harbour rules',
  ])
})

test('headers of left and of right pages are left out, with Roman numbers too', async () => {
  const romans = ['i', 'ii', 'iii', 'iv', 'v', 'vi']
  const pages = numbered(6, (at) => [
    { text: at % 2 === 0 ? `Harbour rules ${romans[at]}` : `${romans[at]} Part of tides`, x: 50, y: 800 },
    body(at),
  ])
  assert.deepEqual((await textsOf(pages)).slice(4), [
    'Estuary text',
    'Ferry text',
    'Headers and footers: Harbour rules\nPart of tides',
  ])
})

test('lines of two pages, at other places, or with other numbers than those of pages stay', async () => {
  const header: PdfRun = { text: 'Harbour rules', x: 50, y: 800 }
  assert.deepEqual(await textsOf(numbered(2, (at) => [header, body(at)])), [
    'Harbour rules\n\nAnchor text',
    'Harbour rules\n\nBuoy text',
  ])
  assert.deepEqual(
    (await textsOf(numbered(3, (at) => [{ ...header, y: 800 - at * 20 }, body(at)])))[0],
    ['Harbour rules\n\nAnchor text'][0],
  )
  const rows = numbered(4, (at) => [body(at), { text: `Rope ${at * at + 3} EUR`, x: 50, y: 40 }])
  assert.deepEqual((await textsOf(rows))[3], 'Dock text\n\nRope 12 EUR')
})

test('a page of nothing but running lines keeps them', async () => {
  const pages = numbered(5, (at) => [{ text: `${at + 1}`, x: 280, y: 40 }, ...(at === 2 ? [] : [body(at)])])
  assert.deepEqual(await textsOf(pages), ['Anchor text', 'Buoy text', '3', 'Dock text', 'Estuary text'])
})

test('pages before a limit are written', async () => {
  const pages = numbered(6, (at) => [body(at)]).map((runs) => ({ runs }))
  const { sections, report } = await extract(pdf(pages), 'a.pdf', { limits: { pages: 4 } })
  assert.deepEqual([sections.length, report.verdict], [4, 'limit'])
})
