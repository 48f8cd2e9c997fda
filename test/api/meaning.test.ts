// A document that says it in other words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './steps.ts'

/** A cold model on a busy machine takes its time. */
const PATIENCE_MS = 60_000

const { ok, push, search } = await start({ EMBEDDING: 'local' })

/** The first question may have to wait for the model longer than a search does; its answer is kept for the next. */
async function byMeaning(query: string, more: Record<string, unknown> = {}) {
  let answer = await search(query, more)
  const isBoth = async () => {
    answer = await search(query, more)
    return answer.ranked_by === 'both'
  }
  await waitFor(isBoth, 'a ranking by meaning', PATIENCE_MS)
  return answer
}

test('a document that holds no word of the query is found by its meaning, under the same conditions', async () => {
  await push(documentOf('Employees get reimbursed for hotel costs.', { id: 'hotel', semantic_identifier: 'Lodging' }))
  await push(documentOf('The cat sleeps on the mat.', { id: 'cat', semantic_identifier: 'Cat' }))
  const isEmbedded = async () => {
    const { pending, total } = (await ok('GET', '/health/ready')).data.embedding
    return pending === 0 && total === 2
  }
  await waitFor(isEmbedded, 'all vectors', PATIENCE_MS)
  const answer = await byMeaning('expenses for accommodation of staff', { explain: true })
  assert.equal(answer.results[0].document_id, 'hotel')
  assert.ok(answer.results[0].explanation.words.some((it: string) => /^It means something/.test(it)))
  assert.equal(answer.total, answer.results.length)
  const { results } = await byMeaning('expenses for accommodation of staff -reimbursed')
  assert.ok(results.every((it: { document_id: string }) => it.document_id !== 'hotel'))
  assert.deepEqual((await search('"expenses for accommodation"')).results, [])
})
