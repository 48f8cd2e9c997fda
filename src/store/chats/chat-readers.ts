// The readers of a chat besides its owner: people by address, and groups. Each of them sees a redacted chat.
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf, type Subject } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import { type ChatOwner, getChat, type StoredChat, toStoredChat } from './chats.ts'

export interface ChatReaders {
  emails: string[]
  groups: { id: number; name: string }[]
}

/** Only its owner learns who may read a chat. */
export async function getChatReaders(db: Queryable, subject: ChatOwner, id: string): Promise<ChatReaders> {
  await getChat(db, subject, id)
  const people = await db
    .selectFrom('chat_reader')
    .select('email_key')
    .where('chat_session_id', '=', id)
    .orderBy('email_key')
    .execute()
  const groups = await db
    .selectFrom('chat_reader_group')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['user_group.id', 'user_group.name'])
    .where('chat_session_id', '=', id)
    .orderBy('user_group.name')
    .execute()
  return { emails: people.map((it) => it.email_key), groups }
}

/**
 * Nobody learns whether an address belongs to a person. USER_GROUP_NOT_FOUND: the subject is not in the group, and the
 * chat was not shared with it before. Administrators may name every group.
 */
export const replaceChatReaders = (
  db: Database,
  subject: Subject,
  id: string,
  { emails, group_ids }: { emails: readonly string[]; group_ids: readonly number[] },
): Promise<ChatReaders> =>
  db.transaction().execute(async (trx) => {
    const before = await getChatReaders(trx, subject, id)
    const added = group_ids.filter((it) => !before.groups.some((group) => group.id === it))
    await requireGroups(trx, subject, added)
    await trx.deleteFrom('chat_reader').where('chat_session_id', '=', id).execute()
    await trx.deleteFrom('chat_reader_group').where('chat_session_id', '=', id).execute()
    for (const email_key of new Set(emails.map(emailKeyOf)))
      await trx.insertInto('chat_reader').values({ chat_session_id: id, email_key }).execute()
    for (const group_id of new Set(group_ids))
      await trx.insertInto('chat_reader_group').values({ chat_session_id: id, group_id }).execute()
    return getChatReaders(trx, subject, id)
  })

async function requireGroups(trx: Queryable, { rights, groups }: Subject, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const group = await trx.selectFrom('user_group').select('name').where('id', '=', id).executeTakeFirst()
    if (group === undefined || !(rights.has('admin') || groups.includes(group.name)))
      throw new AppError('USER_GROUP_NOT_FOUND', { id })
  }
}

type ChatReader = Pick<Subject, 'user_id' | 'email' | 'groups'>

/** A session that its owner has shared with everybody or with this reader. SESSION_NOT_FOUND */
export async function getSharedChat(db: Queryable, reader: ChatReader, id: string): Promise<StoredChat> {
  const row = await db
    .selectFrom('chat_session')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where((it) =>
      it.or([
        it('shared_status', '=', 'public'),
        it('id', 'in', sharedByName(db, reader)),
        it('id', 'in', sharedByGroup(db, reader)),
      ]),
    )
    .executeTakeFirst()
  if (row === undefined) throw new AppError('SESSION_NOT_FOUND')
  return toStoredChat(row)
}

const MAX_SHARED = 100

/** Sessions of others that were shared with this reader by name or group, most recently used first. */
export async function listChatsSharedWith(db: Queryable, reader: ChatReader): Promise<StoredChat[]> {
  const rows = await db
    .selectFrom('chat_session')
    .selectAll()
    .where('owner', '<>', reader.user_id)
    .where('deleted_at', 'is', null)
    .where((it) => it.or([it('id', 'in', sharedByName(db, reader)), it('id', 'in', sharedByGroup(db, reader))]))
    .orderBy('time_updated', 'desc')
    .orderBy('id')
    .limit(MAX_SHARED)
    .execute()
  return rows.map(toStoredChat)
}

/** Nobody has this name or address; SQL has no empty list. */
const NOBODY = ''

const sharedByName = (db: Queryable, { email }: ChatReader) =>
  db
    .selectFrom('chat_reader')
    .select('chat_session_id')
    .where('email_key', '=', email === null ? NOBODY : emailKeyOf(email))

const sharedByGroup = (db: Queryable, { groups }: ChatReader) =>
  db
    .selectFrom('chat_reader_group')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select('chat_session_id')
    .where('user_group.name', 'in', [NOBODY, ...groups])
