// Loads a session as a given subject may see it now.
import type { SearchDoc } from '../../domain/chat/search-doc.ts'
import type { Subject } from '../../domain/subject.ts'
import { getSharedChat } from '../../store/chats/chat-readers.ts'
import { getChat, getChatOrTombstone, type StoredChat } from '../../store/chats/chats.ts'
import { getChatAsAdministrator } from '../../store/chats/history.ts'
import { listMessages, type StoredMessage } from '../../store/chats/messages.ts'
import type { Queryable } from '../../store/database/database.ts'
import { withInterruptedAsFailed } from './maintenance.ts'
import { documentIdsInPackets, redactForOthers, redactForOwner, WITHHELD_MESSAGE } from './redact.ts'
import { documentsInPackets } from './reduce-packets.ts'

export interface ChatMessageView extends StoredMessage {
  /** The documents that the answer could use, each once. */
  documents: SearchDoc[]
}

export interface ChatView {
  chat: StoredChat
  isOwner: boolean
  /** All messages, in the order of creation. */
  messages: ChatMessageView[]
}

export interface ChatViewDeps {
  db: Queryable
  /** Which of the documents the subject may read now. */
  filterReadable(subject: Subject, documentIds: readonly string[]): Promise<ReadonlySet<string>>
  now: () => number
}

/**
 * Which sessions may be viewed. `own or deleted` includes sessions of which only a stub is left. `everybody's` is for
 * administrators, who see an answer as readers of a shared session do, and the feedback on it.
 */
export type ChatViewSource = 'own' | 'own or deleted' | 'shared' | "everybody's"

export async function getChatView(
  deps: ChatViewDeps,
  subject: Subject,
  sessionId: string,
  from: ChatViewSource,
): Promise<ChatView> {
  const { db, now } = deps
  const chat = await loadChat(db, subject, sessionId, from)
  const isOwner = from !== "everybody's" && chat.owner === subject.user_id
  const messages = (await listMessages(db, sessionId)).map((it) => withInterruptedAsFailed(it, now()))
  const ids = [...new Set(messages.flatMap((it) => documentIdsInPackets(it.packets)))]
  const readable = await deps.filterReadable(subject, ids)
  const isReadable = (id: string) => readable.has(id)
  const others = () => withFeedback(redactForOthers(messages, isReadable), from === "everybody's" ? messages : [])
  const seen = isOwner ? messages.map((it) => redactForOwner(it, isReadable)) : others()
  return { chat, isOwner, messages: seen.map((it) => ({ ...it, documents: documentsInPackets(it.packets) })) }
}

/** Withholds the feedback on a withheld answer. */
const withFeedback = (seen: readonly StoredMessage[], messages: readonly StoredMessage[]): StoredMessage[] =>
  seen.map((it, at) => (it.message === WITHHELD_MESSAGE ? it : { ...it, feedback: messages[at]?.feedback ?? null }))

function loadChat(db: Queryable, subject: Subject, sessionId: string, from: ChatViewSource): Promise<StoredChat> {
  if (from === "everybody's") return getChatAsAdministrator(db, sessionId)
  if (from === 'shared') return getSharedChat(db, subject, sessionId)
  return from === 'own' ? getChat(db, subject, sessionId) : getChatOrTombstone(db, subject, sessionId)
}
