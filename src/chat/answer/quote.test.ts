import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passageWith } from './passage.fixture.ts'
import { MAX_QUOTES, selectQuotes } from './quote.ts'

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
    quoted('Up to which price are hotels paid?')[0],
    'Hotels are paid up to 120 euros a night, if they were booked by the travel office.',
  )
})

test('a better sentence of a later passage precedes a worse one of the first', () => {
  assert.equal(quoted('When do unused days of holidays expire?')[0], 'Every employee has 30 days of holidays a year.')
  assert.equal(quoted('When do unused days expire?').includes('Unused days expire at the end of March.'), true)
})

test('quotes of one document are grouped in the order of its text', () => {
  const found = selectQuotes('hotels trains second class price night', [TRAVEL, HOLIDAYS]).map((it) => it.text)
  assert.deepEqual(
    found.filter((it) => TRAVEL.text.replace('\n', ' ').includes(it)),
    [
      'Hotels are paid up to 120 euros a night, if they were booked by the travel office.',
      'Trips by train are booked in second class.',
    ],
  )
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
  assert.equal(selectQuotes('Where are hotels cheap?', many).length, MAX_QUOTES)
})

test('a document without text is quoted by its title', () => {
  assert.deepEqual(
    quoted('What do hotels cost?', [passageWith({ id: 'a', title: 'Hotels cost 120 euros', text: ' ' })]),
    ['Hotels cost 120 euros'],
  )
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
