// Sessions: made, listed, found again, read, named, shared and deleted.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { nameOf, SHARED_STATUSES } from '../../domain/chat.ts'
import { DAY_MS } from '../../domain/date-time.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireNumber,
  wireString,
} from '../../domain/wire.ts'
import { findFirstQuestion } from '../../store/chat-messages.ts'
import {
  deleteAllChats,
  deleteChat,
  getChat,
  insertChat,
  listChats,
  searchChats,
  updateChat,
} from '../../store/chats.ts'
import { findPersonaName, getPersona } from '../../store/personas.ts'
import { ChatSessionDetailResponse, ChatSessionDetails, detailsOf, sessionOf } from '../chat-snapshot.ts'
import { route } from '../route.ts'

export const chat = { access: 'chat', tag: 'Chat' } as const
const reading = { access: ['chat', 'read:chat'], tag: 'Chat' } as const

export const SessionId = wireString({ max: 100, pattern: WITHOUT_NUL })
export const SessionPath = z.object({ chat_session_id: SessionId })
const Name = wireString({ max: 1_000, pattern: WITHOUT_NUL })

export const sessionFields = {
  persona_id: nullish(wireInteger({ min: 0 })).describe('0, the built-in one, if absent.'),
  description: nullish(Name).describe('Its name; if absent, the beginning of its first question.'),
  project_id: nullish(wireInteger()).refine((it) => it === null, 'there are no projects here: leave it out'),
  incognito: nullish(wireBoolean()).describe('It stands in no list, and is gone a day after its last question.'),
}

const MAX_PAGE = 1_000
const MAX_SEARCH = 1_000

const DESCRIPTIONS = {
  model:
    'Its name, or `provider__model`; one that is not there counts as none. Null goes back to what the persona has.',
  temperature: 'Null goes back to what the model has.',
  reasoning: 'It is kept for clients that show it; models think as they are set up to.',
}

const overrides = (part: 'model' | 'temperature' | 'reasoning', field: z.ZodRawShape, summary: string) =>
  route({
    ...chat,
    method: 'PUT',
    path: `/chat/update-chat-session-${part}`,
    summary,
    description: DESCRIPTIONS[part],
    body: z.object({ chat_session_id: SessionId, ...field }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ body, subject, services }) => {
      const { chat_session_id, new_alternate_model, temperature_override, reasoning_effort } = body as Overrides
      const changed = {
        model: { model: new_alternate_model ?? null },
        temperature: { temperature: temperature_override ?? null },
        reasoning: { reasoning_effort: reasoning_effort ?? null },
      }
      await updateChat(services.db, subject, chat_session_id, { overrides: changed[part] })
      return null
    },
  })

export const chatSessionRoutes = [
  route({
    ...chat,
    method: 'POST',
    path: '/chat/create-chat-session',
    summary: 'Create session',
    description: 'Not needed to ask: `POST /chat/send-chat-message` makes one.',
    body: z.object(sessionFields).meta({ id: 'ChatSessionCreationRequest' }),
    reply: z.object({ chat_session_id: z.string(), incognito: z.boolean() }).meta({ id: 'CreateChatSessionID' }),
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ body, subject, services }) => {
      const { id: persona_id } = await getPersona(services, subject, body.persona_id ?? 0)
      const incognito = body.incognito ?? false
      const session = { id: randomUUID(), persona_id, name: body.description || null, incognito }
      const { id } = await insertChat(services.db, subject, session, services.now())
      return { chat_session_id: id, incognito }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/chat/get-user-chat-sessions',
    summary: 'List own sessions',
    description: 'The one that was used last first.',
    query: z.object({
      project_id: nullish(wireInteger()).describe('There are no projects: with one, none is listed.'),
      only_non_project_chats: nullish(wireBoolean()),
      include_failed_chats: nullish(wireBoolean()).describe('Also those of which every answer failed.'),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE })).describe('50 if absent.'),
      before: nullish(wireDateTime()).describe('The `time_updated` of the last one of the page before.'),
    }),
    reply: z
      .object({ sessions: z.array(ChatSessionDetails), has_more: z.boolean() })
      .meta({ id: 'ChatSessionsResponse' }),
    handle: async ({ query, subject, services }) => {
      if (query.project_id !== null) return { sessions: [], has_more: false }
      const size = query.page_size ?? 50
      const page = { before: query.before, limit: size + 1 }
      const found = await listChats(services.db, subject, page, query.include_failed_chats ?? false)
      return { sessions: found.slice(0, size).map(detailsOf), has_more: found.length > size }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/chat/get-chat-session/{chat_session_id}',
    summary: 'Get session',
    description:
      'All that was said in it. Documents that the key may not read any longer are left out; in a session that somebody else has shared, so are answers that rest on any of them.',
    params: SessionPath,
    query: z.object({
      is_shared: nullish(wireBoolean()).describe('One that its owner has shared, whoever that is.'),
      include_deleted: nullish(wireBoolean()).describe('Without effect: what was deleted is gone.'),
    }),
    reply: ChatSessionDetailResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ params, query, subject, services }) => {
      const from = query.is_shared === true ? 'shared' : 'own'
      const shown = await services.talk.show(subject, params.chat_session_id, from)
      const name = shown.isOwner ? await findPersonaName(services.db, shown.chat.persona_id) : null
      return sessionOf(shown, name)
    },
  }),
  route({
    ...chat,
    method: 'PUT',
    path: '/chat/rename-chat-session',
    summary: 'Rename session',
    description: 'Without a name it is called after its first question.',
    body: z.object({ chat_session_id: SessionId, name: nullish(Name) }).meta({ id: 'ChatRenameRequest' }),
    reply: z.object({ new_name: z.string() }).meta({ id: 'RenameChatSessionResponse' }),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ body, subject, services: { db } }) => {
      const new_name = body.name?.trim() || nameOf((await findFirstQuestion(db, body.chat_session_id)) ?? '')
      await updateChat(db, subject, body.chat_session_id, { name: new_name })
      return { new_name }
    },
  }),
  route({
    ...chat,
    method: 'PATCH',
    path: '/chat/chat-session/{chat_session_id}',
    summary: 'Share session',
    description:
      'With `public` everybody with a key who has its id can read it, but for answers that rest on documents which they may not read.',
    params: SessionPath,
    body: z.object({ sharing_status: wireEnum(SHARED_STATUSES) }).meta({ id: 'ChatSessionUpdateRequest' }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ params, body, subject, services }) => {
      await updateChat(services.db, subject, params.chat_session_id, { shared_status: body.sharing_status })
      return null
    },
  }),
  route({
    ...chat,
    method: 'DELETE',
    path: '/chat/delete-chat-session/{chat_session_id}',
    summary: 'Delete session',
    description: 'It is gone with all that was said in it; an answer that is being written ends.',
    params: SessionPath,
    query: z.object({ hard_delete: nullish(wireBoolean()).describe('Without effect: there is no other kind.') }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      await services.talk.stop(subject, params.chat_session_id)
      await deleteChat(services.db, subject, params.chat_session_id)
      return null
    },
  }),
  route({
    ...chat,
    method: 'DELETE',
    path: '/chat/delete-all-chat-sessions',
    summary: 'Delete all own sessions',
    reply: z.null(),
    handle: async ({ subject, services }) => {
      await services.talk.stopAll(subject)
      await deleteAllChats(services.db, subject)
      return null
    },
  }),
  overrides('model', { new_alternate_model: nullish(Name) }, 'Set the model of a session'),
  overrides(
    'temperature',
    { temperature_override: nullish(wireNumber({ min: 0, max: 2 })) },
    'Set the temperature of a session',
  ),
  overrides(
    'reasoning',
    { reasoning_effort: nullish(wireEnum(['off', 'low', 'medium', 'high'])) },
    'Set how much a session thinks',
  ),
  route({
    ...reading,
    method: 'GET',
    path: '/chat/search',
    summary: 'Search own sessions',
    description: 'By their names and by what was said in them; all without a query.',
    query: z.object({
      query: nullish(wireString({ max: MAX_SEARCH, pattern: WITHOUT_NUL })),
      page: nullish(wireInteger({ min: 1, max: 10_000 })),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE })).describe('10 if absent.'),
    }),
    reply: z
      .object({
        groups: z.array(z.object({ title: z.string(), chats: z.array(ChatSessionDetails) })),
        has_more: z.boolean(),
        next_page: z.int().nullable(),
      })
      .meta({ id: 'ChatSearchResponse' }),
    handle: async ({ query, subject, services }) => {
      const [page, size] = [query.page ?? 1, query.page_size ?? 10]
      const words = query.query?.trim() ?? ''
      const found = await searchChats(services.db, subject, words, { offset: (page - 1) * size, limit: size + 1 })
      const has_more = found.length > size
      const now = services.now()
      const groups = Map.groupBy(found.slice(0, size), (it) => ageOf(it.time_updated, now))
      return {
        groups: [...groups].map(([title, chats]) => ({ title, chats: chats.map(detailsOf) })),
        has_more,
        next_page: has_more ? page + 1 : null,
      }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/chat/max-selected-document-tokens',
    summary: 'How many tokens of documents a question may bring along',
    query: z.object({ persona_id: nullish(wireInteger({ min: 0 })) }),
    reply: z.int(),
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ query, subject, services }) =>
      services.talk.contextTokens(subject, await getPersona(services, subject, query.persona_id ?? 0)),
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/chat/available-context-tokens/{chat_session_id}',
    summary: 'How many tokens of documents a question in this session may bring along',
    params: SessionPath,
    reply: z.int(),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ params, subject, services }) => {
      const { persona_id } = await getChat(services.db, subject, params.chat_session_id)
      return services.talk.contextTokens(subject, await getPersona(services, subject, persona_id))
    },
  }),
]

interface Overrides {
  chat_session_id: string
  new_alternate_model?: string | null
  temperature_override?: number | null
  reasoning_effort?: string | null
}

const WEEK_DAYS = 7
const MONTH_DAYS = 30

/** By days of UTC. */
function ageOf(time: number, now: number): string {
  const days = Math.floor(now / DAY_MS) - Math.floor(time / DAY_MS)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < WEEK_DAYS) return 'This Week'
  return days < MONTH_DAYS ? 'This Month' : 'Older'
}
