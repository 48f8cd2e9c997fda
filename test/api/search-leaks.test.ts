// A search reveals nothing about documents that the caller may not read. Each hidden document has a unique canary, and
// readable documents are similar to it, so that any leak is visible.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey } = await start()

const HIDDEN = 100
const closed = { is_public: false, external_user_emails: ['owner@example.com'], external_user_group_ids: ['vault'] }
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** A random word of letters. */
const canary = (at: number) => `zq${LETTERS[at % 26]}${LETTERS[Math.floor(at / 26)]}quokkatrove`

const hiddenDocument = (at: number) =>
  documentOf(`The quarterly harbour report holds ${canary(at)} and the merger plan.`, {
    id: `hidden-${at}`,
    semantic_identifier: `Vault ${canary(at)}`,
    source: `secret${at % 3}`,
    metadata: { clearance: canary(at) },
    primary_owners: [{ display_name: `Agent ${canary(at)}`, email: `${canary(at)}@example.com` }],
    external_access: closed,
    doc_updated_at: '2026-11-01T00:00:00Z',
  })

let outsider = ''
let owner = ''

/** The response without its duration and its id. */
const saidTo = async (body: object, key: string): Promise<Reply['body']> => {
  const { took_ms: _, search_id: __, ...answer } = await ok('POST', '/search', { body, key })
  return answer
}

const QUERIES = [
  'quarterly harbour report',
  'report',
  'merger',
  'harbor',
  'vault',
  '"harbour report"',
  'source:secret1',
]
const SHAPES = [{}, { facets: true }, { sort: 'date' }, { num_hits: 2 }, { explain: true, facets: true }]

const before100 = new Map<string, unknown>()
const nameOf = (query: string, shape: object) => `${query} ${JSON.stringify(shape)}`

before(async () => {
  outsider = await makeKey({ role: 'basic', user_email: 'outsider@example.com' })
  owner = await makeKey({ role: 'basic', user_email: 'owner@example.com' })
  for (let at = 0; at < 12; at++) {
    const text = `The ${at % 2 === 0 ? 'quarterly' : 'yearly'} report ${'of the harbour '.repeat(1 + (at % 4))} number${at}.`
    await push(documentOf(text, { id: `open-${at}`, semantic_identifier: `Report ${at}`, metadata: { team: 'port' } }))
  }
  for (const query of QUERIES) {
    for (const shape of SHAPES) before100.set(nameOf(query, shape), await saidTo({ query, ...shape }, outsider))
  }
  await Promise.all(Array.from({ length: HIDDEN }, (_, at) => push(hiddenDocument(at))))
})

test('the owner of the hidden documents finds them, so that there is something to leak', async () => {
  const { results, total } = await search(canary(7), {}, { key: owner })
  assert.deepEqual([results[0].document_id, total], ['hidden-7', 1])
})

const CANARY = /quokkatrove|hidden-\d|merger plan|secret[012]"|clearance/

test('no response contains a canary: results, corrections, facets, highlights, explanations [L1]', async () => {
  for (let at = 0; at < HIDDEN; at += 3) {
    const word = canary(at)
    for (const query of [
      word,
      word.slice(0, -1),
      `${word.slice(0, 4)}x${word.slice(5)}`,
      `report ${word}`,
      `tag:clearance=${word}`,
    ]) {
      const answer = await saidTo({ query, facets: true, explain: true }, outsider)
      const { understood: _, ...told } = answer
      assert.doesNotMatch(JSON.stringify(told), CANARY, `"${query}"`)
      assert.equal(answer.corrected_query, null)
    }
  }
})

test('hidden titles and words are never suggested [L1]', async () => {
  for (const query of [
    'zq',
    'zqa',
    'Vault',
    'Vault z',
    'vau',
    'agent',
    'merg',
    ...Array.from({ length: 20 }, (_, at) => canary(at).slice(0, 6)),
  ]) {
    const { titles, terms, recent } = await ok('POST', '/search/suggest', { body: { query }, key: outsider })
    assert.deepEqual([titles, terms, recent], [[], [], []], `"${query}"`)
  }
  const { terms } = await ok('POST', '/search/suggest', { body: { query: 'zqa' }, key: owner })
  assert.ok(terms.length > 0, 'the owner gets no suggestions either, so the test proves nothing')
})

test('a query is remembered for its user only [L1]', async () => {
  await search(`plans of ${canary(1)}`, { remember: true }, { key: owner })
  for (const query of ['', 'plans', 'plans of']) {
    const { recent } = await ok('POST', '/search/suggest', { body: { query }, key: outsider })
    assert.deepEqual(recent, [])
  }
})

for (const shape of SHAPES) {
  test(`with ${JSON.stringify(shape)} a hundred hidden documents change no total, facet, page or order [L2 L5]`, async () => {
    for (const query of QUERIES) {
      const [was, is] = [
        before100.get(nameOf(query, shape)) as Reply['body'],
        await saidTo({ query, ...shape }, outsider),
      ]
      const idsOf = (answer: Reply['body']) => answer.results.map((it: { document_id: string }) => it.document_id)
      assert.deepEqual(idsOf(is), idsOf(was), query)
      const rest = ({ results: _, ...others }: Reply['body']) => others
      assert.deepEqual(rest(is), rest(was), query)
    }
  })
}

test('scores are relative to the best, not sums of weights over all documents [L5]', async () => {
  for (const query of QUERIES) {
    for (const { score, explanation } of (await saidTo({ query, explain: true }, outsider)).results) {
      assert.ok(score >= 0 && score <= 2, `score ${score}`)
      assert.deepEqual([explanation.score, explanation.parts], [null, null])
    }
  }
})

test('a search for a hidden word takes no longer than for an unknown word [L6]', async () => {
  // A leak shows in every measurement; the effect of other work on the machine does not.
  await timeDifference(20)
  let difference = await timeDifference(300)
  for (let more = 0; more < 3 && !isWithinNoise(difference); more++) difference = await timeDifference(300)
  assert.ok(isWithinNoise(difference), `${difference.ms.toFixed(3)} ms`)
})

interface TimeDifference {
  ms: number
  /** The median of the searches for the unknown word, in milliseconds. */
  unknown: number
}

/** A millisecond, or a fifth on a slower machine. */
const isWithinNoise = ({ ms, unknown }: TimeDifference) => Math.abs(ms) < Math.max(1, unknown / 5)

/** The median difference between searches for hidden words and for unknown words. */
async function timeDifference(rounds: number): Promise<TimeDifference> {
  const times = { hidden: [] as number[], none: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const word = canary(round % HIDDEN)
    const queries = { hidden: word, none: word.replace('quokka', 'wombat') }
    const order = round % 2 === 0 ? (['hidden', 'none'] as const) : (['none', 'hidden'] as const)
    for (const kind of order) {
      const began = performance.now()
      await ask('POST', '/search', { body: { query: queries[kind] }, key: outsider })
      times[kind].push(performance.now() - began)
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
  const unknown = median(times.none)
  return { ms: median(times.hidden) - unknown, unknown }
}

test('a user who may read two of a hundred documents gets the same results without the others [L7]', async () => {
  const key = await makeKey({ role: 'basic', user_group_ids: ['few'] })
  const few = { is_public: false, external_user_emails: [], external_user_group_ids: ['few'] }
  for (const at of [0, 1]) {
    await push(documentOf(`A lone wombatlore paper ${at}.`, { id: `few-${at}`, external_access: few }))
  }
  const { results, total } = await search('wombatlore paper', {}, { key })
  assert.deepEqual(
    [results.map((it: { document_id: string }) => it.document_id).sort(), total],
    [['few-0', 'few-1'], 2],
  )
})
