// The order of text in columns of PDFs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'
import { type PdfRun, pdf } from './pdf-writer.ts'

const wordsOf = async (runs: readonly PdfRun[]) => {
  const { sections } = await extract(pdf([{ runs }]), 'a.pdf')
  return sections
    .map((it) => `${it.heading ?? ''}\n${it.text}`)
    .join('\n')
    .split(/\s+/)
    .filter((it) => it !== '')
}
const COLUMN = 'tides that rise and fall with the moon'
const marksOf = (words: readonly string[]) => words.filter((it) => /^[A-Z]/.test(it))
const line = (name: string, at: number, x: number): PdfRun => ({ text: `${name}${at} ${COLUMN}`, x, y: 700 - at * 12 })
const rows = (count: number, xs: Readonly<Record<string, number>>) =>
  Array.from({ length: count }, (_, at) => Object.entries(xs).map(([name, x]) => line(name, at, x)))
const named = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `${name}${from + at}`)

test('columns that the file has row by row are read one after the other, below the wide title', async () => {
  const title: PdfRun = {
    text: 'Title of a paper whose words go over all of the columns of this page',
    x: 60,
    y: 740,
    size: 14,
  }
  const found = marksOf(await wordsOf([...rows(10, { L: 40, R: 320 }).flat(), title]))
  assert.deepEqual(found, ['Title', ...named('L', 0, 10), ...named('R', 0, 10)])
})

test('three columns are read one after the other', async () => {
  const found = marksOf(await wordsOf(rows(9, { A: 20, B: 215, C: 410 }).flat()))
  assert.deepEqual(found, [...named('A', 0, 9), ...named('B', 0, 9), ...named('C', 0, 9)])
})

test('a wide line between columns ends the columns above it', async () => {
  const wide: PdfRun = { text: `Wide ${COLUMN} ${COLUMN} ${COLUMN}`, x: 40, y: 700 - 6 * 12 }
  const lines = rows(13, { L: 40, R: 320 }).filter((_, at) => at !== 6)
  const found = marksOf(await wordsOf([...lines.flat(), wide]))
  assert.deepEqual(found, [
    ...named('L', 0, 6),
    ...named('R', 0, 6),
    'Wide',
    ...named('L', 7, 13),
    ...named('R', 7, 13),
  ])
})

test('rows of short cells keep their order', async () => {
  const cells = Array.from({ length: 14 }, (_, at) => [
    { text: `L${at} rope`, x: 40, y: 700 - at * 12 },
    { text: `R${at} 12 EUR`, x: 320, y: 700 - at * 12 },
  ])
  assert.deepEqual(
    marksOf(await wordsOf(cells.flat())).filter((it) => it !== 'EUR'),
    cells.flatMap((_, at) => [`L${at}`, `R${at}`]),
  )
})

/** Reading order, places and amounts that no program writes. Each must end soon with all of its words. */
const HOSTILE: readonly [name: string, runs: PdfRun[]][] = [
  [
    'many runs',
    Array.from({ length: 100_000 }, (_, at) => ({ text: `w${at}`, x: (at * 37) % 500, y: (at * 91) % 800 })),
  ],
  ['one place', Array.from({ length: 3_000 }, (_, at) => ({ text: `w${at}`, x: 100, y: 100 }))],
  [
    'no numbers',
    rows(9, { L: 40, R: 320 })
      .flat()
      .map((it) => ({ ...it, x: 'NaN', y: '1e999' })),
  ],
  [
    'far away',
    rows(9, { L: 40, R: 320 })
      .flat()
      .map((it) => ({ ...it, x: 1e30, y: -1e30 })),
  ],
  [
    'turned',
    rows(9, { L: 40, R: 320 })
      .flat()
      .map((it) => ({ ...it, turn: 90 })),
  ],
  [
    'leaning',
    rows(9, { L: 40, R: 320 })
      .flat()
      .map((it, at) => ({ ...it, turn: at * 20 })),
  ],
  [
    'no size',
    rows(9, { L: 40, R: 320 })
      .flat()
      .map((it) => ({ ...it, size: 0 })),
  ],
]
for (const [name, runs] of HOSTILE)
  test(`a page with ${name} ends within its time [Z7]`, async () => {
    const { report } = await extract(pdf([{ runs }]), 'a.pdf', { limits: { timeMs: 30_000 } })
    assert.notEqual(report.warnings[0]?.detail, 'time')
    assert.ok(['ok', 'damaged'].includes(report.verdict), report.verdict)
  })
