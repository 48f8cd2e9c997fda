import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findStatements } from './statements.ts'

const textsOf = (text: string) => findStatements(text, 'en').map((it) => it.text)

test('lines that were wrapped in a sentence are joined, and other lines are not', () => {
  const wrapped = 'The harbour office opens at nine in the morning and closes at\nFive in the evening on every day.'
  assert.deepEqual(textsOf(wrapped), [wrapped.replace('\n', ' ')])
  assert.deepEqual(textsOf('Ships arrive at noon.\nThey leave at night.'), [
    'Ships arrive at noon.',
    'They leave at night.',
  ])
})

test('a sentence knows the term above it and the sentence before it', () => {
  const found = findStatements('SIGINT¶\nThis is the fast way. It waits for nobody.', 'en')
  assert.deepEqual(
    found.map(({ lead, before }) => [lead, before]),
    [
      ['SIGINT¶', ''],
      ['SIGINT¶', 'This is the fast way.'],
    ],
  )
})

test('a name with what it stands for is a statement, and another heading is not', () => {
  assert.deepEqual(textsOf('vacuum — collects garbage in tables\nNotes\nIt runs at night.'), [
    'vacuum — collects garbage in tables',
    'It runs at night.',
  ])
})

test('fenced, indented and prompted lines are code', () => {
  const text = '```sh\nRun this now.\n```\n    Indented it is.\n$ Type it here.\n{ A | B }\nIt is a sentence.'
  assert.deepEqual(textsOf(text), ['It is a sentence.'])
})

test('cells know the headers of their columns', () => {
  const [row] = findStatements('Item | Upper Limit\ncolumns | 1,600', 'en')
  assert.deepEqual(row?.cells, [
    { header: 'Item', value: 'columns' },
    { header: 'Upper Limit', value: '1,600' },
  ])
})

test('a marked header is no statement, wherever a piece of its table begins', () => {
  const found = findStatements('| Item | 2025 |\nHarbour lamp | 40\n| 7\n| Item | 2025 |\nBell |', 'en')
  assert.deepEqual(
    found.map(({ cells }) => cells.map((it) => [it.header, it.value])),
    [
      [
        ['Item', 'Harbour lamp'],
        ['2025', '40'],
      ],
      [
        ['Item', ''],
        ['2025', '7'],
      ],
      [
        ['Item', 'Bell'],
        ['2025', ''],
      ],
    ],
  )
})

test('a text without sentences is quoted by its lines', () =>
  assert.deepEqual(textsOf('office opens at nine'), ['office opens at nine']))

test('statements are in order, and only of words of the text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('Ships ', 'leave.', '\n', ' | ', '- ', '```', '?', ': ', '# ', '>>> ')),
      (parts) => {
        const text = parts.join('')
        let last = 0
        for (const { start, text: own } of findStatements(text, 'en')) {
          assert.ok(last <= start && start <= text.length)
          assert.ok(own.split(/[\s|]+/).every((it) => text.includes(it)))
          last = start
        }
      },
    ),
  )
})

for (const unit of ['a | ', 'a.\n', '- a\n', '``` ', 'é é', '>>> a\n', 'a\n'])
  test(`50 kilobytes of ${JSON.stringify(unit)} are read in linear time`, () => {
    const startedAt = performance.now()
    findStatements(unit.repeat(50_000 / unit.length), 'en')
    assert.ok(performance.now() - startedAt < 10_000)
  })
