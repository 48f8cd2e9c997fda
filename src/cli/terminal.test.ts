import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgressBar, formatDuration } from './progress.ts'
import { createTerminal, formatBytes, formatTable, toPlainText } from './terminal.ts'

/** The output, piece by piece. */
function paper(isTTY: boolean) {
  const pieces: string[] = []
  return { isTTY, pieces, write: (text: string) => pieces.push(text) }
}

const cases = [
  ['two\r\nlines\tand tab', 'two lines and tab'],
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['name\u202egnp.exe', 'name\\u202egnp.exe'],
  ['\u009b2J\u2028\u2066', '\\u009b2J\\u2028\\u2066'],
  ['Ärzte 東京 👩‍👩‍👧', 'Ärzte 東京 👩‍👩‍👧'],
] as const
for (const [text, shown] of cases)
  test(`${JSON.stringify(text)} is shown as ${shown}`, () => {
    assert.equal(toPlainText(text), shown)
  })

function terminalOn(isTTY: boolean, isColourful: boolean) {
  const stream = paper(isTTY)
  const terminal = createTerminal({ out: stream, error: stream, hasColors: isColourful, clock: () => 0 })
  return { terminal, written: () => stream.pieces.join('') }
}

test('text is bold only on a terminal, unless colors are turned off', () => {
  assert.equal(terminalOn(true, true).terminal.bold('x'), '\u001b[1mx\u001b[22m')
  assert.equal(terminalOn(false, true).terminal.bold('x'), 'x')
  assert.equal(terminalOn(true, false).terminal.bold('x'), 'x')
})

test('JSON output is one valid line without control characters', () => {
  const { terminal, written } = terminalOn(false, true)
  const value = { text: 'a\nb\u009b\u202e\u2028' }
  terminal.json(value)
  assert.deepEqual(JSON.parse(written()), value)
  assert.match(written(), /^[\x20-\x7e]+\n$/)
})

test('a table aligns text to the left and figures to the right', () => {
  const rows = [
    ['a', 5, 'x'],
    ['long\nname', 1_200, ''],
  ]
  assert.equal(
    formatTable(['name', 'n', ''], rows),
    ['name           n', 'a              5  x', 'long name  1,200'].join('\n'),
  )
})

test('sizes and times have readable units', () => {
  assert.deepEqual([0, 999, 1_000, 186_237, 5e9].map(formatBytes), ['0 B', '999 B', '1.0 kB', '186.2 kB', '5.0 GB'])
  assert.deepEqual([1, 59_000, 61_000, 3_600_000 * 2 + 60_000].map(formatDuration), [
    '1 s',
    '59 s',
    '2 min',
    '2 h 1 min',
  ])
})

test('progress shows the speed of this run and the remaining time', () => {
  let time = 0
  const stream = paper(true)
  const progress = createProgressBar({ stream, label: 'ingest', unit: 'documents', clock: () => time })
  progress.update(5_000, 0.5)
  time = 10_000
  progress.update(6_000, 0.75)
  assert.equal(
    stream.pieces.at(-1),
    `\r\u001b[Kingest ${'█'.repeat(18)}${'░'.repeat(6)} 75 %  6,000 documents  100/s  10 s left`,
  )
})

test('without a terminal, progress is an occasional line without control codes', () => {
  let time = 0
  const stream = paper(false)
  const progress = createProgressBar({ stream, label: 'x', unit: 'y', clock: () => time })
  for (; time <= 20_000; time += 100) progress.update(time, null)
  progress.end()
  assert.equal(stream.pieces.join(''), 'x 10,000 y  1,000/s\nx 20,000 y  1,000/s\n')
})
