import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  getChatHistory,
  getSettings,
  listChatHistory,
  listQueryHistoryExports,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const PAGE_SIZE = 20
export const FEEDBACKS = ['like', 'dislike', 'mixed'] as const

/** Empty fields filter nothing. Times are local, as `datetime-local` writes them. */
export interface HistoryFields {
  person: string
  feedback: string
  from: string
  until: string
}

export const NO_FILTER: HistoryFields = { person: '', feedback: '', from: '', until: '' }

/** Each look is written to the audit, so a page that comes back into view does not look again. */
const LOOKED = { staleTime: Number.POSITIVE_INFINITY, refetchOnReconnect: false } as const

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => getSettings(api, { signal }),
})

export const chatsQuery = ({ person, feedback, from, until }: HistoryFields, page: number) =>
  queryOptions({
    ...LOOKED,
    queryKey: ['chat-history', 'list', person.trim(), feedback, from, until, page],
    queryFn: ({ signal }) =>
      listChatHistory(api, {
        page_num: page,
        page_size: PAGE_SIZE,
        user_email: person.trim() === '' ? null : person.trim(),
        feedback_type: FEEDBACKS.find((it) => it === feedback) ?? null,
        start_time: isoOrNull(from),
        end_time: isoOrNull(until),
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const chatQuery = (id: string) =>
  queryOptions({
    ...LOOKED,
    queryKey: ['chat-history', 'one', id],
    queryFn: ({ signal }) => getChatHistory(api, { chat_session_id: id, signal }),
  })

export const exportsQuery = queryOptions({
  queryKey: ['chat-history', 'exports'],
  queryFn: ({ signal }) => listQueryHistoryExports(api, { signal }),
})

export function isoOrNull(text: string): string | null {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** The table of all chats of the period, made at once. */
export function csvAddress({ from, until }: Pick<HistoryFields, 'from' | 'until'>): string {
  const period = { start: isoOrNull(from), end: isoOrNull(until) }
  const given = Object.entries(period).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return `/api/admin/query-history-csv?${new URLSearchParams(given)}`
}

export const exportAddress = (request_id: string): string =>
  `/api/admin/query-history/download?${new URLSearchParams({ request_id })}`
