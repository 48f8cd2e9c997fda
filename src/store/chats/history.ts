// Chats of all users for administrators. Incognito and deleted chats are excluded.
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import { type StoredChat, toStoredChat } from './chats.ts'

export const FEEDBACK_TYPES = ['like', 'dislike', 'mixed'] as const
export type FeedbackType = (typeof FEEDBACK_TYPES)[number]

export interface ChatHistoryFilter {
  /** Creation time of the session: `from` inclusive, `until` exclusive. */
  from: number | null
  until: number | null
  /** `like`: every rating is positive. `dislike`: every rating is negative. `mixed`: there are both. */
  feedback: FeedbackType | null
  /** The address of the person whose chats are listed; null for everybody's. */
  email: string | null
}

/** Returns the newest sessions first. */
export async function listChatHistory(
  db: Queryable,
  filter: ChatHistoryFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ chats: StoredChat[]; total: number }> {
  const { total } = await selectMatchingChats(db, filter)
    .select((it) => it.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await selectMatchingChats(db, filter)
    .selectAll()
    .orderBy('time_created', 'desc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { chats: rows.map(toStoredChat), total: Number(total) }
}

/** Returns a kept session of any user, or throws SESSION_NOT_FOUND. */
export async function getChatAsAdministrator(db: Queryable, id: string): Promise<StoredChat> {
  const row = await selectKeptChats(db).selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('SESSION_NOT_FOUND')
  return toStoredChat(row)
}

const selectKeptChats = (db: Queryable) =>
  db.selectFrom('chat_session').where('incognito', '=', 0).where('deleted_at', 'is', null)

const selectMatchingChats = (db: Queryable, { from, until, feedback, email }: ChatHistoryFilter) =>
  selectKeptChats(db)
    .$call((it) => (from === null ? it : it.where('time_created', '>=', from)))
    .$call((it) => (until === null ? it : it.where('time_created', '<', until)))
    .$if(email !== null, (it) =>
      it.where('owner', 'in', (query) =>
        query
          .selectFrom('person')
          .select('person.id')
          .where('email_key', '=', emailKeyOf(email ?? '')),
      ),
    )
    .$if(feedback !== null, (it) =>
      it.where(({ and, exists, not, selectFrom }) => {
        const hasRating = (isPositive: boolean) =>
          exists(
            selectFrom('chat_message')
              .select('chat_message.id')
              .whereRef('chat_session_id', '=', 'chat_session.id')
              // JSON escapes quotation marks in texts, so no text can look like this field.
              .where('feedback', 'like', `%"is_positive":${isPositive}%`),
          )
        if (feedback === 'like') return and([hasRating(true), not(hasRating(false))])
        return and(
          feedback === 'dislike' ? [hasRating(false), not(hasRating(true))] : [hasRating(true), hasRating(false)],
        )
      }),
    )
