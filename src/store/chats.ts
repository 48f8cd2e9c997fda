// Chat sessions. One belongs to an owner, and of somebody else it is as one that is not there.
import { type Selectable, sql } from 'kysely'
import { type ChatOverrides, NO_OVERRIDES, type SharedStatus } from '../domain/chat.ts'
import { AppError } from '../domain/errors.ts'
import { ownerOf, type Subject } from '../domain/subject.ts'
import type { ChatSessionRow } from './chat-tables.ts'
import type { Database, Queries } from './database.ts'

export interface StoredChat extends Omit<Selectable<ChatSessionRow>, 'overrides' | 'incognito' | 'shared_status'> {
  overrides: ChatOverrides
  incognito: boolean
  shared_status: SharedStatus
}
type Person = Pick<Subject, 'user_id' | 'email'>

export interface NewChat {
  id: string
  persona_id: number
  name: string | null
  incognito: boolean
}

export async function insertChat(db: Queries, subject: Person, chat: NewChat, now: number): Promise<StoredChat> {
  const row: ChatSessionRow = {
    ...chat,
    owner: ownerOf(subject),
    folded_name: foldedForSearch(chat.name ?? ''),
    shared_status: 'private',
    incognito: chat.incognito ? 1 : 0,
    overrides: JSON.stringify(NO_OVERRIDES),
    latest_child_id: null,
    time_created: now,
    time_updated: now,
  }
  await db.insertInto('chat_session').values(row).execute()
  return storedChat(row)
}

/** One of the subject's own, or SESSION_NOT_FOUND. */
export async function getChat(db: Queries, subject: Person, id: string): Promise<StoredChat> {
  const row = await db
    .selectFrom('chat_session')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', ownerOf(subject))
    .executeTakeFirst()
  if (row === undefined) throw new AppError('SESSION_NOT_FOUND')
  return storedChat(row)
}

/** One that its owner has shared, whoever asks. */
export async function getSharedChat(db: Queries, id: string): Promise<StoredChat> {
  const row = await db
    .selectFrom('chat_session')
    .selectAll()
    .where('id', '=', id)
    .where('shared_status', '=', 'public')
    .executeTakeFirst()
  if (row === undefined) throw new AppError('SESSION_NOT_FOUND')
  return storedChat(row)
}

export interface ChatPage {
  /** Only what was last changed before that moment. */
  before: number | null
  limit: number
}

/** The subject's own, the one that was used last first. Without those of which every answer failed, unless asked for. */
export async function listChats(
  db: Queries,
  subject: Person,
  { before, limit }: ChatPage,
  isWithFailed: boolean,
): Promise<StoredChat[]> {
  const rows = await ownChats(db, subject)
    .$if(before !== null, (it) => it.where('time_updated', '<', before!))
    .$if(!isWithFailed, (it) =>
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
  return rows.map(storedChat)
}

/** Of these owners, also what was led incognito, the oldest first. */
export async function listChatsOf(db: Queries, owners: readonly string[]): Promise<StoredChat[]> {
  const chats = db.selectFrom('chat_session').selectAll().where('owner', 'in', owners)
  return (await chats.orderBy('time_created').orderBy('id').execute()).map(storedChat)
}

/** The subject's own whose name or messages hold the words as they stand, whatever their case. */
export async function searchChats(
  db: Queries,
  subject: Person,
  words: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredChat[]> {
  const pattern = `%${foldedForSearch(words).replace(/[!%_]/g, '!$&')}%`
  const rows = await ownChats(db, subject)
    .where(({ or, exists, selectFrom }) =>
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
    .orderBy('time_updated', 'desc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(storedChat)
}

export async function updateChat(
  db: Queries,
  subject: Person,
  id: string,
  change: Partial<Pick<StoredChat, 'shared_status'>> & { name?: string; overrides?: Partial<ChatOverrides> },
): Promise<void> {
  const chat = await getChat(db, subject, id)
  const { name, overrides, shared_status } = change
  await db
    .updateTable('chat_session')
    .set({
      ...(name !== undefined && { name, folded_name: foldedForSearch(name) }),
      ...(overrides !== undefined && { overrides: JSON.stringify({ ...chat.overrides, ...overrides }) }),
      ...(shared_status !== undefined && { shared_status }),
    })
    .where('id', '=', id)
    .execute()
}

/** With all that was said in it. */
export const deleteChat = (db: Database, subject: Person, id: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getChat(trx, subject, id)
    await removeChats(trx, [id])
  })

export const deleteAllChats = (db: Database, subject: Person): Promise<void> => deleteChatsOf(db, [ownerOf(subject)])

export async function deleteChatsOf(db: Database, owners: readonly string[]): Promise<void> {
  for (let left = true; left; ) {
    left = await db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom('chat_session')
        .select('id')
        .where('owner', 'in', owners)
        .limit(AT_ONCE)
        .execute()
      await removeChats(
        trx,
        rows.map((it) => it.id),
      )
      return rows.length === AT_ONCE
    })
  }
}

/** Those that were led incognito and last used before that moment, and with a `before` all that old. */
export async function expireChats(
  db: Database,
  { incognito, all }: { incognito: number; all: number | null },
): Promise<void> {
  const expired = (queries: Queries) =>
    queries
      .selectFrom('chat_session')
      .select('id')
      .where((it) =>
        it.or([
          it.and([it('incognito', '=', 1), it('time_updated', '<', incognito)]),
          ...(all === null ? [] : [it('time_updated', '<', all)]),
        ]),
      )
      .limit(AT_ONCE)
      .execute()
  // Looked at outside of a transaction: a service at rest writes nothing to its disk.
  for (let left = (await expired(db)).length > 0; left; ) {
    left = await db.transaction().execute(async (trx) => {
      const rows = await expired(trx)
      await removeChats(
        trx,
        rows.map((it) => it.id),
      )
      return rows.length === AT_ONCE
    })
  }
}

const AT_ONCE = 200

async function removeChats(db: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('chat_message').where('chat_session_id', 'in', ids).execute()
  await db.deleteFrom('chat_session').where('id', 'in', ids).execute()
}

/** What was led incognito is in no list. */
const ownChats = (db: Queries, subject: Person) =>
  db.selectFrom('chat_session').selectAll().where('owner', '=', ownerOf(subject)).where('incognito', '=', 0)

/** Case and the ways to write one character do not matter. */
export const foldedForSearch = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('\0', '').toWellFormed()

const storedChat = ({ overrides, incognito, shared_status, ...row }: ChatSessionRow): StoredChat => ({
  ...row,
  overrides: JSON.parse(overrides),
  incognito: incognito === 1,
  // The column is written by this file alone.
  shared_status: shared_status as SharedStatus,
})
