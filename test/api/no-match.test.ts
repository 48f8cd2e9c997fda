// A question that nothing answers has no results, and the pages that come nearest are named.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

/** A cold model is slow on a busy machine. */
const TIMEOUT_MS = 60_000
const { ok, push, search: ask, makeKey } = await start({ EMBEDDING: 'local' })

interface Answer {
  results: { document_id: string }[]
  no_match: boolean
  closest: { document_id: string; semantic_identifier: string; link: string | null }[]
  total: number
  word_matches: number | null
  facets: { field: string; values: { value: string; count: number }[] }[] | null
  next_cursor: string | null
  ranked_by: string
  search_id: string | null
}

let clerk: string
before(async () => {
  const external_access = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  const pages: Record<string, string> = {
    vacation: 'Holiday rules: everybody has 30 days of paid vacation.',
    vacuum:
      'The command vacuum frees the space of dead rows in a table. The setting max_connections limits connections.',
    replication: 'A standby server replays the log of the primary server, and an index needs space on both.',
    backup: 'Write the tables of a database into a script, and load them again on a new server with the client.',
    lock: 'A transaction waits until the lock on the row is free. Call the function pg_blocking to see who waits.',
  }
  for (const [id, text] of Object.entries(pages))
    await push(
      documentOf('', {
        id,
        semantic_identifier: `About ${id}`,
        sections: [{ text, link: `https://manual.example/${id}` }],
      }),
    )
  await push(
    documentOf('Book a parking lot at the reception.', { id: 'secret', semantic_identifier: 'Cars', external_access }),
  )
  clerk = await makeKey({ role: 'basic', user_email: 'clerk@example.com' })
  const isEmbedded = async () => (await ok('GET', '/health/ready')).data.embedding.pending === 0
  await waitFor(isEmbedded, 'all vectors', TIMEOUT_MS)
  await waitFor(async () => (await find('warm')).ranked_by === 'both', 'a ranking by meaning', TIMEOUT_MS)
})

/** The first try of a query on a busy machine may be ranked by words alone. */
async function find(query: string, more: Record<string, unknown> = {}): Promise<Answer> {
  let answer: Answer = await ask(query, more, { key: clerk })
  const isBoth = async () => {
    answer = await ask(query, more, { key: clerk })
    return answer.ranked_by !== 'words'
  }
  await waitFor(isBoth, 'a ranking by meaning', TIMEOUT_MS)
  return answer
}
const idsOf = ({ results }: Answer) => results.map((it) => it.document_id)

const ABSENT = 'how do I book a space for my new bicycle'

test('a question that nothing answers has no results, but the closest pages', async () => {
  const answer = await find(ABSENT, { facets: true })
  assert.deepEqual(
    [answer.results, answer.no_match, answer.total, answer.word_matches, answer.next_cursor],
    [[], true, 0, 0, null],
  )
  assert.equal(answer.closest.length, 3)
  for (const { document_id: id, ...page } of answer.closest)
    assert.deepEqual(page, { semantic_identifier: `About ${id}`, link: `https://manual.example/${id}` })
  const counts = answer.facets?.flatMap((it) => it.values.map(({ count }) => count)) ?? []
  assert.equal(Math.max(0, ...counts), 0)
})

test('with `answers_only: false` it has results', async () => {
  const answer = await find(ABSENT, { answers_only: false })
  assert.ok(answer.results.length > 0)
  assert.deepEqual([answer.no_match, answer.closest], [false, []])
})

test('a further page of such a question is empty too', async () => {
  const answer = await find(ABSENT, { offset: 1 })
  assert.deepEqual([answer.results, answer.no_match, answer.total], [[], true, 0])
})

test('a search is never empty for words, names, phrases, conditions and filters that are met', async () => {
  const found: Record<string, Record<string, unknown>> = {
    space: {},
    'space server': {},
    'what on earth could be meant by max_connections here': {},
    '"standby server"': {},
    'how do I book a space title:vacuum': {},
    [`${ABSENT} source:web`]: {},
    [`${ABSENT} `]: { sources: ['web'] },
    [`${ABSENT}  `]: { sort: 'date' },
  }
  for (const [query, more] of Object.entries(found)) {
    const answer = await find(query, more)
    assert.ok(answer.total > 0, query)
    assert.equal(answer.no_match, false, query)
  }
})

test('a document in other words is an answer', async () => {
  for (const query of ['vacation policy', 'how many days off do I get in a year'])
    assert.equal(idsOf(await find(query))[0], 'vacation', query)
})

test('a question in another language is not judged by its words', async () => {
  assert.ok((await find('Wie kann ich eine Tabelle in der database umbenennen?')).total > 0)
})

test('an administrator learns why a document is not found', async () => {
  await find(ABSENT)
  const question = new URLSearchParams({ query: ABSENT, document_id: 'vacuum' })
  const { lost_at, steps } = await ok('GET', `/admin/search/why?${question}`)
  assert.equal(lost_at, 'rank')
  assert.match(steps.at(-1).detail, /, but nothing answers the query, so there are no results\.$/)
})

test('such a search is recorded as one without results', async () => {
  const { search_id } = await find('which comet has astronauts seen in space')
  assert.ok(search_id !== null)
  await ok('PATCH', '/admin/settings', { body: { query_min_people: 1 } })
  const isListed = async () => {
    const { zero_results } = await ok('GET', '/admin/relevance/queries')
    return JSON.stringify(zero_results).includes('which comet')
  }
  await waitFor(isListed, 'the recorded query')
})
