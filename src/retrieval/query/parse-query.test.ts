import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type ParsedQuery, parseQuery } from './parse-query.ts'

const NOW = Date.UTC(2026, 4, 31, 12)
const parse = (text: string, tz = 'UTC') => parseQuery(text, { now: NOW, tz })

const NOTHING: Omit<ParsedQuery, 'operators'> = {
  text: '',
  phrases: [],
  excluded: [],
  title: [],
  sources: [],
  authors: [],
  document_sets: [],
  tags: [],
  updated_from: null,
  updated_until: null,
  not_understood: [],
}
const DAY = 86_400_000
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

const cases: [input: string, understanding: Partial<ParsedQuery>][] = [
  ['', {}],
  ['  travel   policy ', { text: 'travel policy' }],
  ['"travel policy" 2026', { text: 'travel policy 2026', phrases: ['travel policy'] }],
  ['“travel policy” «rail pass»', { text: 'travel policy rail pass', phrases: ['travel policy', 'rail pass'] }],
  [
    'one two three four five six "seven eight" nine ten eleven twelve',
    { text: 'one two three four five six seven eight nine ten eleven twelve', phrases: ['seven eight'] },
  ],
  [
    'It was late when she said "never again" to the man who had sold her the house',
    { text: 'It was late when she said never again to the man who had sold her the house' },
  ],
  ['an 24" screen', { text: 'an 24" screen' }],
  ['say "never closed', { text: 'say "never closed' }],
  ['""', {}],
  ['apple -pie', { text: 'apple', excluded: ['pie'] }],
  ['apple -"apple pie"', { text: 'apple', excluded: ['apple pie'] }],
  ['state-of-the-art - well', { text: 'state-of-the-art - well' }],
  ['tar --verbose', { text: 'tar --verbose' }],
  ['source:jira bug', { text: 'bug', sources: ['jira'] }],
  ['SOURCE:"google drive" Author:ann', { sources: ['google drive'], authors: ['ann'] }],
  ['set:Handbook title:"on call"', { document_sets: ['Handbook'], title: ['on call'] }],
  ['tag:team=core platform', { text: 'platform', tags: [{ tag_key: 'team', tag_value: 'core' }] }],
  ['tag:"a b=c=d"', { tags: [{ tag_key: 'a b', tag_value: 'c=d' }] }],
  ['tag:team', { text: 'team', not_understood: [{ text: 'tag:team', reason: 'Use the form tag:key=value.' }] }],
  ['https://example.com/a?b=c constructor:x', { text: 'https://example.com/a?b=c constructor:x' }],
  ['note: this', { text: 'note: this' }],
  ['source: x', { text: 'source: x' }],
  ['PROJ-123 report_v2.pdf', { text: 'PROJ-123 report_v2.pdf' }],
  [
    '-source:jira x',
    { text: 'jira x', not_understood: [{ text: 'source:jira', reason: 'Only words and phrases can be excluded.' }] },
  ],
  ['after:2026-01-15', { updated_from: day('2026-01-15') }],
  ['after:2025 before:2025-03', { updated_from: day('2025-01-01'), updated_until: day('2025-03-01') - 1 }],
  ['after:7d', { updated_from: day('2026-05-24') }],
  ['after:2w', { updated_from: day('2026-05-17') }],
  ['after:3m', { updated_from: day('2026-02-28') }],
  ['after:1y', { updated_from: day('2025-05-31') }],
  ['after:36h', { updated_from: NOW - 1.5 * DAY }],
  ['after:yesterday before:today', { updated_from: day('2026-05-30'), updated_until: day('2026-05-31') - 1 }],
  ['after:2024 after:2026 before:2030', { updated_from: day('2026-01-01'), updated_until: day('2030-01-01') - 1 }],
]
for (const [input, understanding] of cases) {
  test(`${JSON.stringify(input)} is understood`, () => {
    const { operators: _, ...parsed } = parse(input)
    assert.deepEqual(parsed, { ...NOTHING, ...understanding })
  })
}

test('operators have their place in the query', () => {
  const input = 'rail “travel policy” -pie -"apple pie" SOURCE:"google drive" tag:team=core after:7d tag:team after:x'
  assert.deepEqual(
    parse(input).operators.map(({ kind, value, start, end }) => [kind, value, input.slice(start, end)]),
    [
      ['phrase', 'travel policy', '“travel policy”'],
      ['excluded', 'pie', '-pie'],
      ['excluded', 'apple pie', '-"apple pie"'],
      ['source', 'google drive', 'SOURCE:"google drive"'],
      ['tag', 'team=core', 'tag:team=core'],
      ['after', '7d', 'after:7d'],
    ],
  )
})

test('an invalid date is reported and searched as a word', () => {
  const { text, updated_from, not_understood } = parse('after:2026-02-30 x')
  assert.deepEqual([text, updated_from], ['2026-02-30 x', null])
  assert.match(not_understood[0]!.reason, /2026-05-31.*7d/)
})

test('a day starts at midnight of the time zone, also when the clocks change', () => {
  assert.equal(parse('after:2026-01-15', 'America/New_York').updated_from, Date.parse('2026-01-15T05:00:00Z'))
  assert.equal(parse('after:2026-03-29', 'Europe/Berlin').updated_from, Date.parse('2026-03-28T23:00:00Z'))
  assert.equal(parse('after:2026-03-30', 'Europe/Berlin').updated_from, Date.parse('2026-03-29T22:00:00Z'))
  assert.equal(parse('after:today', 'Pacific/Kiritimati').updated_from, Date.parse('2026-05-31T10:00:00Z'))
})

test('any text can be parsed, and no word of it is lost', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '-', ':', '“', '”', ' ', 'source:', 'tag:a=', 'after:', '7d', 'x'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const understanding = parse(pieces.join(''))
      const kept = JSON.stringify(understanding)
      for (const word of pieces.join('').match(/\b[a-wyz]{4,}\b/g) ?? []) {
        if (!['source', 'after'].includes(word)) assert.ok(kept.includes(word), word)
      }
    }),
    { numRuns: 2_000 },
  )
})
