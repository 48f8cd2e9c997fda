// Chat history of all users, for administrators, as far as `query_history_type` allows. Each access is written to the
// audit.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Settings } from '../../../domain/settings.ts'
import type { Subject } from '../../../domain/subject.ts'
import { type ChatHistoryFilter, FEEDBACK_TYPES, listChatHistory } from '../../../store/chats/history.ts'
import { findPersonaLabel } from '../../../store/chats/personas.ts'
import { findPerson } from '../../../store/identity/people.ts'
import { getSettings } from '../../../store/settings/settings.ts'
import { nullish, WITHOUT_NUL, wireDateTime, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'
import {
  ChatSessionMinimal,
  ChatSessionSnapshot,
  chatSessionMinimal,
  chatSessionSnapshot,
  historyCsvHeader,
  historyCsvRows,
} from '../../views/chat-history.ts'
import { iso } from '../../wire/iso.ts'

const adminDefaults = { access: 'admin', tag: 'Chat history' } as const
const PRIVACY_NOTE =
  'Incognito and deleted chats are never included. Answers based on documents that this key may not read are withheld, and so are the messages after them. Responds with 403 while `query_history_type` is "disabled"; with "anonymized", the default, users are not named.'
const MAX_PAGE_SIZE = 100
const PEOPLE_NOT_NAMED = {
  reason: 'The chat history does not name people while `query_history_type` is "anonymized". Leave out `user_email`.',
}
const EXPORT_PAGE_SIZE = 50

type QueryHistoryType = Settings['query_history_type']

async function getHistoryType({ db }: RouteServices<'db'>): Promise<QueryHistoryType> {
  const { query_history_type } = await getSettings(db)
  if (query_history_type === 'disabled') throw new AppError('QUERY_HISTORY_DISABLED')
  return query_history_type
}

async function loadSession(
  services: RouteServices<'db' | 'chats'>,
  subject: Subject,
  id: string,
  historyType: QueryHistoryType,
) {
  const chatView = await services.chats.view(subject, id, "everybody's")
  const persona = await findPersonaLabel(services.db, chatView.chat.persona_id)
  const owner = await findPerson(services.db, chatView.chat.owner)
  return { shown: chatView, personaName: persona?.name ?? null, ownerEmail: owner?.email_key ?? null, historyType }
}

/** Loads sessions sequentially; skips sessions that were deleted in the meantime. */
async function loadSessions(
  services: RouteServices<'db' | 'chats'>,
  subject: Subject,
  ids: readonly string[],
  historyType: QueryHistoryType,
) {
  const sessions: Awaited<ReturnType<typeof loadSession>>[] = []
  for (const id of ids) {
    const session = await loadSession(services, subject, id, historyType).catch(nullIfDeleted)
    if (session !== null) sessions.push(session)
  }
  return sessions
}

function nullIfDeleted(error: unknown): null {
  if (error instanceof AppError && error.code === 'SESSION_NOT_FOUND') return null
  throw error
}

async function* historyCsv(
  services: RouteServices<'db' | 'chats'>,
  subject: Subject,
  range: ExportRange,
  historyType: QueryHistoryType,
) {
  yield historyCsvHeader()
  const filter: ChatHistoryFilter = { from: range.start, until: range.end, feedback: null, email: null }
  for (let offset = 0; ; offset += EXPORT_PAGE_SIZE) {
    const { chats } = await listChatHistory(services.db, filter, { offset, limit: EXPORT_PAGE_SIZE })
    const ids = chats.map((it) => it.id)
    for (const session of await loadSessions(services, subject, ids, historyType))
      yield historyCsvRows(chatSessionSnapshot(session))
    if (chats.length < EXPORT_PAGE_SIZE) return
  }
}

interface ExportRange {
  start: number
  end: number
}

/** The id encodes the range, because the export is generated during the download, possibly by another process. */
const createExportId = ({ start, end }: ExportRange): string => `${start}-${end}-${randomUUID()}`

function parseExportId(requestId: string): ExportRange {
  const [, start, end] = /^(\d{1,15})-(\d{1,15})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(requestId) ?? []
  if (start === undefined) throw new AppError('NOT_FOUND', { what: `: there is no export ${requestId}.` })
  return { start: Number(start), end: Number(end) }
}

const rangeQueryFields = {
  start: nullish(wireDateTime()).describe('Inclusive start: chats created at or after this time.'),
  end: nullish(wireDateTime()).describe('Exclusive end: chats created before this time. Default: now.'),
}
function exportRange({ start, end }: { start: number | null; end: number | null }, now: number): ExportRange {
  const range = { start: Math.max(start ?? 0, 0), end: end ?? now }
  if (range.start < range.end) return range
  throw new AppError('INVALID_INPUT', { reason: '`start` must be before `end`.' })
}

const ExportQuery = z.object({
  request_id: wireString({ min: 1, max: 200, pattern: WITHOUT_NUL }).describe('The id returned by start-export.'),
})
const exportStatus = z.enum(['SUCCESS']).describe('Always SUCCESS: an export is generated while it is downloaded.')
const QueryHistoryExport = z
  .object({
    task_id: z.string().describe('The `request_id` of the export.'),
    status: exportStatus,
    start: z.iso.datetime(),
    end: z.iso.datetime(),
    start_time: z.iso.datetime().describe('When the export was requested.'),
  })
  .meta({ id: 'QueryHistoryExport' })
const csvReply = z.custom<Readable>().meta({ type: 'string' })
const MAX_LISTED = 100

type CsvCall<Q> = RouteCall<unknown, Q, unknown, 'db' | 'chats' | 'now'>

const csvDownload = <Q>(
  path: string,
  summary: string,
  query: z.ZodType<Q>,
  getRange: (call: CsvCall<Q>) => ExportRange,
) => ({
  ...adminDefaults,
  method: 'GET' as const,
  path,
  summary,
  description: `One row per answered question. Cells that a spreadsheet would evaluate as a formula are prefixed with an apostrophe. ${PRIVACY_NOTE}`,
  audit: { action: 'chat_history.export' as const },
  reply: csvReply,
  mediaType: 'text/csv; charset=utf-8',
  query,
  services: ['db', 'chats', 'now'] as const,
  handle: async (call: CsvCall<Q>) => {
    const { services, subject } = call
    const historyType = await getHistoryType(services)
    return Readable.from(historyCsv(services, subject, getRange(call), historyType))
  },
})

export const chatHistoryRoutes = [
  route({
    ...adminDefaults,
    name: 'listChatHistory',
    method: 'GET',
    path: '/admin/chat-session-history',
    summary: 'List chat history',
    description: `Newest first. ${PRIVACY_NOTE}`,
    audit: { action: 'chat_history.list' },
    query: z.object({
      page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('Starts at 0.'),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE_SIZE })).describe('Default: 10.'),
      feedback_type: nullish(wireEnum(FEEDBACK_TYPES)).describe(
        '`like`: all feedback is positive. `dislike`: all feedback is negative. `mixed`: both.',
      ),
      start_time: nullish(wireDateTime()).describe('Created at or after this time.'),
      end_time: nullish(wireDateTime()).describe('Created before this time.'),
      user_email: nullish(wireString({ min: 1, max: 500, pattern: WITHOUT_NUL })).describe(
        'Only chats of this person; 400 unless `query_history_type` is "normal".',
      ),
    }),
    reply: z
      .object({ items: z.array(ChatSessionMinimal), total_items: z.int() })
      .meta({ id: 'PaginatedChatSessionHistory' }),
    errors: ['QUERY_HISTORY_DISABLED', 'INVALID_INPUT'],
    services: ['db', 'chats'],
    handle: async ({ query, subject, services }) => {
      const historyType = await getHistoryType(services)
      if (query.user_email !== null && historyType !== 'normal') throw new AppError('INVALID_INPUT', PEOPLE_NOT_NAMED)
      const limit = query.page_size ?? 10
      const filter = {
        from: query.start_time,
        until: query.end_time,
        feedback: query.feedback_type,
        email: query.user_email,
      }
      const { chats, total } = await listChatHistory(services.db, filter, {
        offset: (query.page_num ?? 0) * limit,
        limit,
      })
      const ids = chats.map((it) => it.id)
      const sessions = await loadSessions(services, subject, ids, historyType)
      return { items: sessions.map(chatSessionMinimal), total_items: total }
    },
  }),
  route({
    ...adminDefaults,
    name: 'getChatHistory',
    method: 'GET',
    path: '/admin/chat-session-history/{chat_session_id}',
    summary: 'Get chat history',
    description: PRIVACY_NOTE,
    audit: { action: 'chat_history.read', object: 'chat_session_id' },
    params: z.object({ chat_session_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    reply: ChatSessionSnapshot,
    errors: ['SESSION_NOT_FOUND', 'QUERY_HISTORY_DISABLED'],
    services: ['db', 'chats'],
    handle: async ({ params, subject, services }) => {
      const historyType = await getHistoryType(services)
      return chatSessionSnapshot(await loadSession(services, subject, params.chat_session_id, historyType))
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    name: 'startQueryHistoryExport',
    method: 'POST',
    path: '/admin/query-history/start-export',
    summary: 'Start query history export',
    description: 'Returns the id to pass to `GET /admin/query-history/download`.',
    audit: { action: 'chat_history.start_export', object: (_, created) => created.request_id },
    query: z.object(rangeQueryFields),
    reply: z.object({ request_id: z.string() }).meta({ id: 'QueryHistoryExportStarted' }),
    errors: ['INVALID_INPUT', 'QUERY_HISTORY_DISABLED'],
    services: ['db', 'now'],
    handle: async ({ query, services }) => {
      await getHistoryType(services)
      return { request_id: createExportId(exportRange(query, services.now())) }
    },
  }),
  route({
    ...adminDefaults,
    name: 'getQueryHistoryExportStatus',
    method: 'GET',
    path: '/admin/query-history/export-status',
    summary: 'Get query history export status',
    query: ExportQuery,
    reply: z.object({ status: exportStatus }).meta({ id: 'QueryHistoryExportState' }),
    errors: ['NOT_FOUND', 'QUERY_HISTORY_DISABLED'],
    services: ['db'],
    handle: async ({ query, services }) => {
      await getHistoryType(services)
      parseExportId(query.request_id)
      return { status: 'SUCCESS' as const }
    },
  }),
  route({
    name: 'downloadQueryHistoryExport',
    ...csvDownload('/admin/query-history/download', 'Download query history export', ExportQuery, ({ query }) =>
      parseExportId(query.request_id),
    ),
    errors: ['NOT_FOUND', 'QUERY_HISTORY_DISABLED'],
  }),
  route({
    name: 'exportQueryHistoryCsv',
    ...csvDownload(
      '/admin/query-history-csv',
      'Export query history as CSV',
      z.object(rangeQueryFields),
      ({ query, services }) => exportRange(query, services.now()),
    ),
    errors: ['INVALID_INPUT', 'QUERY_HISTORY_DISABLED'],
  }),
  route({
    ...adminDefaults,
    name: 'listQueryHistoryExports',
    method: 'GET',
    path: '/admin/query-history/list',
    summary: 'List query history exports',
    description: `Returns the last ${MAX_LISTED} exports recorded in the audit, newest first.`,
    reply: z.array(QueryHistoryExport),
    errors: ['QUERY_HISTORY_DISABLED'],
    services: ['db', 'audit'],
    handle: async ({ services }) => {
      await getHistoryType(services)
      const filter = { action: 'chat_history.start_export', outcome: 'success' } as const
      const exports = await services.audit.list({ ...NO_AUDIT_FILTER, ...filter }, { before: null, limit: MAX_LISTED })
      return exports.map(({ object_id, at }) => {
        const { start, end } = parseExportId(object_id ?? '')
        return {
          task_id: object_id ?? '',
          status: 'SUCCESS' as const,
          start: iso(start),
          end: iso(end),
          start_time: iso(at),
        }
      })
    },
  }),
]

const NO_AUDIT_FILTER = { actor: null, object_type: null, object_id: null, request_id: null, from: null, until: null }
