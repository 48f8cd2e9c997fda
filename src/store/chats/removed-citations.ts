// Answers of which the verification removed citations. Incognito and deleted chats are excluded.
import { sql } from 'kysely'
import { DAY_MS } from '../../wire/date-time.ts'
import type { Queryable } from '../database/database.ts'

export interface AnswerWithRemovedCitations {
  chat_session_id: string
  message_id: number
  time_sent: number
  citations_removed: number
  model: string | null
  persona_name: string | null
}

/** Returns the newest answers since `from` first. */
export const listAnswersWithRemovedCitations = (
  db: Queryable,
  { from, offset, limit }: { from: number; offset: number; limit: number },
): Promise<AnswerWithRemovedCitations[]> =>
  selectAnswers(db, from)
    .leftJoin('persona', 'persona.id', 'chat_session.persona_id')
    .select([
      'chat_message.chat_session_id',
      'chat_message.id as message_id',
      'chat_message.time_sent',
      'chat_message.citations_removed',
      'chat_message.model',
      'persona.name as persona_name',
    ])
    .orderBy('chat_message.time_sent', 'desc')
    .orderBy('chat_message.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export interface RemovedCitationsOfDay {
  /** The number of UTC days since 1970. */
  day: number
  answers: number
  citations: number
}

/** Days without removed citations are left out. */
export const countRemovedCitationsByDay = (db: Queryable, from: number): Promise<RemovedCitationsOfDay[]> =>
  selectAnswers(db, from)
    .select([
      sql<number>`chat_message.time_sent / ${sql.lit(DAY_MS)}`.as('day'),
      (it) => it.fn.countAll<number>().as('answers'),
      (it) => it.fn.sum<number>('chat_message.citations_removed').as('citations'),
    ])
    .groupBy('day')
    .orderBy('day')
    .execute()

const selectAnswers = (db: Queryable, from: number) =>
  db
    .selectFrom('chat_message')
    .innerJoin('chat_session', 'chat_session.id', 'chat_message.chat_session_id')
    .where('chat_message.citations_removed', '>', 0)
    .where('chat_message.time_sent', '>=', from)
    .where('chat_session.incognito', '=', 0)
    .where('chat_session.deleted_at', 'is', null)
