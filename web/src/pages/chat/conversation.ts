// A conversation in the client: a tree of questions and answers, of which one branch is shown.
import type { ChatMessageDetail, ChatReaders, ChatSessionDetailResponse } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { type Answer, EMPTY_ANSWER, toAnswer } from './answer.ts'
import type { FileDescriptor } from './wire.ts'

interface MessageBase {
  id: number
  parent: number | null
}
export interface UserMessage extends MessageBase {
  type: 'user'
  text: string
  files: readonly FileDescriptor[]
  /** The sources that it is limited to; empty: all. */
  sources: readonly string[]
}
export interface AnswerMessage extends MessageBase {
  type: 'assistant'
  answer: Answer
  /** Why the answer is incomplete. */
  error: string | null
  feedback: { is_positive: boolean | null; feedback_text: string | null } | null
}
export type Message = UserMessage | AnswerMessage

export interface Conversation {
  /** Null until the service assigns one. */
  id: string | null
  name: string | null
  persona_id: number
  persona_name: string | null
  project_id: number | null
  isPublic: boolean
  /** With whom it is shared by name. Null before it is stored, and for readers. */
  readers: ChatReaders | null
  /** Shared by another user. */
  isForeign: boolean
  messages: readonly Message[]
  /** The child that is shown, by parent id; the first message has the parent 0. */
  shown: ReadonlyMap<number, number>
  /** The running answer, and whether this page is reading it. */
  running: { message: number; isRead: boolean } | null
}

const ROOT = 0
const MAX_TITLE = 100
/** Ids of messages that the service has not numbered yet. */
const PENDING_QUESTION = -1
const PENDING_ANSWER = -2

export const blankConversation = (persona_id: number): Conversation => ({
  id: null,
  name: null,
  persona_id,
  persona_name: null,
  project_id: null,
  isPublic: false,
  readers: null,
  isForeign: false,
  messages: [],
  shown: new Map(),
  running: null,
})

export function conversationOf(chat: ChatSessionDetailResponse): Conversation {
  const isForeign = !chat.is_owner
  const answers = chat.packets.values()
  const messages = chat.messages
    .filter((it) => it.message_id !== ROOT)
    .map((it) =>
      it.message_type === 'user' ? toUserMessage(it) : toAnswerMessage(it, toAnswer(answers.next().value ?? [])),
    )
  const running = isForeign ? undefined : chat.messages.find((it) => it.status === 'running')
  return {
    id: chat.chat_session_id,
    name: chat.description,
    persona_id: chat.persona_id,
    persona_name: chat.persona_name,
    project_id: chat.project_id,
    isPublic: chat.shared_status === 'public',
    readers: chat.readers,
    isForeign,
    messages,
    shown: shownChildren(chat),
    running: running === undefined ? null : { message: running.message_id, isRead: false },
  }
}

const toUserMessage = ({ message_id, parent_message, message, files, sources }: ChatMessageDetail): UserMessage => ({
  type: 'user',
  id: message_id,
  parent: parent_message === ROOT ? null : parent_message,
  text: message,
  files,
  sources,
})

function toAnswerMessage(message: ChatMessageDetail, answer: Answer): AnswerMessage {
  const { message_id, parent_message, status, error, feedback } = message
  const stop_reason = status === 'stopped' ? 'user_cancelled' : null
  // A withheld or aborted answer has a text but no packets.
  const whole = {
    ...answer,
    text: answer.text === '' ? message.message : answer.text,
    stop_reason: status === 'running' ? undefined : (answer.stop_reason ?? stop_reason),
  }
  return { type: 'assistant', id: message_id, parent: parent_message, answer: whole, error, feedback }
}

/** The children chosen by the service, otherwise the newest. */
function shownChildren({ messages, latest_child_message }: ChatSessionDetailResponse): Map<number, number> {
  const numbered = messages.filter((it) => it.message_id !== ROOT)
  const newest = numbered.map((it) => [it.parent_message ?? ROOT, it.message_id] as const)
  const said = numbered.flatMap((it) =>
    it.latest_child_message === null ? [] : [[it.message_id, it.latest_child_message] as const],
  )
  const first = latest_child_message === null ? [] : [[ROOT, latest_child_message] as const]
  return new Map([...newest, ...said, ...first])
}

/** The messages from the first to the last, each followed by its shown child. */
export function shownBranch({ messages, shown }: Conversation): Message[] {
  const byId = new Map(messages.map((it) => [it.id, it]))
  const branch: Message[] = []
  for (let at: number | undefined = shown.get(ROOT); at !== undefined; at = shown.get(at)) {
    const message = byId.get(at)
    if (message === undefined || branch.includes(message)) break
    branch.push(message)
  }
  return branch
}

/** Falls back to the first question. */
export function titleOf(conversation: Conversation | undefined): string {
  if (conversation === undefined) return textsOf('chat')('title')
  if (conversation.name) return conversation.name
  const first = conversation.messages.find((it) => it.type === 'user')
  return first === undefined ? textsOf('chat')('new_chat') : first.text.slice(0, MAX_TITLE)
}

/** The ids of the message and its alternatives on other branches, oldest first. */
export const siblingsOf = ({ messages }: Conversation, { parent, type }: Message): number[] =>
  messages.filter((it) => it.parent === parent && it.type === type).map((it) => it.id)

/** The messages to show, from the first on, so that this message is on the shown branch. */
export function messagesToShow({ messages, shown }: Conversation, id: number): Message[] {
  const byId = new Map(messages.map((it) => [it.id, it]))
  const path: Message[] = []
  for (let at = byId.get(id); at !== undefined && !path.includes(at); at = byId.get(at.parent ?? ROOT)) path.unshift(at)
  return path.filter((it) => shown.get(it.parent ?? ROOT) !== it.id)
}

export const withShown = (conversation: Conversation, message: Message): Conversation => ({
  ...conversation,
  shown: new Map(conversation.shown).set(message.parent ?? ROOT, message.id),
})

/** The parent of a new question: the last message shown. */
export const lastShown = (conversation: Conversation): number | null => shownBranch(conversation).at(-1)?.id ?? null

/** Adds a question, or reuses an existing one, and adds its pending answer. */
export function withQuestion(
  conversation: Conversation,
  question: Omit<UserMessage, 'type' | 'id'> | { again: UserMessage },
): Conversation {
  const isAgain = 'again' in question
  const questionId = isAgain ? question.again.id : PENDING_QUESTION
  const answer: AnswerMessage = {
    type: 'assistant',
    id: PENDING_ANSWER,
    parent: questionId,
    answer: EMPTY_ANSWER,
    error: null,
    feedback: null,
  }
  const added: Message[] = isAgain ? [answer] : [{ type: 'user', id: questionId, ...question }, answer]
  const shown = new Map(conversation.shown).set(questionId, PENDING_ANSWER)
  if (!isAgain) shown.set(question.parent ?? ROOT, questionId)
  return {
    ...conversation,
    messages: [...conversation.messages, ...added],
    shown,
    running: { message: PENDING_ANSWER, isRead: true },
  }
}

/** Replaces the pending ids with those from the service. */
export function withIds(conversation: Conversation, questionId: number, answerId: number): Conversation {
  const ids = new Map([
    [PENDING_QUESTION, questionId],
    [PENDING_ANSWER, answerId],
  ])
  const finalId = (id: number) => ids.get(id) ?? id
  return {
    ...conversation,
    messages: conversation.messages.map((it) => ({
      ...it,
      id: finalId(it.id),
      parent: it.parent === null ? null : finalId(it.parent),
    })),
    shown: new Map([...conversation.shown].map(([parent, child]) => [finalId(parent), finalId(child)])),
    running: conversation.running && { ...conversation.running, message: finalId(conversation.running.message) },
  }
}

/** Removes a question that the service has rejected. */
export function withoutPending(conversation: Conversation): Conversation {
  const isPending = (id: number) => id === PENDING_QUESTION || id === PENDING_ANSWER
  const messages = conversation.messages.filter((it) => !isPending(it.id))
  const kept = [...conversation.shown].filter(([parent, child]) => !isPending(parent) && !isPending(child))
  // A branch that was left for the rejected question continues with its newest message again.
  const newest = messages.map((it) => [it.parent ?? ROOT, it.id] as const)
  return { ...conversation, messages, shown: new Map([...newest, ...kept]), running: null }
}

export const withAnswer = (
  conversation: Conversation,
  id: number,
  change: (answer: Answer) => Answer,
): Conversation => ({
  ...conversation,
  messages: conversation.messages.map((it) =>
    it.id === id && it.type === 'assistant' ? { ...it, answer: change(it.answer) } : it,
  ),
})

/** Ends the running answer, complete or not. */
export function withEnd(conversation: Conversation, error: string | null): Conversation {
  const id = conversation.running?.message
  return {
    ...conversation,
    running: null,
    messages: conversation.messages.map((it) =>
      it.id === id && it.type === 'assistant' ? withEndedAnswer(it, error) : it,
    ),
  }
}

const withEndedAnswer = (message: AnswerMessage, error: string | null): AnswerMessage => ({
  ...message,
  error: error ?? message.error,
  answer: { ...message.answer, stop_reason: message.answer.stop_reason ?? null },
})
