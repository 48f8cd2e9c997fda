import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet, PacketObject } from '../../domain/chat/packet.ts'
import { createSearchDoc, type SearchDoc } from '../../domain/chat/search-doc.ts'
import type { StoredMessage } from '../../store/chats/messages.ts'
import { documentIdsInPackets, redactForOthers, redactForOwner, WITHHELD_MESSAGE } from './redact.ts'

const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
const packet = (obj: PacketObject): Packet => ({ placement, obj })
const documentOf = (document_id: string, more: Partial<SearchDoc> = {}) =>
  createSearchDoc({ document_id, source_type: 'web', semantic_identifier: `title of ${document_id}`, ...more })
const found = (...documents: SearchDoc[]) => packet({ type: 'search_tool_documents_delta', documents })
const cited = (citation_number: number, document_id: string) =>
  packet({ type: 'citation_info', citation_number, document_id, link: `https://${document_id}`, quote: 'q' })
const delta = (content: string) => packet({ type: 'message_delta', content })

const messageOf = (id: number, parent_id: number | null, packets: Packet[] = []): StoredMessage => ({
  id,
  chat_session_id: 's',
  parent_id,
  latest_child_id: null,
  message_type: packets.length === 0 ? 'user' : 'assistant',
  status: 'done',
  message: packets.flatMap(({ obj }) => (obj.type === 'message_delta' ? [obj.content] : [])).join('') || `m${id}`,
  error: null,
  packets,
  files: [{ id: 'f', type: 'document', name: 'f.txt' }],
  sources: ['jira'],
  feedback: { is_positive: true, feedback_text: null, predefined_feedback: null },
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  citations_removed: 0,
  runner: null,
  alive_until: null,
  time_sent: 0,
  time_ended: 0,
})
const all = () => true
const allBut = (id: string) => (it: string) => it !== id

test('only documents that are neither web pages nor attached files are subject to access control', () => {
  const attached = documentOf('file', { source_type: 'user_file', file_id: 'file' })
  const page = documentOf('https://x', { is_internet: true })
  const pretending = documentOf('doc', { source_type: 'user_file' })
  const ids = documentIdsInPackets([
    found(documentOf('a'), attached, page, pretending),
    cited(1, 'file'),
    cited(2, 'gone'),
  ])
  assert.deepEqual(ids, ['a', 'doc', 'gone'])
})

const ANSWER = [
  found(documentOf('a'), documentOf('b')),
  delta('x [[1]](https://a) y [[2]](https://b)'),
  cited(1, 'a'),
  cited(2, 'b'),
]

test('the owner sees an answer unchanged while they may read all its documents', () => {
  const message = messageOf(2, 1, ANSWER)
  assert.equal(redactForOwner(message, all), message)
})

test('the owner sees nothing of a document that they may no longer read', () => {
  const seen = redactForOwner(messageOf(2, 1, ANSWER), allBut('b'))
  assert.equal(seen.message, 'x [[1]](https://a) y')
  assert.deepEqual(seen.packets, [found(documentOf('a')), delta('x [[1]](https://a) y'), cited(1, 'a')])
  assert.doesNotMatch(JSON.stringify(seen), /title of b|https:\/\/b/)
})

test('others see an answer if they may read all its documents', () => {
  const [question, answer] = redactForOthers([messageOf(1, null), messageOf(2, 1, ANSWER)], all)
  assert.deepEqual([question?.message, question?.files, question?.sources], ['m1', [], []])
  assert.equal(question?.feedback, null)
  assert.deepEqual([answer?.packets, answer?.feedback], [ANSWER, null])
})

test('an answer with a document that others may not read is withheld, and so are the answers after it', () => {
  const messages = [
    messageOf(1, null),
    messageOf(2, 1, ANSWER),
    messageOf(3, 2),
    messageOf(4, 3, [delta('as I said')]),
    // Another branch from the root.
    messageOf(5, null),
    messageOf(6, 5, [delta('unrelated')]),
  ]
  const seen = redactForOthers(messages, allBut('b'))
  assert.deepEqual(
    seen.map((it) => it.message),
    ['m1', WITHHELD_MESSAGE, 'm3', WITHHELD_MESSAGE, 'm5', 'unrelated'],
  )
  assert.deepEqual([seen[1]?.packets, seen[3]?.packets], [[], []])
})

test('tool arguments, tool results and files are visible only to the owner', () => {
  const tool = { tool_name: 'tickets', tool_id: 7 }
  const attached = documentOf('file', { source_type: 'user_file', file_id: 'file' })
  const packets = [
    found(attached, documentOf('a')),
    packet({ type: 'custom_tool_start', ...tool }),
    packet({ type: 'custom_tool_args', tool_name: 'tickets', tool_args: { id: 'CANARY' } }),
    packet({ type: 'custom_tool_delta', ...tool, response_type: 'json', data: 'CANARY', file_ids: null }),
    packet({ type: 'tool_call_debug', tool_call_id: '1', tool_name: 'x', tool_args: { q: 'CANARY' } }),
    packet({ type: 'reasoning_delta', reasoning: 'CANARY' }),
    delta('Open [[1]](/file).'),
    cited(1, 'file'),
  ]
  const [seen] = redactForOthers([messageOf(2, 1, packets)], all)
  assert.deepEqual(seen?.packets, [found(documentOf('a')), delta('Open.')])
  assert.doesNotMatch(JSON.stringify(seen), /CANARY|title of file/)
})

test('a packet of an unknown type is visible only to the owner', () => {
  // A newer version may have stored it.
  const unknown = packet({ type: 'new_tool_result', data: 'CANARY' } as unknown as PacketObject)
  const message = messageOf(2, 1, [delta('Done.'), unknown])
  assert.deepEqual(redactForOthers([message], all)[0]?.packets, [delta('Done.')])
  assert.deepEqual(redactForOwner(message, all).packets, [delta('Done.'), unknown])
})
