import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseSeed, type Random, seeded } from '../../../test/random.ts'
import type { Passage } from '../../domain/chat/passage.ts'
import { passageWith } from '../answer/passage.fixture.ts'
import { createCitationNumbering, createCitationVerifier } from './citation-verifier.ts'

/** Facts as a passage states them, and as an answer may paraphrase them. */
const FACTS: [passage: string, answer: string][] = [
  [
    'The NAME office in PLACE was opened in YEAR and has COUNT desks.',
    'Since YEAR there is an office NAME in PLACE, with COUNT desks',
  ],
  [
    'Invoices of NAME are paid within COUNT days by the bookkeeping in PLACE.',
    'Bookkeeping in PLACE pays the invoices of NAME within COUNT days',
  ],
  [
    'The server NAME stands in PLACE and keeps backups for COUNT days.',
    'Backups of the server NAME in PLACE are kept COUNT days long',
  ],
  [
    'Project NAME was begun in YEAR by a team of COUNT people in PLACE.',
    'A team of COUNT people from PLACE began the project NAME in YEAR',
  ],
  [
    'The contract with NAME ends in YEAR and costs COUNT euros a month, says the department in PLACE.',
    'In YEAR the contract with NAME ends; until then it costs COUNT euros a month',
  ],
  [
    'Visitors of the plant in PLACE sign in at gate COUNT and ask for NAME.',
    'At the plant in PLACE, visitors ask for NAME at gate COUNT and sign in',
  ],
  [
    'The warranty of the pump NAME lasts COUNT months, and repairs are made in PLACE.',
    'Repairs of the pump NAME are made in PLACE; its warranty lasts COUNT months',
  ],
  [
    'The canteen in PLACE serves COUNT meals a day and was run by NAME until YEAR.',
    'Until YEAR the canteen in PLACE, with COUNT meals a day, was run by NAME',
  ],
]
const NAMES =
  'Albatros Brunhilde Cormoran Donnerkeil Eisvogel Feldspat Goldregen Hagebutte Ibisco Jaguarundi Kormoran Lavendel Mistral Narwal Obsidian Pelikan Quitte Rosmarin Saturnia Turmalin'.split(
    ' ',
  )
const PLACES =
  'Aachen Bordeaux Cremona Dresden Eindhoven Florence Gdansk Helsinki Innsbruck Jena Krakow Lisbon Malmo Nantes Ostrava Porto Quimper Riga Seville Toulouse'.split(
    ' ',
  )

const pick = <T>(random: Random, from: readonly T[]): T => from[random.below(from.length)]!

interface Fact {
  written: string
  said: string
  count: number
}

/** `at` makes the number unique in the answer, even when it is altered. */
function factOf(random: Random, at: number): Fact {
  const [passage, answer] = FACTS[at % FACTS.length]!
  const count = 20 * (1 + at + 16 * random.below(5))
  const values = {
    NAME: pick(random, NAMES),
    PLACE: pick(random, PLACES),
    YEAR: String(1950 + random.below(70)),
    COUNT: String(count),
  }
  const filled = (text: string) => text.replace(/NAME|PLACE|YEAR|COUNT/g, (it) => values[it as keyof typeof values])
  return { written: filled(passage), said: filled(answer), count }
}

const STYLES: ((number: number) => string)[] = [
  (it) => `[${it}]`,
  (it) => `[[${it}]](https://evil.example/${it})`,
  (it) => `【${it}】`,
  (it) => `[passage ${it}]`,
  (it) => `[${it}](https://evil.example)`,
]

interface PlantedAnswer {
  text: string
  passages: Passage[]
  /** The document that each valid marker links to. */
  good: string[]
  planted: number
}

/** Passages of two facts each, the last one not readable; one sentence per fact, valid and invalid ones mixed. */
function answerOf(random: Random): PlantedAnswer {
  const facts = Array.from({ length: 8 }, (_, at) => [factOf(random, 2 * at), factOf(random, 2 * at + 1)] as const)
  const passages = facts.map((it, at) =>
    passageWith({ id: at === 7 ? 'closed' : `open-${at}`, text: it.map((fact) => fact.written).join(' ') }),
  )
  const answer: PlantedAnswer = { text: '', passages, good: [], planted: 0 }
  const mark = (number: number) => pick(random, STYLES)(number)
  const sentences = 3 + random.below(6)
  for (let nth = 0; nth < sentences; nth++) {
    const own = random.below(7)
    const { said, count } = pick(random, facts[own]!)
    const good = mark(own + 1)
    const other = mark(((own + 1 + random.below(6)) % 7) + 1)
    const away = mark(pick(random, [0, 9, 37, 2_024]))
    const kinds: [isGood: boolean, isPlanted: boolean, sentence: string][] = [
      [true, false, `${said} ${good}.`],
      [true, false, `${said}. ${good}`],
      [true, false, `According to ${good}, ${said}.`],
      [true, true, `${said} ${good}${away}.`],
      [false, true, `${said} ${away}.`],
      [false, true, `${said} ${other}.`],
      [false, true, `${said.replace(String(count), String(count + 7))} ${good}.`],
      [false, true, `They say “${said.split(' ').reverse().join(' ')}” ${good}.`],
      [false, true, `${facts[7]![0].said} ${mark(8)}.`],
    ]
    const [isGood, isPlanted, sentence] = pick(random, kinds)
    if (isGood) answer.good.push(`open-${own}`)
    if (isPlanted) answer.planted++
    answer.text += sentence + pick(random, [' ', '\n', '\n\n', '\n- '])
  }
  return answer
}

const MARKER = /\[\[(\d+)\]\]\([^()]*\)/g

async function shown(answer: PlantedAnswer, cut: (text: string) => string[]) {
  const verifier = createCitationVerifier({
    passages: () => new Map(answer.passages.map((it, at) => [at + 1, it])),
    isReadable: async (it) => it.document.document_id !== 'closed',
    question: 'What is known?',
    showsCitations: true,
    citationNumbering: createCitationNumbering(),
  })
  const pieces = []
  for (const it of cut(answer.text)) pieces.push(...(await verifier.write(it)))
  pieces.push(...(await verifier.end()))
  const documents = new Map<number, string>()
  for (const it of pieces)
    if (it.type === 'citation') documents.set(it.citation.citation_number, it.citation.passage.document.document_id)
  const text = pieces.map((it) => (it.type === 'text' ? it.text : '')).join('')
  return {
    text,
    cited: [...text.matchAll(MARKER)].map((it) => documents.get(Number(it[1]))),
    removed: verifier.counts().removed,
    rest: text.replace(MARKER, ''),
  }
}

/** Pieces of random length, like tokens. */
const cutBy = (random: Random) => (text: string) => {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const length = 1 + random.below(12)
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

test('in 300 answers all planted invalid citations are removed and all valid ones stay, however the stream is split', async (context) => {
  const random = seeded(chooseSeed((line) => context.diagnostic(line)))
  let planted = 0
  let good = 0
  for (let nth = 0; nth < 300; nth++) {
    const answer = answerOf(random)
    const whole = await shown(answer, (text) => [text])
    assert.deepEqual(whole.cited, answer.good, `${answer.text}\n${answer.passages.map((it) => it.text).join('\n')}`)
    assert.equal(whole.removed, answer.planted, answer.text)
    assert.doesNotMatch(whole.rest, /[[\]【】]|evil\./, answer.text)
    for (const cut of [cutBy(random), (text: string) => text.split('')])
      assert.deepEqual(await shown(answer, cut), whole, answer.text)
    planted += answer.planted
    good += answer.good.length
  }
  assert.ok(planted > 600 && good > 600, `${planted} planted, ${good} good`)
})
