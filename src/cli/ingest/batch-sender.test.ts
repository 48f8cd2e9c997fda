import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiClient } from '../../client/api.ts'
import { createBatchSender } from './batch-sender.ts'

const bodyOf = (id: string) => ({ document: { id, semantic_identifier: id, sections: [], metadata: {} } })
const lines = (...answers: object[]) => answers.map((it) => `${JSON.stringify(it)}\n`).join('')
const taken = (line: number, already_existed = false) => ({
  line,
  document_id: 'x',
  already_existed,
  status: 'accepted',
})

/** Answers requests in order and records the documents of each. */
function fakeServer(...answers: { status?: number; text: string; headers?: Record<string, string> }[]) {
  const asked: string[][] = []
  const waits: string[] = []
  const fetch = async (_url: string, { body }: RequestInit) => {
    const sent = String(body).trim().split('\n')
    asked.push(sent.map((line) => JSON.parse(line).document.id))
    const { text, status = 200, headers = {} } = answers[asked.length - 1]!
    return new Response(text, { status, headers })
  }
  const sender = createBatchSender({
    api: createApiClient({ url: 'http://host', fetch }),
    signal: new AbortController().signal,
    clock: () => 0,
    onWait: (reason) => waits.push(reason),
  })
  return { asked, waits, send: (...ids: string[]) => sender.send(ids.map(bodyOf)) }
}

test('every line gets its own outcome', async () => {
  const misfit = { error: { detail: [{ loc: ['body', 'document'], msg: 'Field required', type: 'missing' }] } }
  const unknown = { error: { error_code: 'CC_PAIR_NOT_FOUND', detail: 'No such pair.' } }
  const text = lines(taken(1), { line: 2, ...misfit }, { line: 3, ...unknown }, taken(4, true), { done: true })
  const { send, waits } = fakeServer({ text })
  assert.deepEqual(await send('a', 'b', 'c', 'd'), [
    'created',
    { refused: 'body.document: Field required' },
    { refused: 'No such pair.' },
    'updated',
  ])
  assert.deepEqual(waits, [])
})

const BROKEN = {
  'the queue becomes full': lines(taken(1), {
    done: false,
    resume_line: 2,
    error: { error_code: 'QUEUE_FULL', detail: 'Full.', retry_after: 0 },
  }),
  'the answer is cut off': lines(taken(1)),
  'a line is deferred': lines(taken(1), { line: 2, error: { detail: 'Full.', retry_after: 0 } }, taken(3), {
    done: true,
  }),
}
for (const [what, text] of Object.entries(BROKEN))
  test(`if ${what}, only lines without an answer are sent again`, async () => {
    const rest = what === 'a line is deferred' ? ['b'] : ['b', 'c']
    const again = lines(...rest.map((_, at) => taken(at + 1, true)), { done: true })
    const { send, asked } = fakeServer({ text }, { text: again })
    const outcomes = await send('a', 'b', 'c')
    assert.deepEqual(outcomes[0], 'created')
    assert.deepEqual(asked, [['a', 'b', 'c'], rest])
    assert.ok(outcomes.every((it) => it === 'created' || it === 'updated'))
  })

test('the sender waits for a service whose queue is full, but not after a 403', async () => {
  const full = { status: 503, text: '{"error_code":"QUEUE_FULL","detail":"Full."}', headers: { 'retry-after': '0' } }
  const { send, waits } = fakeServer(full, full, { text: lines(taken(1), { done: true }) })
  assert.deepEqual(await send('a'), ['created'])
  assert.deepEqual(waits, ['Full.', 'Full.'])
  const forbidden = fakeServer({ status: 403, text: '{"error_code":"INSUFFICIENT_PERMISSIONS","detail":"No."}' })
  await assert.rejects(forbidden.send('a'), /No\./)
})
