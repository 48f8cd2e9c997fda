// The messages of a chat form a tree of questions and answers, of which one branch is shown.
import type { Selectable } from 'kysely'
import type { FileDescriptor, MessageFeedback, MessageStatus, MessageType } from '../../domain/chat/chat.ts'
import type { Packet } from '../../domain/chat/packet.ts'
import { AppError } from '../../domain/errors.ts'
import type { ChatMessageRow } from '../database/chat-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import { type ChatOwner, foldForSearch } from './chats.ts'

type ParsedColumn = 'packets' | 'files' | 'sources' | 'feedback' | 'status' | 'message_type' | 'folded'
export interface StoredMessage extends Omit<Selectable<ChatMessageRow>, ParsedColumn> {
  message_type: MessageType
  status: MessageStatus
  files: FileDescriptor[]
  /** The sources that a question was limited to; empty: all. */
  sources: string[]
  feedback: MessageFeedback | null
  /** Packets of an answer, in order. */
  packets: Packet[]
}

/** Lists all messages of a session in order of creation. */
export async function listMessages(db: Queryable, sessionId: string): Promise<StoredMessage[]> {
  const rows = await db
    .selectFrom('chat_message')
    .selectAll()
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .execute()
  return rows.map(toStoredMessage)
}

/** A message without the packets and the feedback of its answer. */
export type MessageWithoutPackets = Omit<StoredMessage, 'packets' | 'feedback'>

export async function listMessagesWithoutPackets(db: Queryable, sessionId: string): Promise<MessageWithoutPackets[]> {
  const rows = await db
    .selectFrom('chat_message')
    .select(COLUMNS_WITHOUT_PACKETS)
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, files: JSON.parse(row.files), sources: JSON.parse(row.sources) }))
}

const COLUMNS_WITHOUT_PACKETS = [
  'id',
  'chat_session_id',
  'parent_id',
  'latest_child_id',
  'message_type',
  'status',
  'message',
  'error',
  'files',
  'sources',
  'model',
  'input_tokens',
  'output_tokens',
  'citations_removed',
  'runner',
  'alive_until',
  'time_sent',
  'time_ended',
] as const

/** Returns a message of one of the subject's sessions, or throws MESSAGE_NOT_FOUND. */
export async function getMessage(db: Queryable, subject: ChatOwner, id: number): Promise<StoredMessage> {
  const row = await db
    .selectFrom('chat_message')
    .innerJoin('chat_session', 'chat_session.id', 'chat_session_id')
    .selectAll('chat_message')
    .where('chat_message.id', '=', id)
    .where('owner', '=', subject.user_id)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('MESSAGE_NOT_FOUND')
  return toStoredMessage(row)
}

/** Returns the first question of the session. */
export async function findFirstQuestion(db: Queryable, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chat_message')
    .select('message')
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .executeTakeFirst()
  return row?.message
}

/** Finds the answer that some process is currently writing in the session. */
export const findRunningAnswer = (db: Queryable, sessionId: string, now: number) =>
  db
    .selectFrom('chat_message')
    .select(['id', 'runner'])
    .where('chat_session_id', '=', sessionId)
    .where('status', '=', 'running')
    .where('alive_until', '>', now)
    .executeTakeFirst()

export interface NewQuestion {
  parent_id: number | null
  message: string
  files: readonly FileDescriptor[]
  sources: readonly string[]
}

export async function insertQuestion(
  db: Queryable,
  sessionId: string,
  { parent_id, message, files, sources }: NewQuestion,
  now: number,
): Promise<number> {
  const lists = { files: JSON.stringify(files), sources: JSON.stringify(sources) }
  return insertMessage(db, {
    ...EMPTY_MESSAGE,
    ...{ status: 'done', time_ended: now },
    ...lists,
    ...textColumns(message),
    ...messagePosition(sessionId, parent_id, 'user', now),
  })
}

/** Inserts the row of an answer that is about to be written. */
export async function insertAnswer(
  db: Queryable,
  sessionId: string,
  { parent_id, runner, alive_until }: { parent_id: number; runner: string; alive_until: number },
  now: number,
): Promise<number> {
  return insertMessage(db, {
    ...EMPTY_MESSAGE,
    runner,
    alive_until,
    ...messagePosition(sessionId, parent_id, 'assistant', now),
  })
}

const EMPTY_MESSAGE = {
  latest_child_id: null,
  status: 'running',
  message: '',
  folded: '',
  error: null,
  packets: '[]',
  files: '[]',
  sources: '[]',
  feedback: null,
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  citations_removed: 0,
  runner: null,
  alive_until: null,
  time_ended: null,
} as const

const messagePosition = (
  chat_session_id: string,
  parent_id: number | null,
  message_type: MessageType,
  time_sent: number,
) => ({
  chat_session_id,
  parent_id,
  message_type,
  time_sent,
})

/** PostgreSQL stores neither NUL nor lone surrogates. */
const textColumns = (text: string) => {
  const message = text.replaceAll('\0', '').toWellFormed()
  return { message, folded: foldForSearch(message) }
}

async function insertMessage(db: Queryable, row: Omit<ChatMessageRow, 'id'>): Promise<number> {
  const { id } = await db.insertInto('chat_message').values(row).returning('id').executeTakeFirstOrThrow()
  await selectBranch(db, row.chat_session_id, row.parent_id, id)
  await db
    .updateTable('chat_session')
    .set({ time_updated: row.time_sent })
    .where('id', '=', row.chat_session_id)
    .execute()
  return id
}

/** Makes this message the shown child of its parent. */
export async function selectBranch(
  db: Queryable,
  sessionId: string,
  parentId: number | null,
  id: number,
): Promise<void> {
  const shown = { latest_child_id: id }
  if (parentId === null) await db.updateTable('chat_session').set(shown).where('id', '=', sessionId).execute()
  else await db.updateTable('chat_message').set(shown).where('id', '=', parentId).execute()
}

export interface FinishedAnswer {
  status: Exclude<MessageStatus, 'running'>
  message: string
  error: string | null
  packets: readonly Packet[]
  model: string | null
  input_tokens: number
  output_tokens: number
  citations_removed: number
}

export async function finishAnswer(db: Database, id: number, answer: FinishedAnswer, now: number): Promise<void> {
  const { message, packets, ...facts } = answer
  await db
    .updateTable('chat_message')
    .set({
      ...facts,
      ...textColumns(message),
      packets: JSON.stringify(packets),
      runner: null,
      alive_until: null,
      time_ended: now,
    })
    .where('id', '=', id)
    .execute()
}

/** Extends the heartbeat of the answers that this runner is writing. */
export async function extendRunningAnswers(db: Database, runner: string, alive_until: number): Promise<void> {
  if (!(await hasRunningAnswer(db))) return
  await db
    .updateTable('chat_message')
    .set({ alive_until })
    .where('runner', '=', runner)
    .where('status', '=', 'running')
    .execute()
}

/** Marks answers whose writer is gone as failed, with this error. */
export async function failAbandonedAnswers(db: Database, before: number, error: string): Promise<number> {
  if (!(await hasRunningAnswer(db))) return 0
  const { numUpdatedRows } = await db
    .updateTable('chat_message')
    .set({ status: 'failed', error, runner: null, alive_until: null })
    .where('status', '=', 'running')
    .where('alive_until', '<=', before)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Checked first, so that an idle service writes nothing to its disk. */
const hasRunningAnswer = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('chat_message').select('id').where('status', '=', 'running').limit(1).execute()).length > 0

/** Null removes the feedback. */
export async function setMessageFeedback(
  db: Queryable,
  subject: ChatOwner,
  id: number,
  feedback: MessageFeedback | null,
): Promise<void> {
  const { message_type } = await getMessage(db, subject, id)
  if (message_type !== 'assistant') {
    throw new AppError('INVALID_INPUT', { reason: 'Feedback applies to answers, but this message is a question.' })
  }
  await db
    .updateTable('chat_message')
    .set({ feedback: feedback && JSON.stringify(feedback) })
    .where('id', '=', id)
    .execute()
}

const toStoredMessage = ({ folded: _, ...row }: Selectable<ChatMessageRow>): StoredMessage => ({
  ...row,
  packets: JSON.parse(row.packets),
  files: JSON.parse(row.files),
  sources: JSON.parse(row.sources),
  feedback: row.feedback === null ? null : JSON.parse(row.feedback),
})
