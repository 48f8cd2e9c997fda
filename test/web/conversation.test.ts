import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatMessageDetail, ChatSessionDetailResponse } from '../../src/client/schemas.ts'
import {
  blankConversation,
  type Conversation,
  conversationOf,
  lastShown,
  messagesToShow,
  shownBranch,
  siblingsOf,
  titleOf,
  type UserMessage,
  withIds,
  withoutPending,
  withQuestion,
  withShown,
} from '../../web/src/pages/chat/conversation.ts'
import { dayGroup } from '../../web/src/pages/chat/day-group.ts'

const message = (
  message_id: number,
  parent_message: number | null,
  more: Partial<ChatMessageDetail> = {},
): ChatMessageDetail => ({
  message_id,
  parent_message,
  latest_child_message: null,
  message_type: message_id % 2 === 1 ? 'user' : 'assistant',
  message: `text ${message_id}`,
  time_sent: '2026-11-21T10:00:00Z',
  files: [],
  sources: [],
  status: 'done',
  error: null,
  feedback: null,
  chat_session_id: 'c',
  processing_duration_seconds: null,
  context_docs: null,
  citations: null,
  current_feedback: null,
  model_display_name: null,
  token_count: null,
  input_token_count: null,
  ...more,
})
const chat = (
  messages: ChatMessageDetail[],
  more: Partial<ChatSessionDetailResponse> = {},
): ChatSessionDetailResponse => ({
  chat_session_id: 'c',
  description: null,
  persona_id: 0,
  persona_name: 'Pharos',
  personal_icon_name: null,
  shared_status: 'private',
  readers: null,
  latest_child_message: null,
  messages,
  packets: [],
  time_created: '2026-11-21T10:00:00Z',
  time_updated: '2026-11-21T10:00:00Z',
  current_alternate_model: null,
  current_temperature_override: null,
  current_reasoning_effort_override: null,
  owner_name: null,
  is_owner: true,
  deleted: false,
  incognito: false,
  project_id: null,
  ...more,
})
const ids = (conversation: Conversation) => shownBranch(conversation).map((it) => it.id)

test('a branch continues with the child chosen by the service, otherwise with the newest', () => {
  const messages = [message(1, null), message(2, 1), message(3, 2), message(4, 3), message(5, 2), message(6, 5)]
  assert.deepEqual(ids(conversationOf(chat(messages))), [1, 2, 5, 6])
  const edited = [...messages, message(7, null)]
  assert.deepEqual(ids(conversationOf(chat(edited))), [7])
  assert.deepEqual(ids(conversationOf(chat(edited, { latest_child_message: 1 }))), [1, 2, 5, 6])
  messages[1] = message(2, 1, { latest_child_message: 3 })
  const conversation = conversationOf(chat(messages))
  assert.deepEqual(ids(conversation), [1, 2, 3, 4])
  const other = conversation.messages.find((it) => it.id === 5)!
  assert.deepEqual(siblingsOf(conversation, other), [3, 5])
  assert.deepEqual(ids(withShown(conversation, other)), [1, 2, 5, 6])
})

test('a message on a hidden branch is shown with the messages before it', () => {
  const messages = [message(1, null), message(2, 1), message(3, 2), message(4, 3), message(5, 2), message(6, 5)]
  const conversation = conversationOf(chat(messages))
  const hidden = (id: number) => messagesToShow(conversation, id).map((it) => it.id)
  assert.deepEqual([hidden(4), hidden(3), hidden(6), hidden(99)], [[3], [3], [], []])
})

test('a cycle of messages ends', () => {
  const messages = [message(1, null, { latest_child_message: 2 }), message(2, 1, { latest_child_message: 1 })]
  assert.deepEqual(ids(conversationOf(chat(messages))), [1, 2])
})

test('packet lists are assigned to answers in order', () => {
  const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
  const said = (content: string) => [{ placement, obj: { type: 'message_delta' as const, content } }]
  const messages = [message(1, null), message(2, 1), message(3, 2), message(4, 3, { message: 'kept' })]
  const conversation = conversationOf(chat(messages, { packets: [said('first'), []] }))
  const texts = conversation.messages.flatMap((it) => (it.type === 'assistant' ? [it.answer.text] : []))
  assert.deepEqual(texts, ['first', 'kept'])
})

test('a running answer is resumed, except in another user’s chat', () => {
  const messages = [message(1, null), message(2, 1, { status: 'running' })]
  assert.deepEqual(conversationOf(chat(messages)).running, { message: 2, isRead: false })
  assert.equal(conversationOf(chat(messages, { is_owner: false })).running, null)
})

test('pending messages receive their ids, and the branch stays', () => {
  const asked = withQuestion(blankConversation(0), { text: 'why?', files: [], sources: [], parent: null })
  assert.equal(asked.running?.isRead, true)
  const numbered = withIds(asked, 11, 12)
  assert.deepEqual(ids(numbered), [11, 12])
  assert.equal(numbered.running?.message, 12)
  assert.equal(lastShown(numbered), 12)
  assert.equal(titleOf(numbered), 'why?')
})

test('a rejected question is removed', () => {
  const before = conversationOf(chat([message(1, null), message(2, 1)]))
  const question = { text: 'x', files: [], sources: [], parent: null }
  assert.deepEqual(ids(withoutPending(withQuestion(before, question))), [1, 2])
  const again = before.messages[0] as UserMessage
  assert.deepEqual(ids(withoutPending(withQuestion(before, { again }))), [1, 2])
  assert.deepEqual(ids(withoutPending(withQuestion(blankConversation(0), question))), [])
})

for (const [at, group] of [
  ['2026-11-21T00:00:00', 'today'],
  ['2026-11-21T23:59:00', 'today'],
  ['2026-11-20T23:59:00', 'yesterday'],
  ['2026-11-19T23:59:00', 'week'],
  ['2026-11-14T00:01:00', 'week'],
  ['2026-11-13T12:00:00', 'month'],
  ['2026-09-01T12:00:00', 'older'],
] as const) {
  test(`${at} is ${group}`, () => {
    assert.equal(dayGroup(new Date(at), new Date('2026-11-21T18:00:00')), group)
  })
}

test('the root system message is not shown and is no parent', () => {
  const root = message(0, null, { message_type: 'system', message: '', latest_child_message: 3 })
  const messages = [root, message(1, 0), message(2, 1), message(3, 0), message(4, 3)]
  const conversation = conversationOf(chat(messages, { latest_child_message: 3 }))
  assert.deepEqual(ids(conversation), [3, 4])
  assert.deepEqual(siblingsOf(conversation, conversation.messages[0]!), [1, 3])
  assert.equal(conversation.messages[0]!.parent, null)
})
