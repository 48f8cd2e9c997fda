// A conversation as this page holds it: a tree of questions and answers, of which one branch is shown.
import type { ChatMessageDetail, ChatSessionDetailResponse } from '../../../src/client/schemas.ts'
import { type Answer, NOTHING, readAnswer } from './answer.ts'
import type { FileDescriptor } from './wire.ts'

interface Common {
  id: number
  parent: number | null
}
export interface AskedMessage extends Common {
  type: 'user'
  text: string
  files: readonly FileDescriptor[]
}
export interface AnswerMessage extends Common {
  type: 'assistant'
  answer: Answer
  /** Why it is not whole. */
  error: string | null
  feedback: { is_positive: boolean | null; feedback_text: string | null } | null
}
export type Message = AskedMessage | AnswerMessage

export interface Conversation {
  /** Null until the service has given it one. */
  id: string | null
  name: string | null
  persona_id: number
  persona_name: string | null
  isPublic: boolean
  /** Somebody else's, who has shared it. */
  isForeign: boolean
  messages: readonly Message[]
  /** Which child the branch goes on with; the key of the first message is 0. */
  shown: ReadonlyMap<number, number>
  /** The answer that is being given, and whether this page reads it at the moment. */
  running: { message: number; isRead: boolean } | null
}

const ROOT = 0
const MAX_TITLE = 100
/** Of messages that the service has not numbered yet. */
const PENDING_QUESTION = -1
const PENDING_ANSWER = -2

export const blankConversation = (persona_id: number): Conversation => ({
  id: null,
  name: null,
  persona_id,
  persona_name: null,
  isPublic: false,
  isForeign: false,
  messages: [],
  shown: new Map(),
  running: null,
})

export function conversationOf(chat: ChatSessionDetailResponse): Conversation {
  const isForeign = !chat.is_owner
  const answers = chat.packets.values()
  const messages = chat.messages.map((it) =>
    it.message_type === 'user' ? asked(it) : answered(it, readAnswer(answers.next().value ?? [])),
  )
  const running = isForeign ? undefined : chat.messages.find((it) => it.status === 'running')
  return {
    id: chat.chat_session_id,
    name: chat.description,
    persona_id: chat.persona_id,
    persona_name: chat.persona_name,
    isPublic: chat.shared_status === 'public',
    isForeign,
    messages,
    shown: shownOf(chat),
    running: running === undefined ? null : { message: running.message_id, isRead: false },
  }
}

const asked = ({ message_id, parent_message, message, files }: ChatMessageDetail): AskedMessage => ({
  type: 'user',
  id: message_id,
  parent: parent_message,
  text: message,
  files,
})

function answered(message: ChatMessageDetail, answer: Answer): AnswerMessage {
  const { message_id, parent_message, status, error, feedback } = message
  const stop_reason = status === 'stopped' ? 'user_cancelled' : null
  // An answer that others may not see, or that was broken off, has a text and no packets.
  const whole = {
    ...answer,
    text: answer.text === '' ? message.message : answer.text,
    stop_reason: status === 'running' ? undefined : (answer.stop_reason ?? stop_reason),
  }
  return { type: 'assistant', id: message_id, parent: parent_message, answer: whole, error, feedback }
}

/** As the service says; of what it does not say, the newest. */
function shownOf({ messages, latest_child_message }: ChatSessionDetailResponse): Map<number, number> {
  const newest = messages.map((it) => [it.parent_message ?? ROOT, it.message_id] as const)
  const said = messages.flatMap((it) =>
    it.latest_child_message === null ? [] : [[it.message_id, it.latest_child_message] as const],
  )
  const first = latest_child_message === null ? [] : [[ROOT, latest_child_message] as const]
  return new Map([...newest, ...said, ...first])
}

/** From the first message to the last, each followed by the child that is shown. */
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

/** Until it has a name, what was asked first. */
export function titleOf(conversation: Conversation | undefined): string {
  if (conversation === undefined) return 'Chat'
  if (conversation.name) return conversation.name
  const first = conversation.messages.find((it) => it.type === 'user')
  return first === undefined ? 'New chat' : first.text.slice(0, MAX_TITLE)
}

/** The message and those that stand in its place on other branches, oldest first. */
export const siblingsOf = ({ messages }: Conversation, { parent, type }: Message): number[] =>
  messages.filter((it) => it.parent === parent && it.type === type).map((it) => it.id)

export const withShown = (conversation: Conversation, message: Message): Conversation => ({
  ...conversation,
  shown: new Map(conversation.shown).set(message.parent ?? ROOT, message.id),
})

/** What a new question follows on: the last answer that is shown. */
export const lastShown = (conversation: Conversation): number | null => shownBranch(conversation).at(-1)?.id ?? null

/** A question, or one that is there already, and the answer to come. */
export function withAsked(
  conversation: Conversation,
  question: { text: string; files: readonly FileDescriptor[]; parent: number | null } | { again: AskedMessage },
): Conversation {
  const isAgain = 'again' in question
  const questionId = isAgain ? question.again.id : PENDING_QUESTION
  const answer: AnswerMessage = {
    type: 'assistant',
    id: PENDING_ANSWER,
    parent: questionId,
    answer: NOTHING,
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

/** The service has numbered them. */
export function withIds(conversation: Conversation, questionId: number, answerId: number): Conversation {
  const ids = new Map([
    [PENDING_QUESTION, questionId],
    [PENDING_ANSWER, answerId],
  ])
  const known = (id: number) => ids.get(id) ?? id
  return {
    ...conversation,
    messages: conversation.messages.map((it) => ({
      ...it,
      id: known(it.id),
      parent: it.parent === null ? null : known(it.parent),
    })),
    shown: new Map([...conversation.shown].map(([parent, child]) => [known(parent), known(child)])),
    running: conversation.running && { ...conversation.running, message: known(conversation.running.message) },
  }
}

/** The service did not take the question. */
export function withoutPending(conversation: Conversation): Conversation {
  const isPending = (id: number) => id === PENDING_QUESTION || id === PENDING_ANSWER
  const messages = conversation.messages.filter((it) => !isPending(it.id))
  const kept = [...conversation.shown].filter(([parent, child]) => !isPending(parent) && !isPending(child))
  // Where a branch was left for the new question, it goes on with the newest one again.
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

/** Nothing more comes, whether it was all or not. */
export function withEnd(conversation: Conversation, error: string | null): Conversation {
  const id = conversation.running?.message
  return {
    ...conversation,
    running: null,
    messages: conversation.messages.map((it) => (it.id === id && it.type === 'assistant' ? ended(it, error) : it)),
  }
}

const ended = (message: AnswerMessage, error: string | null): AnswerMessage => ({
  ...message,
  error: error ?? message.error,
  answer: { ...message.answer, stop_reason: message.answer.stop_reason ?? null },
})
