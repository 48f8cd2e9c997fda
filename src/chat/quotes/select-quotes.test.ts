import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passageWith } from '../answer/passage.fixture.ts'
import { MAX_QUOTES, MAX_WORDS, selectQuotes } from './select-quotes.ts'

const TRAVEL = passageWith({
  id: 'travel',
  title: 'Travel policy',
  text: 'This page was last edited in spring. Hotels are paid up to 120 euros a night,\nif they were booked by the travel office. Trips by train are booked in second class.',
})
const HOLIDAYS = passageWith({
  id: 'holidays',
  title: 'Holidays',
  text: 'Every employee has 30 days of holidays a year. Unused days expire at the end of March. On holidays nobody pays for hotels but you.',
})

const quoted = (question: string, passages = [TRAVEL, HOLIDAYS]) =>
  selectQuotes(question, passages).map((it) => it.text)

test('the sentence that contains the words of the question comes first, complete and on one line', () => {
  assert.equal(
    quoted('Up to how many euros are hotels paid a night?')[0],
    'Hotels are paid up to 120 euros a night, if they were booked by the travel office.',
  )
})

test('a better sentence of a later passage precedes a worse one of the first', () => {
  assert.match(quoted('When do unused days of holidays expire?')[0] ?? '', /Unused days expire at the end of March\.$/)
})

test('a sentence is not quoted twice', () => {
  const copies = [1, 2, 3].map((it) =>
    passageWith({ id: `copy-${it}`, text: 'Hotels are paid up to 120 euros a night.' }),
  )
  assert.equal(selectQuotes('What is paid for hotels?', copies).length, 1)
})

test('the number of quotes is limited', () => {
  const many = 'Aachen Bordeaux Cremona Dresden Eindhoven Florence Gdansk Helsinki'.split(' ').map((city, at) =>
    passageWith({
      id: city,
      text: `${city}${at}: hotels cheap, ${city}1 ${city}2 ${city}3 ${city}4 ${city}5 ${city}6.`,
    }),
  )
  assert.equal(selectQuotes('Where are hotels cheap?', many).length <= MAX_QUOTES, true)
})

test('a document without text is quoted by its title', () => {
  assert.deepEqual(
    quoted('What do hotels cost?', [passageWith({ id: 'a', title: 'Hotels cost 120 euros', text: ' ' })]),
    ['Hotels cost 120 euros'],
  )
})

test('all quotes together have at most 60 words, and a first one of 60 words is not cut', () => {
  const clause = 'the hotels of this town are paid by the office that sends you to it, '.repeat(9).split(' ')
  const sentenceOf = (count: number) => `Hotels ${clause.slice(0, count - 2).join(' ')} paid.`
  const answer = (text: string) =>
    quoted('Which hotels are paid by the office?', [passageWith({ id: 'a', text })])[0] ?? ''
  assert.equal(answer(sentenceOf(60)), sentenceOf(60))
  assert.match(answer(sentenceOf(90)), /[^.]…$/)
  assert.equal(answer(sentenceOf(90)).split(' ').length, MAX_WORDS)
})

test('headings, code, links and questions are not quoted', () => {
  const text = [
    'How to back up the harbour database',
    '- Back up the harbour database',
    '- Restore the harbour database',
    '>>> backup("harbour database")',
    'pg_dump harbour database > backup',
    'How do I back up the harbour database?',
    'Call the port office, which copies the harbour database every night.',
  ].join('\n')
  assert.deepEqual(quoted('how do I back up the harbour database', [passageWith({ id: 'a', text })]), [
    'Call the port office, which copies the harbour database every night.',
  ])
})

test('a definition precedes other sentences about the subject', () => {
  const text =
    'Without a lease nobody may moor for long. You can cancel a lease at any time. A lease is the right to use a berth for a year.'
  for (const question of ['what is a lease', 'lease'])
    assert.match(quoted(question, [passageWith({ id: 'a', text })])[0] ?? '', /^A lease is the right/, question)
})

test('a row of a table is quoted with its headers', () => {
  const html = 'Limits\nItem | Upper Limit | Comment\ncolumns per table | 1,600 | see below\nfield size | 1 GB | '
  assert.deepEqual(quoted('what is the maximum field size', [passageWith({ id: 'a', text: html })]), [
    'field size — Upper Limit: 1 GB',
  ])
  const rows = [
    '| setting | default | |',
    '|---|---|---|',
    '| `PORT` | 8080 | port to listen on |',
    '| `HOST` | ::1 | address |',
  ]
  assert.deepEqual(quoted('what is the default port', [passageWith({ id: 'a', text: rows.join('\n') })]), [
    '`PORT` — default: 8080; port to listen on',
  ])
})

test('a sentence that does not name its subject is shown with the term above it', () => {
  const text =
    'berth_limit (integer)\nSets how many ships may moor. The default is 12 ships.\nquay_limit (integer)\nSets the length of a quay.'
  const [quote] = selectQuotes('what is the default of berth_limit', [passageWith({ id: 'a', text })])
  assert.equal(quote?.lead, 'berth_limit (integer)')
  assert.match(quote?.text ?? '', /The default is 12 ships\.$/)
})

for (const question of [
  'who is the director',
  'how many parrots live here',
  'what is the wifi password for guests',
  'Wie beantrage ich Bildungsurlaub?',
  'Qui est le directeur financier ?',
])
  test(`"${question}" is not answered by pages about something else`, () => assert.deepEqual(quoted(question), []))

test('a question for a time needs an answer with a time', () => {
  const ask = (text: string) => quoted('when is the meeting of captains', [passageWith({ id: 'a', text })])
  assert.deepEqual(ask('The meeting of all captains is in the large hall.'), [])
  assert.deepEqual(ask('The meeting of all captains is on Monday.'), ['The meeting of all captains is on Monday.'])
})

test('a misspelt word is understood', () => {
  const text = 'A materialized view keeps the rows of its query.'
  for (const question of ['materalized view', 'what is a mateiralized view'])
    assert.deepEqual(quoted(question, [passageWith({ id: 'a', text })]), [text], question)
})

test('a question in another language is answered if it shares a word with the page', () => {
  const text = 'The command pg_dump copies a database into a file. You can read the file again with pg_restore.'
  assert.equal(quoted('Wie benutze ich pg_dump?', [passageWith({ id: 'a', text })]).length > 0, true)
  assert.deepEqual(quoted('Wie sichere ich das?', [passageWith({ id: 'a', text })]), [])
})

test('no passages give no quotes', () => assert.deepEqual(quoted('What do hotels cost?', []), []))

for (const [question, text, best] of [
  [
    'Was kostet die Übernachtung?',
    'Es regnet. Eine Übernachtung kostet höchstens 120 Euro.',
    'Eine Übernachtung kostet höchstens 120 Euro.',
  ],
  ['ホテルの料金はいくらですか', '会議は月曜日です。ホテルの料金は一泊一万円です。', 'ホテルの料金は一泊一万円です。'],
  [
    'Сколько стоит гостиница?',
    'Завтра встреча. Гостиница стоит не больше 120 евро.',
    'Гостиница стоит не больше 120 евро.',
  ],
] as const)
  test(`"${question}" is answered in its language`, () => {
    assert.equal(
      selectQuotes(question, [passageWith({ id: 'a', text })]).some((it) => it.text === best),
      true,
    )
  })

test('twenty long passages are processed quickly', () => {
  const long = Array.from({ length: 20 }, (_, at) =>
    passageWith({
      id: `${at}`,
      text: Array.from(
        { length: 20 },
        (_, nth) => `Sentence ${nth} of ${at} tells of hotel ${nth * at} and its price.`,
      ).join(' '),
    }),
  )
  selectQuotes('What is the price of hotel 12?', long)
  const started = performance.now()
  selectQuotes('What is the price of hotel 12?', long)
  assert.ok(performance.now() - started < 20_000)
})

test('a passage that was found by its meaning answers in other words than the question', () => {
  const question = 'How much may a hotel cost?'
  const passages = [passageWith({ id: 'trips', title: 'Trips', text: 'Hotels up to 120 euros a night are paid.' })]
  assert.deepEqual(selectQuotes(question, passages), [])
  const [quote] = selectQuotes(question, passages, { isByMeaning: true })
  assert.equal(quote?.text, 'Hotels up to 120 euros a night are paid.')
})

for (const [question, text] of [
  ['When does the harbour open?', 'The harbour opens at sunrise.'],
  ['Who repairs the crane?', 'The crane is repaired by the harbour office.'],
  ['Wann öffnet der Hafen?', 'Der Hafen öffnet um neun.'],
  ['Wie viele Liegeplätze gibt es?', 'Es gibt zwölf Liegeplätze.'],
] as const)
  test(`"${question}" is answered by "${text}"`, () => {
    assert.deepEqual(quoted(question, [passageWith({ id: 'a', title: 'Harbour', text })]), [text])
  })

test('a sentence with half the words and no time does not answer when something happens', () => {
  const passages = [passageWith({ id: 'a', title: 'Page', text: 'The harbour opens for everybody.' })]
  assert.deepEqual(quoted('When does the harbour close?', passages), [])
})
