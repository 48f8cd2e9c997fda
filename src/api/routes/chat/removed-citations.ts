// Answers whose citations were removed because their passages did not support them.
import { z } from 'zod'
import {
  type AnswerWithRemovedCitations,
  countRemovedCitationsByDay,
  listAnswersWithRemovedCitations,
} from '../../../store/chats/removed-citations.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import { nullish, wireInteger } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'

const RemovedCitations = z
  .object({
    from: z.string().describe('The first day (UTC) of the period.'),
    by_day: z
      .array(z.object({ day: z.string(), answers: z.int(), citations: z.int() }))
      .describe('Answers with removed citations, and the number of these citations. Days without any are left out.'),
    total_answers: z.int(),
    answers: z
      .array(
        z.object({
          chat_session_id: z.string(),
          message_id: z.int(),
          time_sent: z.iso.datetime(),
          citations_removed: z.int(),
          model: z.string().nullable(),
          persona_name: z.string().nullable(),
        }),
      )
      .nullable()
      .describe('Newest first. Null while `query_history_type` is "disabled".'),
  })
  .meta({ id: 'RemovedCitations' })

const DEFAULT_DAYS = 30
const DEFAULT_PAGE_SIZE = 20

export const removedCitationRoutes = [
  route({
    name: 'listRemovedCitations',
    method: 'GET',
    path: '/admin/removed-citations',
    access: 'admin',
    tag: 'Chat history',
    summary: 'List removed citations',
    description:
      'Citations that a model wrote and that are not shown, because the passage does not exist, was not readable or does not support the sentence. Incognito and deleted chats are never included. `GET /admin/chat-session-history/{chat_session_id}` has the text of the answer.',
    query: z.object({
      days: nullish(wireInteger({ min: 1, max: 400 })).describe('Number of days, including today. Default: 30.'),
      page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('Starts at 0.'),
      page_size: nullish(wireInteger({ min: 1, max: 100 })).describe(`Default: ${DEFAULT_PAGE_SIZE}.`),
    }),
    reply: RemovedCitations,
    services: ['db', 'now'],
    handle: async ({ query, services: { db, now } }) => {
      const today = Math.floor(now() / DAY_MS)
      const from = (today - (query.days ?? DEFAULT_DAYS) + 1) * DAY_MS
      const limit = query.page_size ?? DEFAULT_PAGE_SIZE
      const offset = (query.page_num ?? 0) * limit
      const days = await countRemovedCitationsByDay(db, from)
      const { query_history_type } = await getSettings(db)
      return {
        from: dayOf(from),
        by_day: days.map(({ day, ...counts }) => ({ day: dayOf(day * DAY_MS), ...counts })),
        total_answers: days.reduce((sum, it) => sum + it.answers, 0),
        answers:
          query_history_type === 'disabled'
            ? null
            : (await listAnswersWithRemovedCitations(db, { from, offset, limit })).map(toWire),
      }
    },
  }),
]

const dayOf = (at: number): string => iso(at).slice(0, 10)

const toWire = ({ time_sent, ...it }: AnswerWithRemovedCitations) => ({ ...it, time_sent: iso(time_sent) })
