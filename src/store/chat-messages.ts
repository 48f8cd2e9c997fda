// The messages of a chat: a tree of questions and answers, of which one branch is shown.
import type { Selectable } from 'kysely'
import type { FileDescriptor, MessageFeedback, MessageStatus, MessageType } from '../domain/chat.ts'
import { AppError } from '../domain/errors.ts'
import type { Packet } from '../domain/packet.ts'
import { ownerOf, type Subject } from '../domain/subject.ts'
import type { ChatMessageRow } from './chat-tables.ts'
import { foldedForSearch } from './chats.ts'
import type { Database, Queries } from './database.ts'

type Parsed = 'packets' | 'files' | 'feedback' | 'status' | 'message_type' | 'folded'
export interface StoredMessage extends Omit<Selectable<ChatMessageRow>, Parsed> {
  message_type: MessageType
  status: MessageStatus
  files: FileDescriptor[]
  feedback: MessageFeedback | null
  /** Of an answer, in their order. */
  packets: Packet[]
}
type Person = Pick<Subject, 'user_id' | 'email'>

/** All of a session, in the order in which they were made. */
export async function listMessages(db: Queries, sessionId: string): Promise<StoredMessage[]> {
  const rows = await db
    .selectFrom('chat_message')
    .selectAll()
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .execute()
  return rows.map(storedMessage)
}

/** What was said, without how it came to be. */
export type SaidMessage = Omit<StoredMessage, 'packets' | 'feedback'>

export async function listSaid(db: Queries, sessionId: string): Promise<SaidMessage[]> {
  const rows = await db
    .selectFrom('chat_message')
    .select(SAID)
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, ...wordsOf(row), files: JSON.parse(row.files) }))
}

const SAID = [
  'id',
  'chat_session_id',
  'parent_id',
  'latest_child_id',
  'message_type',
  'status',
  'message',
  'error',
  'files',
  'model',
  'input_tokens',
  'output_tokens',
  'runner',
  'alive_until',
  'time_sent',
  'time_ended',
] as const

/** One of a session of the subject's own, or MESSAGE_NOT_FOUND. */
export async function getMessage(db: Queries, subject: Person, id: number): Promise<StoredMessage> {
  const row = await db
    .selectFrom('chat_message')
    .innerJoin('chat_session', 'chat_session.id', 'chat_session_id')
    .selectAll('chat_message')
    .where('chat_message.id', '=', id)
    .where('owner', '=', ownerOf(subject))
    .executeTakeFirst()
  if (row === undefined) throw new AppError('MESSAGE_NOT_FOUND')
  return storedMessage(row)
}

/** What the session began with. */
export async function findFirstQuestion(db: Queries, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chat_message')
    .select('message')
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .executeTakeFirst()
  return row?.message
}

/** The answer that is being written in the session, by whichever process. */
export const findRunning = (db: Queries, sessionId: string, now: number) =>
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
}

export async function insertQuestion(
  db: Queries,
  sessionId: string,
  { parent_id, message, files }: NewQuestion,
  now: number,
): Promise<number> {
  const facts = { status: 'done', files: JSON.stringify(files), time_ended: now }
  return insertMessage(db, { ...BLANK, ...facts, ...textsOf(message), ...placeOf(sessionId, parent_id, 'user', now) })
}

/** The row of an answer that is to come. */
export async function insertAnswer(
  db: Queries,
  sessionId: string,
  { parent_id, runner, alive_until }: { parent_id: number; runner: string; alive_until: number },
  now: number,
): Promise<number> {
  return insertMessage(db, { ...BLANK, runner, alive_until, ...placeOf(sessionId, parent_id, 'assistant', now) })
}

const BLANK = {
  latest_child_id: null,
  status: 'running',
  message: '',
  folded: '',
  error: null,
  packets: '[]',
  files: '[]',
  feedback: null,
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  runner: null,
  alive_until: null,
  time_ended: null,
}

const placeOf = (chat_session_id: string, parent_id: number | null, message_type: MessageType, time_sent: number) => ({
  chat_session_id,
  parent_id,
  message_type,
  time_sent,
})

/** PostgreSQL holds no NUL, and no half of a surrogate pair. */
const textsOf = (text: string) => {
  const message = text.replaceAll('\0', '').toWellFormed()
  return { message, folded: foldedForSearch(message) }
}

async function insertMessage(db: Queries, row: Omit<ChatMessageRow, 'id'>): Promise<number> {
  const { id } = await db.insertInto('chat_message').values(row).returning('id').executeTakeFirstOrThrow()
  await showMessage(db, row.chat_session_id, row.parent_id, id)
  await db
    .updateTable('chat_session')
    .set({ time_updated: row.time_sent })
    .where('id', '=', row.chat_session_id)
    .execute()
  return id
}

/** From its parent on, the branch goes by this one. */
export async function showMessage(db: Queries, sessionId: string, parentId: number | null, id: number): Promise<void> {
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
}

export async function finishAnswer(db: Database, id: number, answer: FinishedAnswer, now: number): Promise<void> {
  const { message, packets, ...facts } = answer
  await db
    .updateTable('chat_message')
    .set({
      ...facts,
      ...textsOf(message),
      packets: JSON.stringify(packets),
      runner: null,
      alive_until: null,
      time_ended: now,
    })
    .where('id', '=', id)
    .execute()
}

/** Says of the answers that are being written that they still are. */
export async function keepAlive(db: Database, runner: string, alive_until: number): Promise<void> {
  if (!(await isAnyRunning(db))) return
  await db
    .updateTable('chat_message')
    .set({ alive_until })
    .where('runner', '=', runner)
    .where('status', '=', 'running')
    .execute()
}

/** Answers that somebody wrote who is no more: from now on they have failed, for this reason. */
export async function failBroken(db: Database, before: number, error: string): Promise<number> {
  if (!(await isAnyRunning(db))) return 0
  const { numUpdatedRows } = await db
    .updateTable('chat_message')
    .set({ status: 'failed', error, runner: null, alive_until: null })
    .where('status', '=', 'running')
    .where('alive_until', '<=', before)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Asked first: a service at rest writes nothing to its disk. */
const isAnyRunning = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('chat_message').select('id').where('status', '=', 'running').limit(1).execute()).length > 0

/** Null takes it away. */
export async function setFeedback(
  db: Queries,
  subject: Person,
  id: number,
  feedback: MessageFeedback | null,
): Promise<void> {
  const { message_type } = await getMessage(db, subject, id)
  if (message_type !== 'assistant') {
    throw new AppError('INVALID_INPUT', { reason: 'Feedback is about an answer, and this message is a question.' })
  }
  await db
    .updateTable('chat_message')
    .set({ feedback: feedback && JSON.stringify(feedback) })
    .where('id', '=', id)
    .execute()
}

const storedMessage = ({ folded: _, ...row }: Selectable<ChatMessageRow>): StoredMessage => ({
  ...row,
  ...wordsOf(row),
  packets: JSON.parse(row.packets),
  files: JSON.parse(row.files),
  feedback: row.feedback === null ? null : JSON.parse(row.feedback),
})

/** These columns are written by this file alone. */
const wordsOf = ({ message_type, status }: Pick<Selectable<ChatMessageRow>, 'message_type' | 'status'>) => ({
  message_type: message_type as MessageType,
  status: status as MessageStatus,
})
