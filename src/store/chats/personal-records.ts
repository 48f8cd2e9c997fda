// The data of a person around chats: their projects, and the chats of others that were shared with them.
import { emailKeyOf } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import { deleteProjectsByOwner } from './projects.ts'

export interface ChatRecords {
  projects: { id: number; name: string; description: string | null; instructions: string; time_created: number }[]
  shared_chats: { chat_session_id: string }[]
}

export const findChatRecords = async (
  db: Queryable,
  email: string,
  userIds: readonly string[],
): Promise<ChatRecords> => ({
  projects: await db
    .selectFrom('project')
    .select(['id', 'name', 'description', 'instructions', 'time_created'])
    .where('owner', 'in', userIds)
    .orderBy('id')
    .execute(),
  shared_chats: await db
    .selectFrom('chat_reader')
    .select('chat_session_id')
    .where('email_key', '=', emailKeyOf(email))
    .orderBy('chat_session_id')
    .execute(),
})

export async function deleteChatRecords(trx: Queryable, email: string, userIds: readonly string[]): Promise<void> {
  await deleteProjectsByOwner(trx, userIds)
  await trx.deleteFrom('chat_reader').where('email_key', '=', emailKeyOf(email)).execute()
}
