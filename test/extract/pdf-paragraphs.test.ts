// Paragraphs of PDFs, and words divided at the end of a line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'
import { type PdfRun, pdf } from './pdf-writer.ts'

const textOf = async (runs: readonly PdfRun[]) => {
  const { sections } = await extract(pdf([{ runs }]), 'a.pdf')
  return sections.map((it) => it.text).join('\n')
}
const lines = (...texts: readonly string[]): PdfRun[] => texts.map((text, at) => ({ text, x: 50, y: 700 - at * 12 }))

test('lines of a paragraph are joined, its end and list items stay', async () => {
  const found = await textOf(
    lines(
      'The harbour master opens the gate when the tide is high enough for ships',
      'and closes it before the water falls, so that none runs aground.',
      'A notice shows the times.',
      '1. Ships that carry oil wait outside until the master of the harbour comes',
      'and shows them a berth.',
      '2. Others may enter.',
    ),
  )
  assert.deepEqual(found.split('\n'), [
    'The harbour master opens the gate when the tide is high enough for ships and closes it before the water falls, so that none runs aground.',
    'A notice shows the times.',
    '1. Ships that carry oil wait outside until the master of the harbour comes and shows them a berth.',
    '2. Others may enter.',
  ])
})

test('a sentence goes on in the next column', async () => {
  const column = (x: number, last: string): PdfRun[] =>
    Array.from({ length: 7 }, (_, at) => ({
      text: at === 6 ? last : 'the tide rises and falls with the moon and',
      x,
      y: 700 - at * 12,
    }))
  const found = await textOf([...column(40, 'the master of the harbour closes the gate'), ...column(310, 'whole.')])
  assert.ok(!found.includes('\n'), found)
})

test('short lines, other sizes and wide distances are no paragraph', async () => {
  const address = lines('Harbour Office', 'Quay 5', '20457 Hamburg')
  assert.equal(await textOf(address), 'Harbour Office\nQuay 5\n20457 Hamburg')
  const long = 'The harbour master opens the gate when the tide is high enough'
  const runs: PdfRun[] = [
    { text: long, x: 50, y: 700, size: 16 },
    { text: long, x: 50, y: 680 },
    { text: long, x: 50, y: 640 },
  ]
  assert.equal(await textOf(runs), `${long}\n${long}\n\n${long}`)
})

test('a divided word is joined; the hyphen of a compound and of a name stays', async () => {
  assert.equal(
    await textOf(lines('The measure-', 'ment of a well-known tide, the well-', 'known state-of-the-', 'art gauge')),
    'The measurement of a well-known tide, the well-known state-of-the-art gauge',
  )
  assert.equal(
    await textOf(lines('Annegret Kramp-', 'Karrenbauer on route A-', '7 north')),
    'Annegret Kramp-Karrenbauer on route A-7 north',
  )
})
