// Creates, lists, searches, reads, renames, shares and deletes chat sessions.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { defaultChatName, REASONING_EFFORTS, type ReasoningEffort, SHARED_STATUSES } from '../../../domain/chat/chat.ts'
import { MAX_EXCERPT_SOURCE } from '../../../domain/chat/excerpt.ts'
import { getChatReaders } from '../../../store/chats/chat-readers.ts'
import {
  deleteAllChats,
  deleteChat,
  findBestMessages,
  getChat,
  getChatOrTombstone,
  insertChat,
  listChats,
  searchChats,
  searchedWords,
  updateChat,
} from '../../../store/chats/chats.ts'
import { findFirstQuestion } from '../../../store/chats/messages.ts'
import { findPersonaLabel, getPersona, getVisiblePersona } from '../../../store/chats/personas.ts'
import { DAY_MS } from '../../../wire/date-time.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireBoolean,
  wireDateTime,
  wireEnum,
  wireInteger,
  wireNumber,
  wireString,
} from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import {
  ChatSessionDetailResponse,
  ChatSessionDetails,
  chatSessionDetail,
  chatSessionDetails,
  FoundChatSession,
  foundChatSession,
} from '../../views/chat-session.ts'

export const chatDefaults = { access: 'chat', tag: 'Chat' } as const
const chatReadDefaults = { access: ['chat', 'read:chat'], tag: 'Chat' } as const

export const ChatSessionId = wireString({ max: 100, pattern: WITHOUT_NUL })
export const ChatSessionPath = z.object({ chat_session_id: ChatSessionId })
const SessionName = wireString({ max: 1_000, pattern: WITHOUT_NUL })

export const newSessionFields = {
  persona_id: nullish(wireInteger({ min: 0 })).describe('Default: 0, the built-in persona.'),
  description: nullish(SessionName).describe('Name of the session. Default: the beginning of its first question.'),
  project_id: nullish(wireInteger({ min: 1 })).describe('The own project that the session belongs to.'),
  incognito: nullish(wireBoolean()).describe(
    'The session is not listed and is deleted one day after its last message.',
  ),
}

const MAX_PAGE_SIZE = 1_000
const MAX_QUERY_LENGTH = 1_000
/** An excerpt is made in the event loop. */
const MAX_EXCERPTS = 50

const OVERRIDE_DESCRIPTIONS = {
  model: 'The model name, or `provider__model`. An unknown model is ignored. Null restores the model of the persona.',
  temperature: "Null restores the model's default.",
  reasoning:
    'How much the model thinks before it answers. A server that does not support it is asked without it. Null restores the default of the model.',
}

const OVERRIDE_NAMES = {
  model: 'setChatSessionModel',
  temperature: 'setChatSessionTemperature',
  reasoning: 'setChatSessionReasoning',
}

const overrideRoute = (part: keyof typeof OVERRIDE_NAMES, body: z.ZodType<SessionOverrideBody>, summary: string) =>
  route({
    ...chatDefaults,
    name: OVERRIDE_NAMES[part],
    method: 'PUT',
    path: `/chat/update-chat-session-${part}`,
    summary,
    description: OVERRIDE_DESCRIPTIONS[part],
    body,
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db'],
    handle: async ({ body, subject, services }) => {
      const { chat_session_id, new_alternate_model, temperature_override, reasoning_effort } = body
      const overridesByPart = {
        model: { model: new_alternate_model ?? null },
        temperature: { temperature: temperature_override ?? null },
        reasoning: { reasoning_effort: reasoning_effort ?? null },
      }
      await updateChat(services.db, subject, chat_session_id, { overrides: overridesByPart[part] })
      return null
    },
  })

export const chatSessionRoutes = [
  route({
    ...chatDefaults,
    name: 'createChatSession',
    method: 'POST',
    path: '/chat/create-chat-session',
    summary: 'Create session',
    description: 'Optional: `POST /chat/send-chat-message` creates a session if none is given.',
    body: z.object(newSessionFields).meta({ id: 'ChatSessionCreationRequest' }),
    reply: z.object({ chat_session_id: z.string(), incognito: z.boolean() }).meta({ id: 'CreateChatSessionID' }),
    errors: ['PERSONA_NOT_FOUND', 'PROJECT_NOT_FOUND'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ body, subject, services }) => {
      const { id: persona_id } = await getPersona(services, subject, body.persona_id ?? 0)
      const incognito = body.incognito ?? false
      const { description, project_id } = body
      const session = { id: randomUUID(), persona_id, name: description || null, incognito, project_id }
      const { id } = await insertChat(services.db, subject, session, services.now())
      return { chat_session_id: id, incognito }
    },
  }),
  route({
    ...chatReadDefaults,
    name: 'listChatSessions',
    method: 'GET',
    path: '/chat/get-user-chat-sessions',
    summary: 'List own sessions',
    description: 'Most recently used first.',
    query: z.object({
      project_id: nullish(wireInteger({ min: 1 })).describe('Only the sessions of this project.'),
      only_non_project_chats: nullish(wireBoolean()).describe(
        'Default: true. With false, includes the sessions of projects.',
      ),
      include_failed_chats: nullish(wireBoolean()).describe('Include sessions in which every answer failed.'),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE_SIZE })).describe('Default: 50.'),
      before: nullish(wireDateTime()).describe('The `time_updated` of the last item of the previous page.'),
    }),
    reply: z
      .object({ sessions: z.array(ChatSessionDetails), has_more: z.boolean() })
      .meta({ id: 'ChatSessionsResponse' }),
    services: ['db'],
    handle: async ({ query, subject, services }) => {
      const size = query.page_size ?? 50
      const project = query.project_id ?? (query.only_non_project_chats === false ? 'any' : 'none')
      const page = { before: query.before, limit: size + 1, project } as const
      const chats = await listChats(services.db, subject, page, query.include_failed_chats ?? false)
      return { sessions: chats.slice(0, size).map(chatSessionDetails), has_more: chats.length > size }
    },
  }),
  route({
    ...chatReadDefaults,
    name: 'getChatSession',
    method: 'GET',
    path: '/chat/get-chat-session/{chat_session_id}',
    summary: 'Get session',
    description:
      'Returns all messages. Documents that the key may no longer read are omitted; in a session shared by another user, answers based on such documents are omitted too.',
    params: ChatSessionPath,
    query: z.object({
      is_shared: nullish(wireBoolean()).describe('Get a session that any user has shared.'),
      include_deleted: nullish(wireBoolean()).describe('Include own deleted sessions. Their messages are gone.'),
    }),
    reply: ChatSessionDetailResponse,
    errors: ['SESSION_NOT_FOUND'],
    services: ['db', 'chats'],
    handle: async ({ params, query, subject, services }) => {
      const ownScope = query.include_deleted === true ? 'own or deleted' : 'own'
      const scope = query.is_shared === true ? 'shared' : ownScope
      const chatView = await services.chats.view(subject, params.chat_session_id, scope)
      const { isOwner, chat } = chatView
      return chatSessionDetail(
        chatView,
        isOwner ? await findPersonaLabel(services.db, chat.persona_id) : undefined,
        subject,
        isOwner && chat.deleted_at === null ? await getChatReaders(services.db, subject, chat.id) : null,
      )
    },
  }),
  route({
    ...chatDefaults,
    name: 'renameChatSession',
    method: 'PUT',
    path: '/chat/rename-chat-session',
    summary: 'Rename session',
    description: 'Without a name, the session is named after its first question.',
    body: z.object({ chat_session_id: ChatSessionId, name: nullish(SessionName) }).meta({ id: 'ChatRenameRequest' }),
    reply: z.object({ new_name: z.string() }).meta({ id: 'RenameChatSessionResponse' }),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db'],
    handle: async ({ body, subject, services: { db } }) => {
      const new_name = body.name?.trim() || defaultChatName((await findFirstQuestion(db, body.chat_session_id)) ?? '')
      await updateChat(db, subject, body.chat_session_id, { name: new_name })
      return { new_name }
    },
  }),
  route({
    ...chatDefaults,
    name: 'shareChatSession',
    method: 'PATCH',
    path: '/chat/chat-session/{chat_session_id}',
    summary: 'Share session',
    description:
      'With `public`, every key can read the session by its id, except answers based on documents that the key may not read.',
    params: ChatSessionPath,
    body: z.object({ sharing_status: wireEnum(SHARED_STATUSES) }).meta({ id: 'ChatSessionUpdateRequest' }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, body, subject, services }) => {
      await updateChat(services.db, subject, params.chat_session_id, { shared_status: body.sharing_status })
      return null
    },
  }),
  route({
    ...chatDefaults,
    name: 'deleteChatSession',
    method: 'DELETE',
    path: '/chat/delete-chat-session/{chat_session_id}',
    summary: 'Delete session',
    description:
      'Deletes all messages and stops a running answer. The owner can still see that the session existed until the trash retention expires.',
    params: ChatSessionPath,
    query: z.object({
      hard_delete: nullish(wireBoolean()).describe('Also delete the record that the session existed.'),
    }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db', 'chats', 'now'],
    handle: async ({ params, query, subject, services }) => {
      const { db, chats, now } = services
      const isHard = query.hard_delete === true
      const { id, deleted_at } = await getChatOrTombstone(db, subject, params.chat_session_id)
      if (deleted_at === null) await chats.stop(subject, id)
      await deleteChat(db, subject, id, { isHard, now: now() })
      return null
    },
  }),
  route({
    ...chatDefaults,
    name: 'deleteAllChatSessions',
    method: 'DELETE',
    path: '/chat/delete-all-chat-sessions',
    summary: 'Delete all own sessions',
    reply: z.null(),
    services: ['db', 'chats'],
    handle: async ({ subject, services }) => {
      await services.chats.stopAll(subject)
      await deleteAllChats(services.db, subject)
      return null
    },
  }),
  overrideRoute(
    'model',
    z.object({ chat_session_id: ChatSessionId, new_alternate_model: nullish(SessionName) }),
    'Set session model',
  ),
  overrideRoute(
    'temperature',
    z.object({ chat_session_id: ChatSessionId, temperature_override: nullish(wireNumber({ min: 0, max: 2 })) }),
    'Set session temperature',
  ),
  overrideRoute(
    'reasoning',
    z.object({
      chat_session_id: ChatSessionId,
      reasoning_effort: nullish(wireEnum(REASONING_EFFORTS)),
    }),
    'Set session reasoning effort',
  ),
  route({
    ...chatReadDefaults,
    name: 'searchChatSessions',
    method: 'GET',
    path: '/chat/search',
    summary: 'Search own sessions',
    description:
      'Finds the sessions that have each word in the name or a message, with an excerpt. Without a query, returns all sessions.',
    query: z.object({
      query: nullish(wireString({ max: MAX_QUERY_LENGTH, pattern: WITHOUT_NUL })),
      page: nullish(wireInteger({ min: 1, max: 10_000 })),
      page_size: nullish(wireInteger({ min: 1, max: MAX_PAGE_SIZE })).describe('Default: 10.'),
    }),
    reply: z
      .object({
        groups: z.array(z.object({ title: z.string(), chats: z.array(FoundChatSession) })),
        has_more: z.boolean(),
        next_page: z.int().nullable(),
      })
      .meta({ id: 'ChatSearchResponse' }),
    services: ['db', 'now'],
    handle: async ({ query, subject, services }) => {
      const [page, size] = [query.page ?? 1, query.page_size ?? 10]
      const searchText = query.query?.trim() ?? ''
      const matches = await searchChats(services.db, subject, searchText, {
        offset: (page - 1) * size,
        limit: size + 1,
      })
      const has_more = matches.length > size
      const now = services.now()
      const found = matches.slice(0, size)
      const words = searchedWords(searchText)
      const ids = found.slice(0, MAX_EXCERPTS).map((it) => it.id)
      const messages = await findBestMessages(services.db, ids, words, MAX_EXCERPT_SOURCE)
      const groups = Map.groupBy(found, (it) => ageGroup(it.time_updated, now))
      return {
        groups: [...groups].map(([title, chats]) => ({
          title,
          chats: chats.map((it) => foundChatSession(it, messages.get(it.id), words)),
        })),
        has_more,
        next_page: has_more ? page + 1 : null,
      }
    },
  }),
  route({
    ...chatReadDefaults,
    name: 'getMaxSelectedDocumentTokens',
    method: 'GET',
    path: '/chat/max-selected-document-tokens',
    summary: 'Get maximum tokens of selected documents',
    query: z.object({ persona_id: nullish(wireInteger({ min: 0 })) }),
    reply: z.object({ max_tokens: z.int() }).meta({ id: 'MaxSelectedDocumentTokens' }),
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'secrets', 'chats'],
    handle: async ({ query, subject, services }) => {
      const persona = await getVisiblePersona(services, subject, query.persona_id ?? 0)
      return { max_tokens: await services.chats.contextTokens(subject, persona) }
    },
  }),
  route({
    ...chatReadDefaults,
    name: 'getAvailableContextTokens',
    method: 'GET',
    path: '/chat/available-context-tokens/{chat_session_id}',
    summary: 'Get available context tokens of a session',
    params: ChatSessionPath,
    reply: z.object({ available_tokens: z.int() }).meta({ id: 'AvailableContextTokensResponse' }),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db', 'secrets', 'chats'],
    handle: async ({ params, subject, services }) => {
      const { persona_id } = await getChat(services.db, subject, params.chat_session_id)
      const persona = await getPersona(services, subject, persona_id)
      return { available_tokens: await services.chats.contextTokens(subject, persona) }
    },
  }),
]

interface SessionOverrideBody {
  chat_session_id: string
  new_alternate_model?: string | null
  temperature_override?: number | null
  reasoning_effort?: ReasoningEffort | null
}

const WEEK_DAYS = 7
const MONTH_DAYS = 30

/** Counts UTC days. */
function ageGroup(time: number, now: number): string {
  const days = Math.floor(now / DAY_MS) - Math.floor(time / DAY_MS)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < WEEK_DAYS) return 'This Week'
  return days < MONTH_DAYS ? 'This Month' : 'Older'
}
