import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet, PacketObject } from '../../domain/chat/packet.ts'
import { createSearchDoc, type SearchDoc } from '../../domain/chat/search-doc.ts'
import { compactPackets, documentsInPackets, reducePackets, removeCitationMarkers, sumUsage } from './reduce-packets.ts'

const at = (turn_index: number, obj: PacketObject, tab_index = 0): Packet => ({
  placement: { turn_index, tab_index, sub_turn_index: null, model_index: null },
  obj,
})
const documentOf = (document_id: string, more: Partial<SearchDoc> = {}): SearchDoc =>
  createSearchDoc({ document_id, semantic_identifier: document_id, source_type: 'web', ...more })
const delta = (content: string, turn = 1) => at(turn, { type: 'message_delta', content })

test('no packets give an empty answer', () => {
  assert.deepEqual(reducePackets([]), {
    answer: '',
    answer_citationless: '',
    pre_answer_reasoning: null,
    tool_calls: [],
    top_documents: [],
    citation_info: [],
    is_extractive: false,
    extractive_reason: null,
    error_msg: null,
  })
})

test('an answer with a search, citations and an error', () => {
  const [one, two] = [documentOf('one'), documentOf('two')]
  const cited = { type: 'citation_info', citation_number: 1, document_id: 'one' } as const
  const folded = reducePackets([
    at(0, { type: 'search_tool_start', is_internet_search: false }),
    at(0, { type: 'search_tool_queries_delta', queries: ['harbour'] }),
    at(0, { type: 'search_tool_documents_delta', documents: [one, two] }),
    at(0, { type: 'section_end' }),
    at(1, { type: 'reasoning_delta', reasoning: 'So ' }),
    at(1, { type: 'reasoning_delta', reasoning: 'what.' }),
    at(2, { type: 'message_start', final_documents: null, pre_answer_processing_seconds: 0.1 }),
    delta('It opens at nine [[1]](https://a.example/#x).', 2),
    at(2, cited),
    delta(' As [9] says.', 2),
    at(2, { type: 'error', message: 'The model broke off.' }),
    at(2, { type: 'stop', stop_reason: null }),
  ])
  assert.deepEqual(folded, {
    answer: 'It opens at nine [[1]](https://a.example/#x). As [9] says.',
    answer_citationless: 'It opens at nine. As [9] says.',
    pre_answer_reasoning: 'So what.',
    tool_calls: [
      {
        tool_name: 'internal_search',
        tool_arguments: { queries: ['harbour'] },
        tool_result: '',
        search_docs: [one, two],
        generated_images: null,
        pre_reasoning: null,
      },
    ],
    top_documents: [one, two],
    citation_info: [cited],
    is_extractive: false,
    extractive_reason: null,
    error_msg: 'The model broke off.',
  })
})

test('parallel tools are separate calls with their arguments and results', () => {
  const tool = { tool_name: 'tickets', tool_id: 7 }
  const { tool_calls } = reducePackets([
    at(0, { type: 'reasoning_delta', reasoning: 'I look.' }),
    at(0, { type: 'tool_call_debug', tool_call_id: 'x', tool_name: 'getTicket', tool_args: { id: 3 } }),
    at(0, { type: 'custom_tool_start', ...tool }),
    at(0, { type: 'custom_tool_args', tool_name: 'tickets', tool_args: { id: 3 } }),
    at(0, { type: 'custom_tool_delta', ...tool, response_type: 'json', data: { state: 'open' }, file_ids: null }),
    at(0, { type: 'file_reader_start' }, 1),
    at(
      0,
      {
        type: 'file_reader_result',
        file_name: 'a.txt',
        file_id: 'f',
        start_char: 0,
        end_char: 3,
        total_chars: 3,
        preview_start: 'abc',
        preview_end: '',
      },
      1,
    ),
    at(0, { type: 'open_url_start' }, 2),
    at(0, { type: 'open_url_urls', urls: ['https://a.example'] }, 2),
    at(1, {
      type: 'custom_tool_delta',
      ...tool,
      response_type: 'error',
      data: null,
      file_ids: null,
      error: { is_auth_error: true, status_code: 401, message: 'Sign in first.' },
    }),
  ])
  assert.deepEqual(
    tool_calls.map((it) => [it.tool_name, it.tool_arguments, it.tool_result, it.pre_reasoning]),
    [
      ['tickets', { id: 3 }, '{"state":"open"}', 'I look.'],
      ['read_file', { file_id: 'f', file_name: 'a.txt' }, 'abc', null],
      ['open_url', { urls: ['https://a.example'] }, '', null],
      ['tickets', {}, 'Sign in first.', null],
    ],
  )
})

test('an extractive answer is marked as such', () => {
  const { is_extractive, extractive_reason } = reducePackets([
    at(0, {
      type: 'message_start',
      final_documents: null,
      pre_answer_processing_seconds: 0,
      is_extractive: true,
      extractive_reason: 'No language model is configured.',
    }),
  ])
  assert.deepEqual([is_extractive, extractive_reason], [true, 'No language model is configured.'])
})

test('text deltas are merged within a step, not across steps, and heartbeats are dropped', () => {
  const kept = compactPackets([delta('a'), delta('b'), at(1, { type: 'chat_heartbeat' }), delta('c'), delta('d', 2)])
  assert.deepEqual(kept, [delta('abc'), delta('d', 2)])
})

test('each document is listed once, at its first appearance', () => {
  const found = (...ids: string[]) =>
    at(0, { type: 'search_tool_documents_delta', documents: ids.map((it) => documentOf(it)) })
  const ids = documentsInPackets([found('b', 'a'), found('a', 'c')]).map((it) => it.document_id)
  assert.deepEqual(ids, ['b', 'a', 'c'])
})

test('without usage packets no model is named', () => {
  assert.deepEqual(sumUsage([delta('a')]), { model: null, input_tokens: 0, output_tokens: 0 })
})

const MARKS: [text: string, numbers: number[], plain: string][] = [
  ['a [[1]](https://x) b', [1], 'a b'],
  ['a [[1]]()[[2]](x).', [1, 2], 'a.'],
  ['a [[1]](x) [[2]](y)', [2], 'a [[1]](x)'],
  ['list[1] and [1](x)', [1], 'list[1] and [1](x)'],
]
for (const [text, numbers, plain] of MARKS) {
  test(`"${text}" without the markers ${numbers} is "${plain}"`, () => {
    assert.equal(removeCitationMarkers(text, new Set(numbers)), plain)
  })
}
