// A session as somebody may see it at this moment.
import type { SearchDoc } from '../domain/search-doc.ts'
import { ownerOf, type Subject } from '../domain/subject.ts'
import { listMessages, type StoredMessage } from '../store/chat-messages.ts'
import { getChat, getSharedChat, type StoredChat } from '../store/chats.ts'
import type { Queries } from '../store/database.ts'
import { documentsOf } from './fold.ts'
import { sinceBroken } from './look-after.ts'
import { documentIdsOf, seenByOthers, seenByOwner } from './seen.ts'

export interface ShownMessage extends StoredMessage {
  /** What the answer had to rest on, each document once. */
  documents: SearchDoc[]
}

export interface ShownChat {
  chat: StoredChat
  isOwner: boolean
  /** All that there are, in the order in which they were made. */
  messages: ShownMessage[]
}

export interface ShowNeeds {
  db: Queries
  /** Those of the documents that the subject may read at this moment. */
  readable(subject: Subject, documentIds: readonly string[]): Promise<ReadonlySet<string>>
  now: () => number
}

export async function show(
  needs: ShowNeeds,
  subject: Subject,
  sessionId: string,
  from: 'own' | 'shared',
): Promise<ShownChat> {
  const { db, now } = needs
  const chat = from === 'own' ? await getChat(db, subject, sessionId) : await getSharedChat(db, sessionId)
  const isOwner = chat.owner === ownerOf(subject)
  const messages = (await listMessages(db, sessionId)).map((it) => sinceBroken(it, now()))
  const ids = [...new Set(messages.flatMap((it) => documentIdsOf(it.packets)))]
  const readable = await needs.readable(subject, ids)
  const isReadable = (id: string) => readable.has(id)
  const seen = isOwner ? messages.map((it) => seenByOwner(it, isReadable)) : seenByOthers(messages, isReadable)
  return { chat, isOwner, messages: seen.map((it) => ({ ...it, documents: documentsOf(it.packets) })) }
}
