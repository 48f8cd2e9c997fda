import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet, PacketObject } from '../../src/client/schemas.ts'
import { NOTHING, pendingCall, plainText, readAnswer } from '../../web/src/chat/answer.ts'
import { documentOf } from '../e2e/chat-stand-in.ts'

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

test('a search is one step, with each document once, and done at the end of its section', () => {
  const begun = at(
    0,
    { type: 'search_tool_start', is_internet_search: false },
    { type: 'search_tool_queries_delta', queries: ['a'] },
    { type: 'search_tool_queries_delta', queries: ['b'] },
    { type: 'search_tool_documents_delta', documents: [one] },
    { type: 'search_tool_documents_delta', documents: [one, two] },
  )
  const step = { key: '0/0/', kind: 'search', isInternet: false, queries: ['a', 'b'], filters: null }
  assert.deepEqual(readAnswer(begun).steps, [{ ...step, documents: [one, two], isDone: false }])
  const { steps, documents } = readAnswer([...begun, ...at(0, { type: 'section_end' })])
  assert.deepEqual(steps, [{ ...step, documents: [one, two], isDone: true }])
  assert.deepEqual(documents, [one, two])
})

test('a tool that is called twice in one place is two steps', () => {
  const start: PacketObject = { type: 'search_tool_start', is_internet_search: false }
  assert.equal(readAnswer(at(0, start, { type: 'section_end' }, start)).steps.length, 2)
  assert.equal(readAnswer(at(0, start, start)).steps.length, 2)
  assert.equal(
    readAnswer(at(0, { type: 'reasoning_start' }, { type: 'reasoning_delta', reasoning: 'a' })).steps.length,
    1,
  )
})

test('tools that work beside each other are steps of their own', () => {
  const [first, second] = [0, 1].map((tab_index) =>
    at(0, { type: 'custom_tool_start', tool_name: `t${tab_index}`, tool_id: 1 }).map((it) => ({
      ...it,
      placement: { ...it.placement, tab_index },
    })),
  )
  const names = readAnswer([...first!, ...second!]).steps.map((it) => it.kind === 'tool' && it.tool_name)
  assert.deepEqual(names, ['t0', 't1'])
})

test('a call waits for its person until the tool answers, or until nothing more comes', () => {
  const asked = at(0, { type: 'custom_tool_start', ...call }, confirmation)
  assert.equal(pendingCall(readAnswer(asked))?.confirmation_id, 'c')
  const answered = at(0, { type: 'custom_tool_delta', ...call, response_type: 'json', data: 1, file_ids: null })
  assert.equal(pendingCall(readAnswer([...asked, ...answered])), undefined)
  assert.equal(pendingCall(readAnswer([...asked, ...at(1, { type: 'stop', stop_reason: null })])), undefined)
})

test('texts around a tool are paragraphs, and tokens are summed', () => {
  const usage: PacketObject = { type: 'token_usage', model: 'm', input_tokens: 10, output_tokens: 1 }
  const packets = at(0, begin, { type: 'message_delta', content: 'a' }, usage, begin, usage, {
    type: 'message_delta',
    content: 'b',
  })
  assert.equal(readAnswer(packets).text, 'a\n\nb')
  assert.deepEqual(readAnswer(packets).usage, { model: 'm', input_tokens: 20, output_tokens: 2 })
})

test('an answer that quotes says why', () => {
  const start = (extractive_reason?: string): Packet[] =>
    at(0, { ...begin, is_extractive: true, ...(extractive_reason && { extractive_reason }) })
  assert.equal(readAnswer(start('The budget is spent.')).quotesBecause, 'The budget is spent.')
  assert.match(readAnswer(start()).quotesBecause!, /quotes/)
  assert.equal(NOTHING.quotesBecause, null)
})

test('packets that are not known count and say nothing; heartbeats do not even count', () => {
  // What a newer service may send.
  const strange = { type: 'image_generation_start' } as unknown as PacketObject
  assert.deepEqual(readAnswer(at(0, strange, { type: 'chat_heartbeat' })), { ...NOTHING, packets: 1 })
})

test('what is copied names its sources', () => {
  const answer = readAnswer(
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
