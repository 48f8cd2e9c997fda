import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Passage } from '../../domain/chat/passage.ts'
import { passageWith } from '../answer/passage.fixture.ts'
import { createCitationNumbering, createCitationVerifier, type VerifiedOutput } from './citation-verifier.ts'

const TRAVEL = passageWith({
  id: 'travel',
  title: 'Travel policy',
  link: 'https://wiki.example/travel#hotels (new)',
  text: 'Hotels are paid up to 120 euros a night. Trips by train are booked in second class. The budget of 2026 is 3,214,000 euros.',
})
const HOLIDAYS = passageWith({
  id: 'holidays',
  title: 'Holidays',
  text: 'Every employee has 30 days of holidays. Unused days expire at the end of March of the following year.',
})
const SECRET = passageWith({
  id: 'secret',
  title: 'Salaries',
  text: 'The salary of the director is 900,000 euros a year.',
})
const PASSAGES = [TRAVEL, HOLIDAYS, SECRET]

interface VerifiedText {
  text: string
  cited: [number, string][]
  removed: number
}

async function verify(
  pieces: readonly string[],
  given: readonly Passage[] = PASSAGES,
  showsCitations = true,
): Promise<VerifiedText> {
  const verifier = createCitationVerifier({
    passages: () => new Map(given.map((it, at) => [at + 1, it])),
    isReadable: async (it) => it.document.document_id !== 'secret',
    question: 'What are the rules of travel and holidays?',
    showsCitations,
    citationNumbering: createCitationNumbering(),
  })
  const out: VerifiedOutput[] = []
  for (const it of pieces) out.push(...(await verifier.write(it)))
  out.push(...(await verifier.end()))
  return {
    text: out.map((it) => (it.type === 'text' ? it.text : '')).join(''),
    cited: out.flatMap((it): [number, string][] =>
      it.type === 'citation' ? [[it.citation.citation_number, it.citation.passage.document.document_id]] : [],
    ),
    removed: verifier.counts().removed,
  }
}

const LINK = 'https://wiki.example/travel#hotels%20%28new%29'
const CASES: [said: string, shown: string, removed: number][] = [
  ['Hotels cost up to 120 euros a night [1].', `Hotels cost up to 120 euros a night [[1]](${LINK}).`, 0],
  [
    'Hotels cost up to 120 euros a night. [1] So be it.',
    `Hotels cost up to 120 euros a night. [[1]](${LINK}) So be it.`,
    0,
  ],
  [
    'Hotels cost up to 120 euros a night[[1]](https://evil.example/x).',
    `Hotels cost up to 120 euros a night[[1]](${LINK}).`,
    0,
  ],
  [
    'Hotels cost up to 120 euros a night [1](https://evil.example).',
    `Hotels cost up to 120 euros a night [[1]](${LINK}).`,
    0,
  ],
  ['Hotels cost up to 120 euros a night【1】.', `Hotels cost up to 120 euros a night[[1]](${LINK}).`, 0],
  ['Hotels cost up to 120 euros a night 【1†source】.', `Hotels cost up to 120 euros a night [[1]](${LINK}).`, 0],
  ['Hotels cost up to 120 euros a night [Passage 1].', `Hotels cost up to 120 euros a night [[1]](${LINK}).`, 0],
  [
    'Employees have 30 days of holidays [2], trains are booked in second class [1].',
    `Employees have 30 days of holidays [[1]](), trains are booked in second class [[2]](${LINK}).`,
    0,
  ],
  [
    'Trains go in second class, and 30 days of holidays are given [1, 2].',
    `Trains go in second class, and 30 days of holidays are given [[1]](${LINK})[[2]]().`,
    0,
  ],
  [
    'Trains go in second class, and 30 days of holidays are given [1][2].',
    `Trains go in second class, and 30 days of holidays are given [[1]](${LINK})[[2]]().`,
    0,
  ],
  [
    'Trains go in second class, and 30 days of holidays are given [1-2].',
    `Trains go in second class, and 30 days of holidays are given [[1]](${LINK})[[2]]().`,
    0,
  ],
  [
    'According to [2], every employee has 30 days of holidays.',
    'According to [[1]](), every employee has 30 days of holidays.',
    0,
  ],
  [
    '- Holidays: 30 days [2]\n- Trains: second class [1]',
    `- Holidays: 30 days [[1]]()\n- Trains: second class [[2]](${LINK})`,
    0,
  ],
  [
    'The rule: "Trips by train are booked in second class." [1]',
    `The rule: "Trips by train are booked in second class." [[1]](${LINK})`,
    0,
  ],
  ['The budget is 3.2 million euros in 2026 [1].', `The budget is 3.2 million euros in 2026 [[1]](${LINK}).`, 0],
  ['The budget is 3.214.000 euros [1].', `The budget is 3.214.000 euros [[1]](${LINK}).`, 0],
  // Not given to the model.
  ['Hotels cost up to 120 euros a night [4].', 'Hotels cost up to 120 euros a night.', 1],
  ['Hotels cost up to 120 euros a night [4]', 'Hotels cost up to 120 euros a night', 1],
  ['Hotels cost up to 120 euros a night [0] or less.', 'Hotels cost up to 120 euros a night or less.', 1],
  ['Hotels cost up to 120 euros a night ([4]).', 'Hotels cost up to 120 euros a night.', 1],
  ['Hotels cost up to 120 euros a night [1][4].', `Hotels cost up to 120 euros a night [[1]](${LINK}).`, 1],
  ['Hotels cost up to 120 euros a night [99-400].', 'Hotels cost up to 120 euros a night.', 2],
  ['Hotels cost up to 120 euros a night [[4]](https://evil.example/?q=1).', 'Hotels cost up to 120 euros a night.', 1],
  // Not readable by the subject.
  ['The salary of the director is 900,000 euros a year [3].', 'The salary of the director is 900,000 euros a year.', 1],
  // Not supported by the passage.
  ['Every employee has 30 days of holidays [1].', 'Every employee has 30 days of holidays.', 1],
  ['Hotels are paid up to 150 euros a night [1].', 'Hotels are paid up to 150 euros a night.', 1],
  ['It says "hotels are paid up to any price" a night [1].', 'It says "hotels are paid up to any price" a night.', 1],
  ['The moon is made of green cheese [1].', 'The moon is made of green cheese.', 1],
  ['[2] The moon is made of green cheese.', 'The moon is made of green cheese.', 1],
  // No citations.
  [
    '`a[1]` and a list [ ] and [x], in [0, 1], [see](https://example.org).',
    '`a[1]` and a list [ ] and [x], in [0, 1], [see](https://example.org).',
    0,
  ],
  ['```js\na[7] = b[1]\n```\nDone.', '```js\na[7] = b[1]\n```\nDone.', 0],
  ['~~~\na[7]\n~~~ [7]\nx [7]\n~~~\nDone [7].', '~~~\na[7]\n~~~ [7]\nx [7]\n~~~\nDone.', 1],
  ['An open ` tick [7].\nDone.', 'An open ` tick.\nDone.', 1],
  ['An open [', 'An open [', 0],
  ['An open [1', 'An open [1', 0],
]

const CUTS: [string, (text: string) => string[]][] = [
  ['whole', (text) => [text]],
  ['by characters', (text) => text.split('')],
  ['in threes', (text) => text.match(/.{1,3}/gs) ?? []],
]

for (const [said, shown, removed] of CASES)
  test(`${said.replaceAll('\n', '⏎')} becomes ${shown.replaceAll('\n', '⏎')}`, async () => {
    for (const [name, cut] of CUTS) {
      const result = await verify(cut(said))
      assert.equal(result.text, shown, name)
      assert.equal(result.removed, removed, name)
    }
  })

test('each cited passage is reported once, numbered in the order of first use', async () => {
  const result = await verify([
    'Employees have 30 days of holidays [2]. Trains go in second class [1]. Unused days expire in March [2].',
  ])
  assert.deepEqual(result.cited, [
    [1, 'holidays'],
    [2, 'travel'],
  ])
})

test('with citations off no marker is shown, and none counts as removed', async () => {
  const result = await verify(['Hotels cost up to 120 euros a night [1].'], PASSAGES, false)
  assert.deepEqual(result, { text: 'Hotels cost up to 120 euros a night.', cited: [], removed: 0 })
})

test('an answer in a different language than its passage keeps its citation, unless a number contradicts it', async () => {
  const said = 'Die Übernachtung in einem Gasthof wird höchstens mit 120 Talern je Person vergütet, sagt die Regel [1].'
  assert.equal((await verify([said])).removed, 0)
  assert.equal((await verify([said.replace('120', '190')])).removed, 1)
})
