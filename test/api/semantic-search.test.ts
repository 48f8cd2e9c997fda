// Semantic search for a document in other words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

/** A cold model is slow on a busy machine. */
const TIMEOUT_MS = 60_000

const { ok, push, search } = await start({ EMBEDDING: 'local' })

/** The first query may time out while the model loads; its vector is cached for the next one. */
async function byMeaning(query: string, more: Record<string, unknown> = {}) {
  let answer = await search(query, more)
  const isBoth = async () => {
    answer = await search(query, more)
    return answer.ranked_by === 'both'
  }
  await waitFor(isBoth, 'a ranking by meaning', TIMEOUT_MS)
  return answer
}

test('a document without words of the query is found semantically, with the same filters', async () => {
  await push(documentOf('Employees get reimbursed for hotel costs.', { id: 'hotel', semantic_identifier: 'Lodging' }))
  await push(documentOf('The cat sleeps on the mat.', { id: 'cat', semantic_identifier: 'Cat' }))
  const isEmbedded = async () => {
    const { pending, total } = (await ok('GET', '/health/ready')).data.embedding
    return pending === 0 && total === 2
  }
  await waitFor(isEmbedded, 'all vectors', TIMEOUT_MS)
  const answer = await byMeaning('expenses for accommodation of staff', { explain: true })
  assert.equal(answer.results[0].document_id, 'hotel')
  assert.ok(answer.results[0].explanation.words.some((it: string) => /^Its meaning is /.test(it)))
  assert.equal(answer.total, answer.results.length)
  assert.equal(answer.word_matches, 0)
  const { results } = await byMeaning('expenses for accommodation of staff -reimbursed')
  assert.ok(results.every((it: { document_id: string }) => it.document_id !== 'hotel'))
  const phrase = '"expenses for accommodation"'
  assert.deepEqual((await search(phrase, { relax: false })).results, [])
  assert.equal((await byMeaning(phrase)).results[0].document_id, 'hotel')
})

test('facets and total include semantic matches', async () => {
  await push(
    documentOf('Staff are paid back for hotel costs.', {
      id: 'other hotel',
      semantic_identifier: 'Hotels',
      source: 'wiki',
      metadata: { team: 'people' },
      doc_updated_at: new Date().toISOString(),
    }),
  )
  await waitFor(async () => (await ok('GET', '/health/ready')).data.embedding.pending === 0, 'all vectors', TIMEOUT_MS)
  const { total, word_matches, facets } = await byMeaning('expenses for accommodation of employees', { facets: true })
  const values = Object.fromEntries(
    facets.map((it: { field: string; values: { value: string; count: number }[] }) => [it.field, it.values]),
  )
  const sum = (field: string) => values[field].reduce((all: number, it: { count: number }) => all + it.count, 0)
  assert.ok(word_matches > 0 && total > word_matches, `${word_matches} of ${total} hold a word`)
  assert.equal(sum('source_type'), total)
  assert.deepEqual(values.tag, [{ value: 'team=people', count: 1 }])
  assert.equal(values.time.find((it: { value: string }) => it.value === 'day').count, total)
})
