import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet, PacketObject } from '../domain/packet.ts'
import { type SearchDoc, searchDocOf } from '../domain/search-doc.ts'
import type { StoredMessage } from '../store/chat-messages.ts'
import { documentIdsOf, seenByOthers, seenByOwner, WITHHELD } from './seen.ts'

const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
const packet = (obj: PacketObject): Packet => ({ placement, obj })
const documentOf = (document_id: string, more: Partial<SearchDoc> = {}) =>
  searchDocOf({ document_id, source_type: 'web', semantic_identifier: `title of ${document_id}`, ...more })
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
  feedback: { is_positive: true, feedback_text: null, predefined_feedback: null },
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  runner: null,
  alive_until: null,
  time_sent: 0,
  time_ended: 0,
})
const all = () => true
const allBut = (id: string) => (it: string) => it !== id

test('documents of the record are those that are neither pages of the internet nor attached files', () => {
  const attached = documentOf('file', { source_type: 'user_file', file_id: 'file' })
  const page = documentOf('https://x', { is_internet: true })
  const pretending = documentOf('doc', { source_type: 'user_file' })
  const ids = documentIdsOf([found(documentOf('a'), attached, page, pretending), cited(1, 'file'), cited(2, 'gone')])
  assert.deepEqual(ids, ['a', 'doc', 'gone'])
})

const ANSWER = [
  found(documentOf('a'), documentOf('b')),
  delta('x [[1]](https://a) y [[2]](https://b)'),
  cited(1, 'a'),
  cited(2, 'b'),
]

test('who asked sees an answer as it was while they may read all of it', () => {
  const message = messageOf(2, 1, ANSWER)
  assert.equal(seenByOwner(message, all), message)
})

test('who asked sees nothing more of a document that they may not read any longer', () => {
  const seen = seenByOwner(messageOf(2, 1, ANSWER), allBut('b'))
  assert.equal(seen.message, 'x [[1]](https://a) y')
  assert.deepEqual(seen.packets, [found(documentOf('a')), delta('x [[1]](https://a) y'), cited(1, 'a')])
  assert.doesNotMatch(JSON.stringify(seen), /title of b|https:\/\/b/)
})

test('others see an answer when they may read all that it had to do with', () => {
  const [question, answer] = seenByOthers([messageOf(1, null), messageOf(2, 1, ANSWER)], all)
  assert.deepEqual([question?.message, question?.files, question?.feedback], ['m1', [], null])
  assert.deepEqual([answer?.packets, answer?.feedback], [ANSWER, null])
})

test('an answer with a document that others may not read is withheld, and so is what came after it', () => {
  const messages = [
    messageOf(1, null),
    messageOf(2, 1, ANSWER),
    messageOf(3, 2),
    messageOf(4, 3, [delta('as I said')]),
    // Another branch from the root.
    messageOf(5, null),
    messageOf(6, 5, [delta('unrelated')]),
  ]
  const seen = seenByOthers(messages, allBut('b'))
  assert.deepEqual(
    seen.map((it) => it.message),
    ['m1', WITHHELD, 'm3', WITHHELD, 'm5', 'unrelated'],
  )
  assert.deepEqual([seen[1]?.packets, seen[3]?.packets], [[], []])
})

test('what tools were told and answered, and files, stay with who asked', () => {
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
  const [seen] = seenByOthers([messageOf(2, 1, packets)], all)
  assert.deepEqual(seen?.packets, [found(documentOf('a')), delta('Open.')])
  assert.doesNotMatch(JSON.stringify(seen), /CANARY|title of file/)
})
