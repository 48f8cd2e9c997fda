import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet, PacketObject } from '../../src/client/schemas.ts'
import './english.ts'
import { EMPTY_ANSWER, pendingCall, plainText, toAnswer } from '../../web/src/pages/chat/answer.ts'
import { documentOf } from '../e2e/fake-chat-api.ts'

const at = (turn_index: number, ...objects: PacketObject[]): Packet[] =>
  objects.map((obj) => ({ placement: { turn_index, tab_index: 0, sub_turn_index: null, model_index: null }, obj }))
const begin = { type: 'message_start', final_documents: null, pre_answer_processing_seconds: null } as const
const one = documentOf({ document_id: 'one', semantic_identifier: 'The first' })
const two = documentOf({ document_id: 'two', link: null })

const call = { tool_name: 'create', tool_id: 1, tool_args: { a: 1 } }
const confirmation: PacketObject = {
  type: 'custom_tool_confirmation',
  ...call,
  confirmation_id: 'c',
  method: 'POST',
  url: 'https://x.example',
}

test('a search is one step with unique documents, done at the end of its section', () => {
  const begun = at(
    0,
    { type: 'search_tool_start', is_internet_search: false },
    { type: 'search_tool_queries_delta', queries: ['a'] },
    { type: 'search_tool_queries_delta', queries: ['b'] },
    { type: 'search_tool_documents_delta', documents: [one] },
    { type: 'search_tool_documents_delta', documents: [one, two] },
  )
  const step = { key: '0/0/', kind: 'search', isInternet: false, queries: ['a', 'b'], filters: null }
  assert.deepEqual(toAnswer(begun).steps, [{ ...step, documents: [one, two], isDone: false }])
  const { steps, documents } = toAnswer([...begun, ...at(0, { type: 'section_end' })])
  assert.deepEqual(steps, [{ ...step, documents: [one, two], isDone: true }])
  assert.deepEqual(documents, [one, two])
})

test('two calls of a tool at one placement are two steps', () => {
  const start: PacketObject = { type: 'search_tool_start', is_internet_search: false }
  assert.equal(toAnswer(at(0, start, { type: 'section_end' }, start)).steps.length, 2)
  assert.equal(toAnswer(at(0, start, start)).steps.length, 2)
  assert.equal(
    toAnswer(at(0, { type: 'reasoning_start' }, { type: 'reasoning_delta', reasoning: 'a' })).steps.length,
    1,
  )
})

test('parallel tools are separate steps', () => {
  const [first, second] = [0, 1].map((tab_index) =>
    at(0, { type: 'custom_tool_start', tool_name: `t${tab_index}`, tool_id: 1 }).map((it) => ({
      ...it,
      placement: { ...it.placement, tab_index },
    })),
  )
  const names = toAnswer([...first!, ...second!]).steps.map((it) => it.kind === 'tool' && it.tool_name)
  assert.deepEqual(names, ['t0', 't1'])
})

test('a call waits for approval until the tool responds or the answer ends', () => {
  const asked = at(0, { type: 'custom_tool_start', ...call }, confirmation)
  assert.equal(pendingCall(toAnswer(asked))?.confirmation_id, 'c')
  const answered = at(0, { type: 'custom_tool_delta', ...call, response_type: 'json', data: 1, file_ids: null })
  assert.equal(pendingCall(toAnswer([...asked, ...answered])), undefined)
  assert.equal(pendingCall(toAnswer([...asked, ...at(1, { type: 'stop', stop_reason: null })])), undefined)
})

test('text before and after a tool call is separated, and tokens are summed', () => {
  const usage: PacketObject = { type: 'token_usage', model: 'm', input_tokens: 10, output_tokens: 1 }
  const packets = at(0, begin, { type: 'message_delta', content: 'a' }, usage, begin, usage, {
    type: 'message_delta',
    content: 'b',
  })
  assert.equal(toAnswer(packets).text, 'a\n\nb')
  assert.deepEqual(toAnswer(packets).usage, { model: 'm', input_tokens: 20, output_tokens: 2 })
})

test('an extractive answer gives its reason', () => {
  const start = (extractive_reason?: string): Packet[] =>
    at(0, { ...begin, is_extractive: true, ...(extractive_reason && { extractive_reason }) })
  assert.equal(toAnswer(start('The budget is spent.')).extractiveReason, 'The budget is spent.')
  assert.match(toAnswer(start()).extractiveReason!, /quotes/)
  assert.equal(EMPTY_ANSWER.extractiveReason, null)
})

test('unknown packets are counted but ignored, and heartbeats are not counted', () => {
  // A newer service may send this.
  const strange = { type: 'image_generation_start' } as unknown as PacketObject
  assert.deepEqual(toAnswer(at(0, strange, { type: 'chat_heartbeat' })), { ...EMPTY_ANSWER, packets: 1 })
})

test('the copied text lists its sources', () => {
  const answer = toAnswer(
    at(
      0,
      { ...begin, final_documents: [one, two] },
      { type: 'message_delta', content: 'Yes [[1]](https://a%28b%29), no [[2]](). See [3].' },
      { type: 'citation_info', citation_number: 1, document_id: 'one', link: 'https://a#b' },
      { type: 'citation_info', citation_number: 2, document_id: 'two', link: null },
    ),
  )
  assert.equal(plainText(answer), 'Yes [1], no [2]. See [3].\n\n[1] The first – https://a#b\n[2] two')
})
