// Chat sessions. A session of another owner is treated as nonexistent.
import { type Selectable, sql } from 'kysely'
import { type ChatOverrides, NO_CHAT_OVERRIDES, type SharedStatus } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { ChatMessageRow, ChatSessionRow } from '../database/chat-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import { getProject } from './projects.ts'

export interface StoredChat extends Omit<Selectable<ChatSessionRow>, 'overrides' | 'incognito' | 'shared_status'> {
  overrides: ChatOverrides
  incognito: boolean
  shared_status: SharedStatus
}
export type ChatOwner = Pick<Subject, 'user_id' | 'email'>

export interface NewChat {
  id: string
  persona_id: number
  name: string | null
  incognito: boolean
  /** One of the subject's projects. */
  project_id: number | null
}

/** Throws PROJECT_NOT_FOUND. */
export async function insertChat(db: Queryable, subject: ChatOwner, chat: NewChat, now: number): Promise<StoredChat> {
  if (chat.project_id !== null) await getProject(db, subject, chat.project_id)
  const row: ChatSessionRow = {
    ...chat,
    owner: subject.user_id,
    folded_name: foldForSearch(chat.name ?? ''),
    shared_status: 'private',
    incognito: chat.incognito ? 1 : 0,
    overrides: JSON.stringify(NO_CHAT_OVERRIDES),
    latest_child_id: null,
    time_created: now,
    time_updated: now,
    deleted_at: null,
  }
  await db.insertInto('chat_session').values(row).execute()
  return toStoredChat(row)
}

/** Returns one of the subject's sessions, or throws SESSION_NOT_FOUND. */
export async function getChat(db: Queryable, subject: ChatOwner, id: string): Promise<StoredChat> {
  const chat = await getChatOrTombstone(db, subject, id)
  if (chat.deleted_at !== null) throw new AppError('SESSION_NOT_FOUND')
  return chat
}

/** Like `getChat`, but also finds deleted sessions, whose content is gone. */
export async function getChatOrTombstone(db: Queryable, subject: ChatOwner, id: string): Promise<StoredChat> {
  const row = await db
    .selectFrom('chat_session')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', subject.user_id)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('SESSION_NOT_FOUND')
  return toStoredChat(row)
}

export interface ChatPage {
  /** Only sessions last changed before this time. */
  before: number | null
  limit: number
  /** The id of a project, those outside of projects, or both. */
  project: number | 'none' | 'any'
}

/**
 * Lists the subject's sessions, most recently used first. Sessions in which every answer failed are left out unless
 * requested.
 */
export async function listChats(
  db: Queryable,
  subject: ChatOwner,
  { before, limit, project }: ChatPage,
  includesFailed: boolean,
): Promise<StoredChat[]> {
  const rows = await selectOwnChats(db, subject)
    .$call((it) => (before === null ? it : it.where('time_updated', '<', before)))
    .$if(project === 'none', (it) => it.where('project_id', 'is', null))
    .$call((it) => (typeof project === 'number' ? it.where('project_id', '=', project) : it))
    .$if(!includesFailed, (it) =>
      it.where(({ or, not, exists, selectFrom }) => {
        const answers = selectFrom('chat_message')
          .select('chat_message.id')
          .whereRef('chat_session_id', '=', 'chat_session.id')
          .where('message_type', '=', 'assistant')
        return or([not(exists(answers)), exists(answers.where('status', '<>', 'failed'))])
      }),
    )
    .orderBy('time_updated', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toStoredChat)
}

/** Lists all sessions of these owners, including incognito ones, oldest first. */
export async function listChatsByOwner(db: Queryable, owners: readonly string[]): Promise<StoredChat[]> {
  const chats = db.selectFrom('chat_session').selectAll().where('owner', 'in', owners)
  return (await chats.orderBy('time_created').orderBy('id').execute()).map(toStoredChat)
}

/** Finds the subject's sessions that contain each of the words in the name or a message, ignoring case. */
export async function searchChats(
  db: Queryable,
  subject: ChatOwner,
  text: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredChat[]> {
  let chats = selectOwnChats(db, subject)
  for (const word of searchedWords(text)) {
    const pattern = patternOf(word)
    chats = chats.where(({ or, exists, selectFrom }) =>
      or([
        sql<boolean>`folded_name like ${pattern} escape '!'`,
        exists(
          selectFrom('chat_message')
            .select('chat_message.id')
            .whereRef('chat_session_id', '=', 'chat_session.id')
            .where(sql<boolean>`folded like ${pattern} escape '!'`),
        ),
      ]),
    )
  }
  const rows = await chats.orderBy('time_updated', 'desc').orderBy('id').offset(offset).limit(limit).execute()
  return rows.map(toStoredChat)
}

const MAX_WORDS = 10

export const searchedWords = (text: string): string[] =>
  foldForSearch(text).split(/\s/).filter(Boolean).slice(0, MAX_WORDS)

/** For `like … escape '!'` on a folded column. */
const patternOf = (word: string): string => `%${word.replace(/[!%_]/g, '!$&')}%`

export type FoundMessage = Pick<ChatMessageRow, 'message' | 'message_type'> & { id: number }

/** For each session, the message that has the most of the words; of several, the latest. */
export async function findBestMessages(
  db: Queryable,
  sessionIds: readonly string[],
  words: readonly string[],
  maxLength: number,
): Promise<Map<string, FoundMessage>> {
  if (sessionIds.length === 0 || words.length === 0) return new Map()
  const isIn = words.map((it) => sql<boolean>`folded like ${patternOf(it)} escape '!'`)
  const hits = sql.join(
    isIn.map((it) => sql`case when ${it} then 1 else 0 end`),
    sql` + `,
  )
  const ranked = db
    .selectFrom('chat_message')
    .select(['id', 'chat_session_id', 'message_type'])
    .select(sql<string>`substr(message, 1, ${sql.lit(maxLength)})`.as('message'))
    .select(sql<number>`row_number() over (partition by chat_session_id order by ${hits} desc, id desc)`.as('place'))
    .where('chat_session_id', 'in', sessionIds)
    .where((it) => it.or(isIn))
  const rows = await db.selectFrom(ranked.as('ranked')).selectAll().where('place', '=', 1).execute()
  return new Map(
    rows.map(({ chat_session_id, id, message, message_type }) => [chat_session_id, { id, message, message_type }]),
  )
}

/** Throws PROJECT_NOT_FOUND unless it is one of the subject's projects. */
export async function updateChat(
  db: Queryable,
  subject: ChatOwner,
  id: string,
  change: Partial<Pick<StoredChat, 'shared_status' | 'project_id'>> & {
    name?: string
    overrides?: Partial<ChatOverrides>
  },
): Promise<void> {
  const chat = await getChat(db, subject, id)
  const { name, overrides, shared_status, project_id } = change
  if (project_id != null) await getProject(db, subject, project_id)
  await db
    .updateTable('chat_session')
    .set({
      ...(name !== undefined && { name, folded_name: foldForSearch(name) }),
      ...(overrides !== undefined && { overrides: JSON.stringify({ ...chat.overrides, ...overrides }) }),
      ...(shared_status !== undefined && { shared_status }),
      ...(project_id !== undefined && { project_id }),
    })
    .where('id', '=', id)
    .execute()
}

/**
 * Deletes the session with its messages. A tombstone stays in the record, unless `isHard` is set or the session was
 * incognito. A tombstone can be deleted with `isHard`.
 */
export const deleteChat = (
  db: Database,
  subject: ChatOwner,
  id: string,
  { isHard, now }: { isHard: boolean; now: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { incognito } = isHard ? await getChatOrTombstone(trx, subject, id) : await getChat(trx, subject, id)
    if (isHard || incognito) return deleteChatRows(trx, [id])
    await trx.deleteFrom('chat_message').where('chat_session_id', '=', id).execute()
    await deleteReaders(trx, [id])
    await trx
      .updateTable('chat_session')
      .set({ ...TOMBSTONE_COLUMNS, deleted_at: now })
      .where('id', '=', id)
      .execute()
  })

const TOMBSTONE_COLUMNS = {
  name: null,
  folded_name: '',
  shared_status: 'private',
  overrides: JSON.stringify(NO_CHAT_OVERRIDES),
  latest_child_id: null,
  project_id: null,
} as const

export const deleteAllChats = (db: Database, subject: ChatOwner): Promise<void> =>
  deleteChatsByOwner(db, [subject.user_id])

export async function deleteChatsByOwner(db: Database, owners: readonly string[]): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    hasMore = await db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom('chat_session')
        .select('id')
        .where('owner', 'in', owners)
        .limit(DELETE_BATCH)
        .execute()
      await deleteChatRows(
        trx,
        rows.map((it) => it.id),
      )
      return rows.length === DELETE_BATCH
    })
  }
}

/**
 * Deletes incognito sessions last used before `incognito`, tombstones older than `deleted`, and all sessions last used
 * before `all`.
 */
export async function expireChats(
  db: Database,
  { incognito, deleted, all }: { incognito: number; deleted: number; all: number | null },
): Promise<void> {
  const selectExpired = (queries: Queryable) =>
    queries
      .selectFrom('chat_session')
      .select('id')
      .where((it) =>
        it.or([
          it.and([it('incognito', '=', 1), it('time_updated', '<', incognito)]),
          it('deleted_at', '<', deleted),
          ...(all === null ? [] : [it('time_updated', '<', all)]),
        ]),
      )
      .limit(DELETE_BATCH)
      .execute()
  // Checked outside of a transaction, so that an idle service writes nothing to its disk.
  for (let hasMore = (await selectExpired(db)).length > 0; hasMore; ) {
    hasMore = await db.transaction().execute(async (trx) => {
      const rows = await selectExpired(trx)
      await deleteChatRows(
        trx,
        rows.map((it) => it.id),
      )
      return rows.length === DELETE_BATCH
    })
  }
}

const DELETE_BATCH = 200

async function deleteChatRows(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('chat_message').where('chat_session_id', 'in', ids).execute()
  await deleteReaders(db, ids)
  await db.deleteFrom('chat_session').where('id', 'in', ids).execute()
}

async function deleteReaders(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('chat_reader').where('chat_session_id', 'in', ids).execute()
  await db.deleteFrom('chat_reader_group').where('chat_session_id', 'in', ids).execute()
}

/** Lists contain neither incognito nor deleted sessions. */
const selectOwnChats = (db: Queryable, subject: ChatOwner) =>
  db
    .selectFrom('chat_session')
    .selectAll()
    .where('owner', '=', subject.user_id)
    .where('incognito', '=', 0)
    .where('deleted_at', 'is', null)

/** Ignores case and different encodings of the same character. */
export const foldForSearch = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('\0', '').toWellFormed()

export const toStoredChat = ({ overrides, incognito, ...row }: ChatSessionRow): StoredChat => ({
  ...row,
  overrides: JSON.parse(overrides),
  incognito: incognito === 1,
})
